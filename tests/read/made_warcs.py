"""Small WARC files for the tests, written with warcio, and the plain way to read a whole input."""

from __future__ import annotations

import io
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from curation.page import Page
from curation.read.budgets import Budgets
from curation.read.file import InputFile
from curation.read.pages import read_pages
from curation.read.report import SplitReport, merge_reports
from curation.read.splits import plan_splits

HTML = b"<!doctype html><html><head><title>t</title></head><body><p>%s</p></body></html>"


def html(text: str) -> bytes:
    return HTML % text.encode("utf-8")


def response(
    body: bytes,
    url: str = "http://site.example/",
    *,
    headers: list[tuple[str, str]] | None = None,
    status: str = "200 OK",
    gzip: bool = True,
    fields: dict[str, str] | None = None,
) -> bytes:
    """One response record as it stands in a file: one gzip member, or plain."""
    http = StatusAndHeaders(status, headers or [("Content-Type", "text/html")], protocol="HTTP/1.1")
    return _record(url, "response", body, gzip, http_headers=http, warc_headers_dict=fields or {})


def other(
    kind: str, body: bytes = b"GET / HTTP/1.1\r\n\r\n", url: str = "http://site.example/", *, gzip: bool = True
) -> bytes:
    """A record of another type, without HTTP headers."""
    return _record(url, kind, body, gzip, warc_content_type="text/plain")


def _record(url: str, kind: str, body: bytes, gzip: bool, **kwargs) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=gzip)
    kwargs.setdefault("warc_headers_dict", {})
    kwargs["warc_headers_dict"].setdefault("WARC-Record-ID", f"<urn:test:{kind}:{url}>")
    kwargs["warc_headers_dict"].setdefault("WARC-Date", "2024-02-20T10:00:00Z")
    writer.write_record(writer.create_warc_record(url, kind, payload=io.BytesIO(body), **kwargs))
    return out.getvalue()


def input_file(folder: Path, data: bytes, name: str = "made.warc.gz", kind: str = "warc") -> InputFile:
    path = folder / name
    path.write_bytes(data)
    return InputFile(str(path), name, kind, "web", "TEST-2024-10", len(data))


def read_all(file: InputFile, split_size: int = 1 << 30, budgets: Budgets = Budgets()) -> tuple[list[Page], dict]:
    """Pages of all splits of a file, in order, and the merged report."""
    pages: list[Page] = []
    reports = []
    for split in plan_splits([file], split_size):
        report = SplitReport(split)
        pages += read_pages(split, report, budgets=budgets)
        reports.append(report.to_dict())
    (merged,) = merge_reports(reports)
    assert merged["pages"] == len(pages)
    return pages, merged
