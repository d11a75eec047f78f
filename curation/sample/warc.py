"""Writes captures as WARC files in the way of Common Crawl: warcinfo, then request, response and metadata per page.

One gzip member per record, modification time 0, ids and dates given: the same captures make the same bytes.
Source of the layout: the files of Common Crawl themselves (https://commoncrawl.org/get-started), WARC 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

_FLIPPED_BYTES = 40  # enough that neither inflation nor its checksum can succeed


@dataclass(frozen=True, slots=True)
class Capture:
    """One exchange with a server, as it goes into the file."""

    url: str
    record_id: str
    date: str  # ISO 8601, UTC, whole seconds
    body: bytes
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = field(default=())
    truncated: str = ""  # the reason, as in WARC-Truncated; the body given is what is left
    damage: str = ""  # "flip": bytes in the middle of the response's gzip member; "cut": the file ends inside it


def record_id(*what: object) -> str:
    """A WARC-Record-ID that depends on nothing but `what`.

    >>> record_id("a") == record_id("a") != record_id("b")
    True
    """
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, ' '.join(map(str, what)))}>"


def write_warc(file: Path, snapshot: str, captures: list[Capture]) -> list[int]:
    """Writes one file; returns for each capture the byte offset of its response."""
    held = BytesIO()
    writer = WARCWriter(held, gzip=True)
    info = record_id(snapshot, file.name)
    _write_warcinfo(writer, snapshot, file.name, info, captures[0].date)
    offsets = []
    for capture in captures:
        common = {"WARC-Date": capture.date, "WARC-Warcinfo-ID": info}
        _write_request(writer, capture, common)
        offsets.append(held.tell())
        _write_response(writer, capture, common)
        if capture.damage:
            _damage(held, offsets[-1], capture.damage)
        if capture.damage != "cut":
            _write_metadata(writer, capture, common)
    assert all(capture.damage != "cut" for capture in captures[:-1]), "only the last capture can end the file"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(held.getvalue())
    return offsets


def _write_warcinfo(writer: WARCWriter, snapshot: str, name: str, info: str, date: str) -> None:
    fields = {
        "isPartOf": snapshot,
        "publisher": "curation sample",
        "description": "Made-up pages with known properties, for tests and demonstrations",
        "operator": "curation",
        "robots": "none: these pages were never on the web",
        "format": "WARC File Format 1.0",
    }
    headers = {
        "WARC-Date": date,
        "WARC-Record-ID": info,
        "WARC-Filename": name,
        "Content-Type": "application/warc-fields",
    }
    body = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()
    writer.write_record(writer.create_warc_record("", "warcinfo", payload=BytesIO(body), warc_headers_dict=headers))


def _write_request(writer: WARCWriter, capture: Capture, common: dict[str, str]) -> None:
    parts = urlsplit(capture.url)
    lines = [
        ("Host", parts.netloc),
        ("User-Agent", "curation-sample/1"),
        ("Accept", "text/html,application/xhtml+xml,*/*;q=0.5"),
        ("Accept-Encoding", "gzip"),
        ("Connection", "close"),
    ]
    path = parts.path or "/"
    http = StatusAndHeaders(f"GET {path} HTTP/1.1", lines, is_http_request=True)
    headers = common | {
        "WARC-Record-ID": record_id(capture.record_id, "request"),
        "WARC-Concurrent-To": capture.record_id,
        "WARC-IP-Address": "192.0.2.80",  # TEST-NET-1, RFC 5737
    }
    record = writer.create_warc_record(
        capture.url, "request", payload=BytesIO(b""), http_headers=http, warc_headers_dict=headers
    )
    writer.write_record(record)


def _write_response(writer: WARCWriter, capture: Capture, common: dict[str, str]) -> None:
    http = StatusAndHeaders(capture.status, list(capture.headers), protocol="HTTP/1.1")
    headers = common | {
        "WARC-Record-ID": capture.record_id,
        "WARC-IP-Address": "192.0.2.80",
        "WARC-Identified-Payload-Type": _payload_type(capture.body),
    }
    if capture.truncated:
        headers["WARC-Truncated"] = capture.truncated
    record = writer.create_warc_record(
        capture.url, "response", payload=BytesIO(capture.body), http_headers=http, warc_headers_dict=headers
    )
    writer.write_record(record)


def _write_metadata(writer: WARCWriter, capture: Capture, common: dict[str, str]) -> None:
    headers = common | {
        "WARC-Record-ID": record_id(capture.record_id, "metadata"),
        "WARC-Concurrent-To": capture.record_id,
        "Content-Type": "application/warc-fields",
    }
    body = f"fetchTimeMs: {100 + len(capture.body) % 400}\r\n".encode()
    record = writer.create_warc_record(capture.url, "metadata", payload=BytesIO(body), warc_headers_dict=headers)
    writer.write_record(record)


def _payload_type(body: bytes) -> str:
    if body.startswith(b"%PDF"):
        return "application/pdf"
    return "image/png" if body.startswith(b"\x89PNG") else "text/html"


def _damage(held: BytesIO, start: int, how: str) -> None:
    """Harms the gzip member that reaches from `start` to the end of `held`."""
    middle = (start + held.tell()) // 2
    if how == "cut":
        held.truncate(middle)
        held.seek(middle)
        return
    with held.getbuffer() as view:
        for at in range(middle, middle + _FLIPPED_BYTES):
            view[at] ^= 0xFF
