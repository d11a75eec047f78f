"""A file read at any byte through one cached block: the one place where an input file is opened."""

from __future__ import annotations

import os
from types import TracebackType

_BLOCK = 1 << 18


class Tape:
    """Random access to the bytes of one file; sequential reading costs one system call per 256 KiB."""

    def __init__(self, path: str):
        self._handle = open(path, "rb")  # noqa: SIM115 - closed by __exit__
        self.size = os.fstat(self._handle.fileno()).st_size
        self._block, self._block_start = b"", 0

    def at(self, position: int, count: int) -> bytes:
        """`count` bytes from `position` on; fewer only at the end of the file."""
        offset = position - self._block_start
        if offset < 0 or offset + count > len(self._block):
            self._handle.seek(position)
            self._block, self._block_start, offset = self._handle.read(max(count, _BLOCK)), position, 0
        return self._block[offset : offset + count]

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._handle.close()
