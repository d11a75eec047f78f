"""Each page record is one page with its identity, and bad ones carry the fate that says why."""

from __future__ import annotations

import brotli
import pytest

from curation.document import document_id
from curation.read.budgets import Budgets
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import Split
from tests.read.made_warcs import html, input_file, other, read_all, response


def one(tmp_path, record: bytes, budgets: Budgets = Budgets()):
    (page,), _ = read_all(input_file(tmp_path, record), budgets=budgets)
    return page


def test_a_good_page_has_text_url_host_date_and_a_reproducible_identity(tmp_path):
    first = other("warcinfo")
    pages, _ = read_all(input_file(tmp_path, first + response(html("caf\u00e9"), "http://User@Site.Example:8080/a")))
    (page,) = pages
    assert page.alive and "caf\u00e9" in page.html and page.text == "" and page.trail == []
    assert (page.host, page.date, page.warc_offset) == ("site.example", "2024-02-20T10:00:00Z", len(first))
    assert (page.source, page.snapshot, page.warc_file) == ("web", "TEST-2024-10", "made.warc.gz")
    assert page.doc_id == document_id("web", "TEST-2024-10", "made.warc.gz", page.warc_offset, page.record_id)
    assert page.notes == {"charset": "utf-8", "charset_step": "utf8"}


@pytest.mark.parametrize(
    ("body", "media_type", "status", "fate", "value"),
    [
        (b"<h1>gone</h1>", "text/html", "404 Not Found", "read.http_status", "404"),
        (b"", "text/html", "301 Moved", "read.http_status", "301"),
        (b" \r\n\t ", "text/html", "200 OK", "read.empty", None),
        (b"\0" * 50, "text/html", "200 OK", "read.empty", None),
        (b"%PDF-1.4 ...", "text/html", "200 OK", "read.not_html", "pdf"),
        (b"\x89PNG\r\n\x1a\n...", "text/html", "200 OK", "read.not_html", "image"),
        (b"User-agent: *\nDisallow: /", "text/plain", "200 OK", "read.not_html", "text/plain"),
        (b'{"a": [1, 2]}', "text/html", "200 OK", "read.not_html", "json"),
        (b'<?xml version="1.0"?><rss version="2.0"></rss>', "text/html", "200 OK", "read.not_html", "feed"),
    ],
    ids=["404", "redirect", "blank", "zeros", "pdf", "png", "robots", "json", "feed"],
)
def test_what_is_no_html_page_gets_the_fate_that_says_so(tmp_path, body, media_type, status, fate, value):
    page = one(tmp_path, response(body, headers=[("Content-Type", media_type)], status=status))
    assert (page.dropped_by, page.dropped_value, page.html) == (fate, value, None)


def test_a_status_line_without_reason_phrase_is_a_page(tmp_path):
    assert one(tmp_path, response(html("x"), status="200 ")).alive


def test_html_under_a_wrong_label_is_a_page(tmp_path):
    assert one(tmp_path, response(html("x"), headers=[("Content-Type", "text/plain")])).alive


def test_requests_metadata_warcinfo_and_revisits_are_counted_and_are_no_pages(tmp_path):
    records = [other(kind, b"", "urn:site") for kind in ("warcinfo", "request", "metadata", "revisit", "metadata")]
    pages, report = read_all(input_file(tmp_path, b"".join(records)))
    assert pages == [] and report["state"] == "complete"
    assert report["records"] == {"warcinfo": 1, "request": 1, "metadata": 2, "revisit": 1}


def test_a_resource_record_is_a_page_when_it_is_html(tmp_path):
    data = other("resource", html("kept")) + other("resource", b"GIF89a....") + other("resource", b"just a log\n")
    pages, report = read_all(input_file(tmp_path, data))
    assert [page.alive for page in pages] == [True] and report["records"] == {"resource": 3}


def test_a_conversion_record_is_text(tmp_path):
    data = other("conversion", "Gr\u00fc\u00dfe".encode()) + other("conversion", b"  \n")
    pages, _ = read_all(input_file(tmp_path, data, "made.warc.wet.gz", "wet"))
    assert pages[0].text == "Gr\u00fc\u00dfe" and pages[0].html is None
    assert pages[1].dropped_by == "read.empty"


def test_a_body_the_crawler_cut_is_a_page_with_a_note(tmp_path):
    page = one(tmp_path, response(html("x")[:60], fields={"WARC-Truncated": "length"}))
    assert page.alive and page.notes["truncated"] == "length"


@pytest.mark.parametrize("gzip", [True, False], ids=["gzip", "plain"])
def test_a_record_over_the_budget_is_a_fate_and_the_next_one_is_read(tmp_path, gzip):
    data = response(html("a" * 5000), "http://big.example/", gzip=gzip) + response(html("b"), gzip=gzip)
    file = input_file(tmp_path, data, "made.warc.gz" if gzip else "made.warc")
    pages, report = read_all(file, budgets=Budgets(max_record_bytes=2000))
    assert [page.dropped_by for page in pages] == ["read.too_large", None]
    assert pages[0].url == "http://big.example/" and report["state"] == "complete"


def test_a_body_that_grows_over_the_budget_when_decoded_is_a_fate(tmp_path):
    body = brotli.compress(html("a" * 100_000))
    page = one(tmp_path, response(body, headers=[("Content-Encoding", "br")]), Budgets(max_record_bytes=20_000))
    assert page.dropped_by == "read.too_large" and "20000" in page.error


def test_a_record_that_takes_too_long_is_a_fate_and_the_rest_is_read(tmp_path):
    data = response(html("a" * 50_000)) + response(html("b"))
    pages, report = read_all(input_file(tmp_path, data), budgets=Budgets(seconds=-1.0))
    assert {page.dropped_by for page in pages} == {"read.timeout"}
    assert len(pages) == 2 and report["damaged"] == 2


def test_a_record_without_http_header_is_taken_as_body(tmp_path):
    page = one(tmp_path, other("response", html("x"), url="dns:site.example"))
    assert page.alive and "no HTTP header" in page.notes["encoding"]


def test_a_url_in_angle_brackets_with_spaces_is_cleaned(tmp_path):
    page = one(tmp_path, other("resource", html("x"), url="<http://a.example/x y>"))
    assert (page.url, page.host) == ("http://a.example/x%20y", "a.example")


def test_a_reader_that_stops_early_is_reported_as_unfinished(tmp_path):
    file = input_file(tmp_path, response(html("a")) + response(html("b")))
    report = SplitReport(Split(file, 0, file.size))
    next(read_pages(report.split, report))
    assert report.to_dict()["state"] == "unfinished"
