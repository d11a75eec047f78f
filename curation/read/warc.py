"""The records of a byte range of a WARC, WET or ARC file, compressed or not, with whatever damage it has.

Every record comes out, in order: intact ones with their block, others with a `Fault`; a stretch in which no header can
be read comes out as one record of unknown type. Reading goes on behind each fault.
Seen with warcio 1.8.1: wrapping its iterator in try/except loses all records after the first bad one without an error.
warcio parses the fields of headers here; where a record starts and ends is decided by the code below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from curation.read.budgets import Budgets
from curation.read.flow import Flow
from curation.read.headers import HEADER_LIMIT, Header, begins_record, next_header, read_header
from curation.read.members import GZIP_MAGIC, RUN_UP, first_member
from curation.read.sources import Fault, MemberSource, PlainSource, Source
from curation.read.tape import Tape

WITH_BLOCK = frozenset({"response", "conversion", "resource"})
_TYPES = WITH_BLOCK | {"warcinfo", "request", "metadata", "revisit", "continuation", "arc_header"}

_AHEAD = 1 << 13  # bytes looked at behind a block: the blank lines and the next header (an ARC line holds a whole URL)


@dataclass(slots=True)
class Record:
    """One record, or a stretch of bytes that is none (`type` "").

    `offset`: byte of the file to start reading at (of the gzip member, or of the plain header). `inner`: byte inside
    the gzip member, above 0 only where one member holds several records. `end`: byte of the file behind the damage,
    known only with a fault that breaks the chain. `block` is read for types in WITH_BLOCK only.
    """

    offset: int
    type: str
    fields: dict[str, str]
    block: bytes = b""
    fault: Fault | None = None
    end: int = -1
    inner: int = 0


def read_records(tape: Tape, start: int, end: int, *, gzipped: bool, arc: bool, budgets: Budgets) -> Iterator[Record]:
    """Records whose gzip member (plain: whose header) starts in [start, end) of the file.

    The union over adjoining ranges is the whole file, each record once: where records start does not depend on where
    reading began (except inside a WARC that lies uncompressed in a record larger than `members.RUN_UP`).
    """
    if gzipped:
        yield from _gzip_records(tape, start, end, arc, budgets)
        return
    source = PlainSource(tape, arc, budgets.seconds)
    entry = max(0, start - RUN_UP)
    first = next_header(source.open(max(0, entry - 4)), arc) if entry else 0
    if first is not None:
        yield from _walk(source, first, start, end, budgets)


def is_gzipped(tape: Tape, name: str) -> bool:
    """By magic; by name where the head is neither gzip nor a record, since the head may be what is damaged."""
    head = tape.at(0, 1 << 13)
    if head.startswith(GZIP_MAGIC):
        return True
    return name.endswith(".gz") and not (begins_record(head, arc=False) or begins_record(head, arc=True))


def _gzip_records(tape: Tape, start: int, end: int, arc: bool, budgets: Budgets) -> Iterator[Record]:
    position = first_member(tape, start, end, arc, budgets.seconds)
    while position is not None and position < min(end, tape.size):
        source = MemberSource(tape, position, arc, budgets.seconds)
        for record in _walk(source, 0, 0, 1 << 62, budgets):
            record.offset, record.inner = position, record.offset
            yield record
        position = source.resume()


def _walk(source: Source, first: int, begin: int, stop: int, budgets: Budgets) -> Iterator[Record]:
    """Records of one source whose header starts in [begin, stop), walking from the header at `first`."""
    flow = source.open(first)
    while True:
        flow.start_clock(budgets.seconds)
        flow.skip_blank_lines()
        at = flow.offset
        if at >= stop or not flow.peek(1) and not flow.fault:
            return
        header = read_header(flow, source.arc)
        if header is None:
            record, follow = _gap(source, flow, at)
        else:
            record, follow = _record(source, flow, header, at, wanted=at >= begin, budgets=budgets)
        if at >= begin:
            yield record
        if record.end >= 0:
            if follow is None:
                return
            flow = source.open(follow)


def _gap(source: Source, flow: Flow, at: int) -> tuple[Record, int | None]:
    """The stretch from `at` to the next header."""
    rest = flow.peek(HEADER_LIMIT)
    if len(rest) < HEADER_LIMIT and (b"\n" not in rest if source.arc else rest.startswith(b"WARC/"[: len(rest)])):
        flow.skip(HEADER_LIMIT)  # a header that the end of the file cuts
    fault = source.verdict(flow, f"no record header at byte {at}")
    follow = source.next_header(flow, at)
    if follow is not None and fault.kind == "truncated":
        fault = Fault("damaged", f"no complete record header at byte {at}")
    return Record(at, "", {}, fault=fault, end=source.file_end(follow)), follow


def _record(
    source: Source, flow: Flow, header: Header, at: int, *, wanted: bool, budgets: Budgets
) -> tuple[Record, int | None]:
    """The record whose header was just read, and, after a fault that breaks the chain, where it goes on."""
    record = Record(at, header.type, header.fields)
    body_start, length = flow.offset, header.length
    if length is None:
        text = header.fields.get("content-length")
        fault = Fault("damaged", f"its Content-Length {text!r} is no number of bytes")
    else:
        if wanted and header.type in WITH_BLOCK and length <= budgets.max_record_bytes:
            record.block = flow.take(length)
        else:
            flow.skip(length)
        fault = _length_fault(source, flow, length, flow.offset - body_start)
    if fault is None:
        if length > budgets.max_record_bytes and header.type in WITH_BLOCK:
            record.fault = Fault("too_large", f"{length} bytes, allowed are {budgets.max_record_bytes}")
        return record, None
    follow = source.next_header(flow, max(0, body_start - 4))
    if follow is not None and fault.kind == "truncated":
        fault = Fault("damaged", f"its Content-Length {length} reaches over the next record")
    record.fault, record.block = fault, b""
    if record.type not in _TYPES:
        record.type = ""  # the damage garbled the type, so it may have been a page
    record.end = source.file_end(follow)
    return record, follow


def _length_fault(source: Source, flow: Flow, length: int, got: int) -> Fault | None:
    """Whether the block ends where Content-Length says: behind it come blank lines, then the end or another header."""
    if got < length:
        return source.verdict(flow, f"the record ends after {got} of {length} bytes")
    ahead = flow.peek(_AHEAD)
    rest = ahead.lstrip(b"\r\n")
    if not rest:
        return source.verdict(flow, "") if flow.fault else None
    if begins_record(rest, source.arc):
        return None
    if isinstance(source, PlainSource) and ahead.startswith(b"\n" if source.arc else b"\r\n\r\n"):
        return None  # properly closed: what is broken is the next header
    return Fault("damaged", f"its Content-Length {length} does not lead to the end of the record")
