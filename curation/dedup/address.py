"""The canonical form of a web address, for dedup by address."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import xxhash

from curation.dedup.columns import fixed_binary

_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)
_ROOT_DOT = re.compile(r"\.++(?=(?::[0-9]*)?\Z)")
_TRACKING = re.compile(r"\?(?:utm_|ref|feed).*$", re.DOTALL)


def canonical_url(url: str) -> str:
    """An address without scheme, `www.`, tracking query and trailing slashes, its host in lower case and not rooted.

    Source: C4's address dedup in TensorFlow Datasets (`c4_utils`, normalize_url).
    Reading: the whole query goes where it begins with utm_, ref or feed, and stays as it is otherwise.
    Differs: the host is folded to lower case and loses the dot of its rooted form, there it does neither.

    >>> canonical_url("https://www.Example.org/News/?utm_source=mail")
    'example.org/News'
    >>> canonical_url("http://example.org/list?page=2"), canonical_url("http://example.org.:80/")
    ('example.org/list?page=2', 'example.org:80')
    """
    bare = _TRACKING.sub("", _SCHEME.sub("", url.strip())).rstrip("/")
    end = min((place for mark in "/?#" if (place := bare.find(mark)) >= 0), default=len(bare))
    return _ROOT_DOT.sub("", bare[:end].lower()) + bare[end:]


def url_keys(urls: pa.Array) -> pa.Array:
    """128-bit keys (binary(16)) of addresses in canonical form; null for an empty or null one."""
    canonical = [canonical_url(url or "") for url in urls.to_pylist()]
    digests = b"".join(xxhash.xxh3_128_digest(url.encode()) for url in canonical)
    keys = np.frombuffer(digests, dtype=np.uint8).reshape(-1, 16)
    return fixed_binary(keys, np.array([bool(url) for url in canonical], dtype=bool))
