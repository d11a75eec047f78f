"""One writer at a time in a run folder: two would delete each other's unfinished files and decide on half of a pass."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curation.errors import ResumeError

LOCK = ".lock"  # below the run folder; it stays there, empty, since deleting it would let two processes hold two files
_log = logging.getLogger(__name__)


@contextmanager
def only_writer(root: Path) -> Iterator[None]:
    """Holds the run folder for this process, making it where it is missing. A lock goes with its process, also a killed
    one. On a file system without locks (some network mounts) it is said that nothing guards the folder.

    Raises ResumeError that names who writes there.
    """
    root.mkdir(parents=True, exist_ok=True)
    handle = os.open(root / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.pread(handle, 200, 0).decode("utf-8", "replace") or "another process"
            raise ResumeError(
                f"{who} is writing into {root}: wait until it has ended, or choose another --out"
            ) from None
        except OSError as error:
            _log.warning("%s cannot be locked (%s): see that nothing else writes into it", root, error.strerror)
        os.truncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
        os.truncate(handle, 0)
    finally:
        os.close(handle)
