"""Files that are small and stand for much, written without ever holding what they stand for."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import brotli
import zstandard

from curation.read.budgets import Budgets
from curation.read.file import InputFile
from curation.read.pages import read_pages
from curation.read.report import SplitReport, merge_reports
from curation.read.splits import plan_splits
from tests.read.made_warcs import response

GIB = 1 << 30
_PIECE = 1 << 20


def gzip_of(head: bytes, byte: bytes, size: int, tail: bytes = b"", *, wbits: int = 31) -> bytes:
    """One gzip member (wbits 15: a zlib stream) of head, `size` times a byte, and tail; its checksum is right.

    After a full flush the same input gives the same bytes: they are compressed once and repeated.
    """
    if size % _PIECE:
        raise ValueError("whole MiB only")
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    out = [deflater.compress(head) + deflater.flush(zlib.Z_FULL_FLUSH)]
    piece = byte * _PIECE
    packed = deflater.compress(piece) + deflater.flush(zlib.Z_FULL_FLUSH)
    out += [packed] * (size // _PIECE)
    out.append(deflater.compress(tail) + deflater.flush(zlib.Z_FINISH))
    check = zlib.crc32 if wbits == 31 else zlib.adler32
    total = check(head)
    for _ in range(size // _PIECE):
        total = check(piece, total)
    total = check(tail, total)
    length = len(head) + size + len(tail)
    if wbits == 15:
        return b"\x78\x9c" + b"".join(out) + struct.pack(">I", total)
    return b"\x1f\x8b\x08" + b"\0" * 5 + b"\2\3" + b"".join(out) + struct.pack("<II", total, length & 0xFFFFFFFF)


def zstd_of(byte: bytes, size: int) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj(size=size)
    return b"".join(packer.compress(byte * _PIECE) for _ in range(size // _PIECE)) + packer.flush()


def brotli_of(byte: bytes, size: int) -> bytes:
    packer = brotli.Compressor(quality=1)
    return b"".join(packer.process(byte * _PIECE) for _ in range(size // _PIECE)) + packer.finish()


def record_head(length: int, url: str = "http://bomb.example/") -> bytes:
    return (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Record-ID: <urn:bomb>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def large_record(size: int) -> bytes:
    """A member with one record whose block is HTTP and `size` spaces."""
    return gzip_of(record_head(len(HTTP) + size) + HTTP, b" ", size, b"\r\n\r\n")


def bomb_in_body(coding: str, body: bytes) -> bytes:
    headers = [("Content-Type", "text/html"), ("Content-Encoding", coding)]
    return response(body, f"http://{coding.split(',')[0]}.example/", headers=headers)


def read_file(
    path: str, kind: str = "warc", seconds: float = 600.0, split_size: int = 1 << 40, with_pages: bool = True
) -> dict:
    """The merged report, and [address, fate, error] of every page."""
    file = InputFile(path, Path(path).name, kind, "web", "", Path(path).stat().st_size)
    reports, pages = [], []
    for split in plan_splits([file], split_size):
        report = SplitReport(split)
        for page in read_pages(split, report, budgets=Budgets(seconds=seconds)):
            if with_pages:
                pages.append([page.url, page.dropped_by, page.error, page.notes.get("encoding", "")])
        reports.append(report.to_dict())
    (merged,) = merge_reports(reports)
    return {"report": merged, "pages": pages}
