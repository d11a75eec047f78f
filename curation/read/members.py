"""Gzip members: reading one with its checksum, and finding the next after damage or at the start of a byte range.

A WARC file is a chain of gzip members, one per record. Reading one member at a time costs nothing extra and confines
damage: a broken member is left, and the chain is taken up again at the next place where the gzip magic stands and what
follows inflates to the start of a record.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from curation.read.flow import Flow
from curation.read.headers import begins_record
from curation.read.tape import Tape

GZIP_MAGIC = b"\x1f\x8b\x08"
TRUNCATED = "the file ends inside the gzip member"

# A byte range is entered this far before its start, and the chain walked up to it. So a WARC that was itself crawled,
# and lies uncompressed inside a record, is passed over with its record; without the run-up its members look like ours.
RUN_UP = 1 << 20

_WBITS = 31  # gzip, CRC and length checked by zlib
_CHUNK = 1 << 15  # zlib copies the unused rest of a chunk at the end of each member: small chunks, small copies
_TRIAL_BYTES = 1 << 13
_REPLAY_BYTES = 1 << 20  # up to here a member is inflated again to see what came before its fault


class Member:
    """The inflated bytes of the gzip member that starts at byte `start`; a `Stream`.

    After `read` gave b"": `end` is the byte after the member, or `fault` says what is wrong. Bytes before a fault are
    delivered; they are unproven, since the checksum stands at the end.
    """

    def __init__(self, tape: Tape, start: int):
        self._tape, self._start, self._position = tape, start, start
        self._inflater, self._input, self._given = zlib.decompressobj(_WBITS), b"", 0
        self.fault, self.end = "", -1

    @property
    def position(self) -> int:
        """Bytes of the file consumed so far (up to one chunk too many)."""
        return self._position

    def read(self, count: int) -> bytes:
        while not self.fault and self.end < 0:
            if not self._input:
                self._input = self._tape.at(self._position, _CHUNK)
                self._position += len(self._input)
            at_file_end = not self._input
            # A copy of the state (40 KB) before each step would cost small members a tenth of their time.
            backup = (self._inflater.copy(), self._input) if self._given >= _REPLAY_BYTES else None
            try:
                out = self._inflater.decompress(self._input, count)
            except zlib.error as error:
                self.fault = str(error)
                return self._before_fault(backup)
            if self._inflater.eof:
                self.end = self._position - len(self._inflater.unused_data)
            self._input = self._inflater.unconsumed_tail
            self._given += len(out)
            if out:
                return out
            if at_file_end and self.end < 0:
                self.fault = TRUNCATED
        return b""

    def skip(self, count: int) -> int:
        return len(self.read(min(count, 1 << 16)))

    def _before_fault(self, backup: tuple[zlib._Decompress, bytes] | None) -> bytes:
        """What lies between the last delivered byte and the fault."""
        if backup:
            return _until_fault(backup[0], [backup[1]])
        pieces = (self._tape.at(position, 1 << 10) for position in range(self._start, self._tape.size, 1 << 10))
        return _until_fault(zlib.decompressobj(_WBITS), pieces)[self._given :]


def find_member(tape: Tape, position: int, stop: int, arc: bool) -> int | None:
    """First byte in [position, stop) where a gzip member with a record at its head starts; None when there is none."""
    window = 1 << 16
    while position < stop:
        block = tape.at(position, window)
        hit = block.find(GZIP_MAGIC)
        while hit >= 0 and position + hit < stop:
            if _holds_record(tape, position + hit, arc):
                return position + hit
            hit = block.find(GZIP_MAGIC, hit + 1)
        if len(block) < window:
            return None
        position += window - len(GZIP_MAGIC) + 1
    return None


def first_member(tape: Tape, start: int, stop: int, arc: bool, seconds: float) -> int | None:
    """The first link of the file's chain of members in [start, stop): where the reader of that range begins.

    A member that takes more than `seconds` to inflate is left like a damaged one, as the reader of its own range does.
    """
    entry = max(0, start - RUN_UP)
    position = find_member(tape, entry, stop, arc) if entry else 0
    while position is not None and position < start:
        position = _after(tape, position, stop, arc, seconds)
    return position if position is not None and position < stop else None


def _after(tape: Tape, start: int, stop: int, arc: bool, seconds: float) -> int | None:
    """Where the chain goes on after the member at `start`; None when that lies beyond `stop`."""
    member = Member(tape, start)
    flow = Flow(member, seconds=seconds)
    while flow.skip(1 << 16):
        if member.position - _CHUNK > stop:
            return None
    return member.end if member.end >= 0 else find_member(tape, start + 1, stop, arc)


def _holds_record(tape: Tape, position: int, arc: bool) -> bool:
    head = tape.at(position, _TRIAL_BYTES)
    try:
        start = zlib.decompressobj(_WBITS).decompress(head, _TRIAL_BYTES)
    except zlib.error:  # damaged, but perhaps behind its header
        start = _until_fault(zlib.decompressobj(_WBITS), [head], _TRIAL_BYTES)
    return begins_record(start, arc)


def _until_fault(inflater: zlib._Decompress, pieces: Iterable[bytes], limit: int = 1 << 62) -> bytes:
    """The output up to the fault, in steps of 64 bytes: zlib loses the output of the call that fails."""
    saved: list[bytes] = []
    try:
        for piece in pieces:
            while piece and not inflater.eof and len(saved) * 64 < limit:
                saved.append(inflater.decompress(piece, 64))
                piece = inflater.unconsumed_tail
    except zlib.error:
        pass  # the fault is known already; what came before it is what was asked for
    return b"".join(saved)
