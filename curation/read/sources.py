"""Where a chain of records lies: in a plain file, or in one gzip member of a file. Both open a flow at any record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from curation.read.flow import TIMEOUT, Flow, PlainStream
from curation.read.headers import next_header
from curation.read.members import TRUNCATED, Member, find_member
from curation.read.tape import Tape


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record cannot be a page. `kind`: damaged, truncated, too_large or timeout."""

    kind: str
    message: str


class Source(Protocol):
    """Bytes that hold records one after another; `open` takes an offset into these bytes."""

    arc: bool

    def open(self, offset: int) -> Flow: ...

    def verdict(self, flow: Flow, message: str) -> Fault:
        """What to call it that the flow ended too early, or that something else stands where a record should."""
        ...

    def next_header(self, flow: Flow, offset: int) -> int | None:
        """The next record header from `offset` on, after `flow` met a fault."""
        ...

    def file_end(self, follow: int | None) -> int:
        """The byte of the file where a damaged stretch ends: where `follow` lies, or where reading can go on."""
        ...


class PlainSource:
    """An uncompressed file."""

    def __init__(self, tape: Tape, arc: bool, seconds: float):
        self.tape, self.arc, self.seconds = tape, arc, seconds

    def open(self, offset: int) -> Flow:
        return Flow(PlainStream(self.tape, offset), offset, seconds=self.seconds)

    def verdict(self, flow: Flow, message: str) -> Fault:
        if flow.fault:
            return Fault("timeout", "the record took longer to read than allowed")
        if flow.offset >= self.tape.size:
            return Fault("truncated", "the file ends inside the record")
        return Fault("damaged", message)

    def next_header(self, flow: Flow, offset: int) -> int | None:
        flow = Flow(PlainStream(self.tape, offset), offset)  # no clock: as long as the file is
        return next_header(flow, self.arc, after_damage=True)

    def file_end(self, follow: int | None) -> int:
        return self.tape.size if follow is None else follow


class MemberSource:
    """One gzip member: one record in a well-made file, all records of the file in a badly made one."""

    def __init__(self, tape: Tape, start: int, arc: bool, seconds: float):
        self.tape, self.start, self.arc, self.seconds = tape, start, arc, seconds
        self._resume: int | None = None

    def open(self, offset: int) -> Flow:
        self._member = Member(self.tape, self.start)
        flow = Flow(self._member, seconds=self.seconds)
        flow.skip(offset)
        return flow

    def verdict(self, flow: Flow, message: str) -> Fault:
        if flow.fault == TIMEOUT:
            return Fault("timeout", "the record took longer to inflate than allowed")
        if flow.fault == TRUNCATED and self.resume() >= self.tape.size:
            return Fault("truncated", f"{TRUNCATED} that starts at byte {self.start}")
        if flow.fault:
            return Fault("damaged", f"the gzip member at byte {self.start} is damaged: {flow.fault}")
        return Fault("damaged", message)

    def next_header(self, flow: Flow, offset: int) -> int | None:
        return None if flow.fault else next_header(self.open(offset), self.arc, after_damage=True)

    def file_end(self, follow: int | None) -> int:
        return self.resume() if follow is None else self._member.position

    def resume(self) -> int:
        """The byte of the file where the chain of members goes on; the file's size when it does not."""
        if self._member.end >= 0:
            return self._member.end
        if self._resume is None:
            found = find_member(self.tape, self.start + 1, self.tape.size, self.arc)
            self._resume = self.tape.size if found is None else found
        return self._resume
