"""A file read at any byte through one cached block: the one place where an input file is opened, local or remote."""

from __future__ import annotations

import io
import os
from types import TracebackType
from typing import Protocol

from curation.stores.access import is_remote
from curation.stores.remote import RemoteFile

_BLOCK = 1 << 18
# Reading on in a remote file fetches twice as much each time, up to here: 128 MiB in about 20 requests. It is held in
# memory and not as an open connection, which a server would close while the pages of a block are worked on.
_LARGEST_BLOCK = 8 << 20


class Bytes(Protocol):
    """`read` gives `count` bytes from `start` on, fewer only at the end; `head` is what opening has read already."""

    size: int
    head: bytes

    def read(self, start: int, count: int) -> bytes: ...

    def close(self) -> None: ...


class LocalFile:
    """A file on this machine or a mount."""

    head = b""

    def __init__(self, path: str):
        self._handle = open(path, "rb")  # noqa: SIM115 - closed by close
        self.size = os.fstat(self._handle.fileno()).st_size

    def read(self, start: int, count: int) -> bytes:
        self._handle.seek(start)
        return self._handle.read(count)

    def close(self) -> None:
        self._handle.close()


class Tape:
    """Random access to the bytes of one file; sequential reading of a local one costs a system call per 256 KiB.

    `until`: where reading is expected to end. Of a remote file nothing is fetched ahead beyond it.
    Raises OSError, or StoreError which is one, where the file cannot be had.
    """

    def __init__(self, path: str, *, until: int | None = None):
        remote = is_remote(path)
        self._file: Bytes = RemoteFile(path) if remote else LocalFile(path)
        self.size, self._head = self._file.size, self._file.head
        self._until = self.size if until is None else until
        self._block, self._block_start = self._head, 0
        self._step, self._largest = _BLOCK, _LARGEST_BLOCK if remote else _BLOCK

    def at(self, position: int, count: int) -> bytes:
        """`count` bytes from `position` on; fewer only at the end of the file."""
        count = min(count, self.size - position)
        if count <= 0:
            return b""
        if position + count <= len(self._head):
            return self._head[position : position + count]
        offset = position - self._block_start
        if offset < 0 or offset + count > len(self._block):
            self._fetch(position, count)
            offset = 0
        return self._block[offset : offset + count]

    def _fetch(self, position: int, count: int) -> None:
        """Moves the block to `position`; what it holds from there on is not fetched again."""
        offset = position - self._block_start
        held = self._block[offset:] if 0 <= offset <= len(self._block) else b""
        self._step = min(2 * self._step, self._largest) if held or offset == len(self._block) else _BLOCK
        start = position + len(held)
        ahead = max(_BLOCK, min(self._step, self._until - start))
        self._block, self._block_start = held + self._file.read(start, max(count - len(held), ahead)), position

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


class TapeFile(io.RawIOBase):
    """A tape as a file object, for readers such as pyarrow's."""

    def __init__(self, tape: Tape):
        self._tape, self._position = tape, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._tape.size}[whence]
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: memoryview) -> int:
        piece = self._tape.at(self._position, len(buffer))
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def size(self) -> int:
        return self._tape.size


def parquet_source(path: str) -> str | TapeFile:
    """What pyarrow opens a Parquet file by: its path, or for a remote file one that fetches only what is asked for."""
    return TapeFile(Tape(path)) if is_remote(path) else path


def read_whole(path: str) -> bytes:
    """All bytes of a small file."""
    with Tape(path) as tape:
        return tape.at(0, tape.size)
