"""What a file is, by its first bytes: the kind for the list of inputs, and whether reading can start."""

from __future__ import annotations

import zlib

import zstandard

from curation.errors import InputError
from curation.read.headers import begins_record, holds_header
from curation.read.members import GZIP_MAGIC, find_member
from curation.read.payload import HTML, sniff
from curation.read.tape import Tape

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
PARQUET_MAGIC = b"PAR1"
WARC, WET, JSONL, PARQUET = "warc", "wet", "jsonl", "parquet"
WAT, PATHS, ZSTD_WARC, UNKNOWN = "wat", "paths", "warc.zst", ""
READABLE = (WARC, WET, JSONL, PARQUET)
ROWS = (JSONL, PARQUET)

_HEAD_BYTES = 1 << 16
_SEARCHED_BYTES = 1 << 20
_ERROR_PAGES = (HTML, "xml", "json", "text/plain")
_ENDINGS = {
    WARC: (".warc", ".warc.gz", ".arc", ".arc.gz"),
    WET: (".wet", ".wet.gz"),
    JSONL: (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".ndjson.zst", ".json.gz", ".json.zst"),
    PARQUET: (".parquet", ".pq"),
    WAT: (".wat", ".wat.gz"),
    PATHS: (".paths", ".paths.gz"),
}


def kind_by_name(name: str) -> str:
    """The kind a file's ending promises, UNKNOWN for endings that no input has."""
    return next((kind for kind, endings in _ENDINGS.items() if name.lower().endswith(endings)), UNKNOWN)


def kind_by_content(tape: Tape) -> str:
    """The kind its first 64 KiB show, UNKNOWN where they show none."""
    head = tape.at(0, _HEAD_BYTES)
    if head.startswith(PARQUET_MAGIC):
        return PARQUET
    text = unpacked_head(head)
    if begins_record(text, arc=False):
        return ZSTD_WARC if head.startswith(ZSTD_MAGIC) else _warc_kind(text)
    if begins_record(text, arc=True):
        return WARC
    if text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return JSONL
    first = text.split(b"\n", 1)[0].strip()
    if first.endswith((b".warc.gz", b".wet.gz", b".warc", b".arc.gz")) and b" " not in first:
        return PATHS
    return UNKNOWN


def refuse_unreadable(place: str, kind: str) -> str:
    """The kind of an input whose content shows `kind`: by name where that says nothing.

    Nothing is said by damage, an error page, 0 bytes. Raises InputError for what is no input.
    """
    if kind == WAT:
        raise InputError(
            f"{place} is a WAT file: it holds metadata of pages, not their text; give its WARC or WET file"
        )
    if kind == ZSTD_WARC:
        raise InputError(f"{place} is a WARC in zstd: recompress it record by record, such as with `warcio recompress`")
    promised = kind_by_name(place)
    if promised in (WARC, WET) and kind not in (WARC, WET):
        kind = promised
    kind = kind or promised
    if kind not in READABLE:
        raise InputError(f"{place} is neither WARC, ARC, WET, JSON lines nor Parquet: leave it out, or unpack it first")
    return kind


def unpacked_head(head: bytes) -> bytes:
    """The first bytes of a file, uncompressed where they are gzip (member after member) or zstd."""
    try:
        if head.startswith(ZSTD_MAGIC):
            return zstandard.ZstdDecompressor().decompressobj().decompress(head[:4096])
        if not head.startswith(GZIP_MAGIC):
            return head
        out = b""
        while head and len(out) < _HEAD_BYTES:
            inflater = zlib.decompressobj(31)
            out += inflater.decompress(head, _HEAD_BYTES)
            head = inflater.unused_data
        return out
    except (zlib.error, zstandard.ZstdError):
        return b""  # reading the file will say what is wrong with it


def is_arc(tape: Tape, name: str, *, gzipped: bool) -> bool:
    """Whether records have ARC headers: by the first record, by the name where that one is damaged."""
    head = tape.at(0, _HEAD_BYTES)
    text = unpacked_head(head) if gzipped else head
    if begins_record(text, arc=False):
        return False
    return begins_record(text, arc=True) or name.lower().endswith((".arc", ".arc.gz"))


def inspect(tape: Tape, kind: str, name: str) -> tuple[str, str] | None:
    """State and sentence for a file that holds nothing to read: empty, error_page or unreadable; else None.

    A file that only begins with damage is no such file: its first MiB is searched for records, and bytes that are no
    text are left to the reader, which reports them as damage.
    """
    if not tape.size:
        return "empty", f"{name} has 0 bytes: download it again"
    head = tape.at(0, _HEAD_BYTES)
    text = unpacked_head(head)
    if kind == PARQUET:
        good = head.startswith(PARQUET_MAGIC)
    elif kind == JSONL:
        good = not text.lstrip().startswith(b"<")
    else:
        good = _has_records(tape, text)
    found = sniff(text) if text else "damaged"
    if good or (found not in _ERROR_PAGES and kind != PARQUET):
        return None
    start = " ".join(text[:200].decode("utf-8", "replace").split())
    if found in _ERROR_PAGES:
        return "error_page", f"{name} is not {kind} but {found}, such as a server sends instead of a file: {start!r}"
    return "unreadable", f"{name} is not {kind} (its first bytes say {found}): {head[:16]!r}"


def _has_records(tape: Tape, text: bytes) -> bool:
    if begins_record(text, arc=False) or begins_record(text, arc=True):
        return True
    if text and b"WARC/".startswith(text[:5]):
        return True  # cut within its first line
    window = tape.at(0, _SEARCHED_BYTES)
    return any(holds_header(window, arc) or find_member(tape, 0, len(window), arc) is not None for arc in (False, True))


def _warc_kind(text: bytes) -> str:
    """WET holds conversion records, WAT JSON metadata, behind one warcinfo; everything else reads as WARC."""
    for block in text.split(b"WARC/1.")[1:]:
        header = block.split(b"\r\n\r\n", 1)[0].lower()
        if b"warc-type: warcinfo" in header:
            continue
        if b"warc-type: conversion" in header:
            return WET
        if b"warc-type: metadata" in header and b"content-type: application/json" in header:
            return WAT
        return WARC
    return WARC
