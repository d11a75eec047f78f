"""The uncompressed bytes of a text file that is plain, gzip or zstd, as one stream that tells how it ended."""

from __future__ import annotations

import zstandard

from curation.read.filekind import ZSTD_MAGIC
from curation.read.flow import PlainStream, Stream
from curation.read.members import GZIP_MAGIC, TRUNCATED, Member
from curation.read.tape import Tape

# zstd cannot be told to stop at a number of output bytes here.
# 1 KiB of input holds at most 256 blocks of 128 KiB: 32 MiB.
_ZSTD_STEP = 1 << 10


def unpacked(tape: Tape, start: int = 0) -> Stream:
    """A stream over the text from byte `start` on; a compressed file can only be read from 0."""
    head = tape.at(0, 4)
    if head.startswith(GZIP_MAGIC):
        return GzipStream(tape)
    if head.startswith(ZSTD_MAGIC):
        return ZstdStream(tape)
    return PlainStream(tape, start)


class GzipStream:
    """All gzip members of a file, one after the other."""

    def __init__(self, tape: Tape):
        self._tape, self._member = tape, Member(tape, 0)

    @property
    def fault(self) -> str:
        return self._member.fault

    def read(self, count: int) -> bytes:
        while True:
            piece = self._member.read(count)
            end = self._member.end
            if piece or self.fault or end >= self._tape.size:
                return piece
            self._member = Member(self._tape, end)

    def skip(self, count: int) -> int:
        return len(self.read(count))


class ZstdStream:
    """All zstd frames of a file, one after the other."""

    def __init__(self, tape: Tape):
        self.fault = ""
        self._tape, self._position, self._frame = tape, 0, zstandard.ZstdDecompressor().decompressobj()
        self._rest = b""

    def read(self, count: int) -> bytes:
        """About `count` bytes: what a few KiB of the file unpack to, never b"" before the end."""
        while not self.fault:
            data = self._rest or self._tape.at(self._position, _ZSTD_STEP)
            if not self._rest:
                self._position += len(data)
            if not data:
                self.fault = "" if self._frame.eof else TRUNCATED
                return b""
            if self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            try:
                piece = self._frame.decompress(data)
            except zstandard.ZstdError as error:
                self.fault = str(error)
                return b""
            self._rest = self._frame.unused_data
            if piece:
                return piece
        return b""

    def skip(self, count: int) -> int:
        return len(self.read(count))
