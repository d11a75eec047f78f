"""What made Spark give up, in one sentence out of its pages of traces."""

from __future__ import annotations

import re

_PYTHON = re.compile(
    r"^(?!org\.|java\.|scala\.|py4j\.)((?:\w+\.)*\w*(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE
)
_CAUSED = re.compile(r"^Caused by: ([\w.$]+): (.+)$", re.MULTILINE)
_TASK = re.compile(r"Lost task [^:]*: ([\w.$]+(?:Exception|Error|Failure)[^:\n]*)(?:: (.+))?$", re.MULTILINE)
_LOST = re.compile(r"most recent failure: (.+)$", re.MULTILINE)


def is_of_spark(error: BaseException) -> bool:
    """Whether an error comes from Spark, whose messages hold whole traces of Java and of Python workers."""
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")


def cause_of(message: str) -> str:
    """The cause in a message of Spark: what a Python worker raised, else the innermost Java cause, else its first line.

    >>> cause_of("Job aborted: Lost task 0.0 in stage 1.0 (TID 1) (host): java.io.IOException: No space\\n\\tat x.y(Z)")
    'java.io.IOException: No space'
    """
    for pattern in (_PYTHON, _CAUSED, _TASK, _LOST):
        found = list(pattern.finditer(message))
        if found:
            return ": ".join(part.strip() for part in found[-1].groups() if part)
    return message.strip().partition("\n")[0] or "it gives no reason"
