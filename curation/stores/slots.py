"""A cap on requests at a time, over all processes that share a folder: as many files to lock as requests allowed.

On Spark each executor gets its share of the cap (`share_of_executor`), and its Python workers, which are processes,
share the executor's own scratch folder. A lock goes with its process, so a killed worker gives its slot back.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from curation.stores.access import access

_POLL_SECONDS = 0.02


@contextmanager
def slot() -> Iterator[None]:
    """Holds one of the `access().requests` slots; waits for one where all are taken."""
    import fcntl  # POSIX: only who reads remote stores needs it

    folder, count = _folder(os.getpid()), access().requests
    while True:
        for number in random.sample(range(count), count):
            handle = os.open(folder / f"{number}.slot", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            try:
                yield
            finally:
                os.close(handle)
            return
        time.sleep(random.uniform(_POLL_SECONDS / 2, _POLL_SECONDS))


def share_of_executor(requests: int, executors: int) -> int:
    """Requests at a time that one of so many executors may make: the cap is kept while it is not below their number.

    >>> share_of_executor(32, 5), share_of_executor(2, 5)
    (6, 1)
    """
    return max(1, requests // max(1, executors))


@cache
def _folder(process: int) -> Path:
    """The scratch folder that Spark names to the Python workers of an executor; elsewhere a process has its own."""
    scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    if scratch and Path(scratch).is_dir():
        folder = Path(scratch) / "curation-requests"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    own = tempfile.TemporaryDirectory(prefix="curation-requests-")
    _kept.append(own)  # removed when the process ends
    return Path(own.name)


_kept: list[tempfile.TemporaryDirectory] = []
