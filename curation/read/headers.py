"""Record headers of WARC and ARC: is this the start of a record, what does it say, where is the next one.

ARC lines are read here, not by warcio, which takes five fields only: version 2 of the format has ten.
Source: https://archive.org/web/researcher/ArcFileFormat.php
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParser

from curation.read.flow import Flow

HEADER_LIMIT = 1 << 16
_WINDOW, _OVERLAP = 1 << 16, 1 << 13

_WARC_START = re.compile(rb"WARC/[01]\.\d+\r?\n")
_BLANK_LINE = re.compile(rb"\n\r?\n")
_NEXT_WARC = re.compile(rb"\n\r?\n(WARC/[01]\.\d+\r?\n[A-Za-z][A-Za-z-]*:)")
# After damage the blank line may be what is damaged: a line end, or one wrong byte in its place, must do.
_NEXT_WARC_AFTER_DAMAGE = re.compile(rb"[\r\n][^\r\n]?(WARC/[01]\.\d+\r?\n(?:WARC|Content)-[A-Za-z-]+:)")
# URL (may hold spaces), IP address, date of 14 digits (18 were seen), media type, more fields in version 2, length
_ARC_FIELDS = (
    rb"([a-z][a-z0-9+.-]{1,15}:[^\n]{0,4000}?) (\d{1,3}(?:\.\d{1,3}){3}) (\d{12,18}) "
    rb"([^ \n]+)(?: [^\n]{0,4000})? (-?\w+)"
)
_ARC_START = re.compile(_ARC_FIELDS + rb"\r?\n")
_NEXT_ARC = re.compile(rb"\n(" + _ARC_FIELDS + rb"\r?\n)")
_WARC_PARSER = StatusAndHeadersParser(ArcWarcRecordLoader.WARC_TYPES, verify=False)


@dataclass(frozen=True, slots=True)
class Header:
    """Fields of one record header. `size`: bytes of the header; `length`: bytes of the block, None if no number."""

    fields: dict[str, str]
    size: int

    @property
    def type(self) -> str:
        return self.fields.get("warc-type", "").strip().lower() or "untyped"

    @property
    def length(self) -> int | None:
        text = self.fields.get("content-length", "").strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def begins_record(head: bytes, arc: bool) -> bool:
    """Whether bytes, after blank lines, begin with a record header of this format.

    >>> begins_record(b"WARC/1.0\\r\\nWARC-Type: response", arc=False)
    True
    """
    return bool((_ARC_START if arc else _WARC_START).match(head.lstrip(b"\r\n")))


def read_header(flow: Flow, arc: bool) -> Header | None:
    """The header at the flow's position, consumed; None (and nothing consumed) when there is none."""
    head = flow.peek(1 << 12)
    if arc:
        head = head if b"\n" in head else flow.peek(HEADER_LIMIT)
        match = _ARC_START.match(head)
        header = match and Header(_arc_fields(match), match.end())
    else:
        if not _WARC_START.match(head):
            return None
        end = _BLANK_LINE.search(head) or _BLANK_LINE.search(flow.peek(HEADER_LIMIT))
        header = end and Header(_warc_fields(flow.peek(end.end())), end.end())
    if header:
        flow.skip(header.size)
    return header


def _warc_fields(head: bytes) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in _WARC_PARSER.parse(io.BytesIO(head)).headers:
        fields.setdefault(name.lower(), value)
    return fields


def _arc_fields(match: re.Match[bytes]) -> dict[str, str]:
    url, _, date, media_type, length = (part.decode("utf-8", "replace") for part in match.groups())
    stamp = date[:14].ljust(14, "0")
    return {
        "warc-type": "arc_header" if url.startswith("filedesc:") else "response",
        "warc-target-uri": url,
        "warc-date": f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[8:10]}:{stamp[10:12]}:{stamp[12:]}Z",
        "content-type": media_type,
        "content-length": length,
    }


def holds_header(window: bytes, arc: bool) -> bool:
    """Whether a record header stands somewhere in these bytes."""
    return bool((_NEXT_ARC if arc else _NEXT_WARC).search(window))


def next_header(flow: Flow, arc: bool, *, after_damage: bool = False) -> int | None:
    """Offset of the first record header behind a blank line (WARC) or a line end (ARC); None when there is none."""
    pattern = _NEXT_ARC if arc else _NEXT_WARC_AFTER_DAMAGE if after_damage else _NEXT_WARC
    while True:
        window = flow.peek(_WINDOW)
        match = pattern.search(window)
        if match and (match.start() < _WINDOW - _OVERLAP or len(window) < _WINDOW):
            return flow.offset + match.start(1)
        if len(window) < _WINDOW:
            return None
        flow.skip(_WINDOW - _OVERLAP)
