"""Secrets out of sentences: what could let others in is not shown in messages, logs and the pages of Spark.

Addresses of inputs lose their secrets where they are read (`curation.stores.access`); this is for what quotes text that
a user or a library wrote, such as the value of a setting or the message of an error.
"""

from __future__ import annotations

import re
from typing import Any

# Names of settings whose values are secret. Spark's own list (spark.redaction.regex) lacks keys of Azure and others.
SECRET_NAMES = (
    "(?i)secret|password|passwd|passphrase|token|access[._-]?key|account[._-]?key|private[._-]?key|credential|signature"
)

_BEFORE_HOST = re.compile(r"([a-z][a-z0-9+.-]*:/{1,2})[^\s'\"<>]*@", re.IGNORECASE)
_IN_QUERY = re.compile(
    r"((?:x-(?:amz|goog|ms)-[a-z-]+|awsaccesskeyid|\w*(?:signature|token|secret|password|key)|sig|se|sp|pwd)=)[^&\s'\"]+",
    re.IGNORECASE,
)


def hide(text: str) -> str:
    """The text with "..." for users and passwords in addresses and for signatures, tokens and keys in their queries.

    >>> hide("cannot read https://me:pw@data.example/a?part=1&X-Amz-Signature=ab12")
    'cannot read https://...@data.example/a?part=1&X-Amz-Signature=...'
    """
    return _IN_QUERY.sub(r"\1...", _BEFORE_HOST.sub(r"\1...@", text))


def shown(name: str, value: Any) -> str:
    """How a setting's value stands in a message: in full, save for what is secret by its name or form.

    >>> shown("spark.hadoop.fs.s3a.secret.key", 5), shown("files", "5")
    ('(hidden)', "'5'")
    """
    named = isinstance(value, dict) and any(re.search(SECRET_NAMES, str(key)) for key in value)
    return "(hidden)" if named or re.search(SECRET_NAMES, name) else hide(repr(value))
