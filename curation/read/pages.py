"""Pages of one split: every page of the input comes out exactly once, alive or with the fate that reading gave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from curation.document import document_id
from curation.errors import StoreError, UnavailableError
from curation.page import Page
from curation.read.address import clean_url, host_of
from curation.read.budgets import Budgets
from curation.read.charset import decode
from curation.read.digest import digest_differs
from curation.read.filekind import inspect, is_arc
from curation.read.http import TooLarge, parse_response, undo_codings
from curation.read.payload import HTML, sniff
from curation.read.report import UNKNOWN, SplitReport
from curation.read.reservations import reservations
from curation.read.rows import read_jsonl, read_parquet
from curation.read.splits import Split
from curation.read.tape import Tape
from curation.read.warc import Record, is_gzipped, read_records
from curation.stores.access import is_remote

STAGE, BAD_ROW = "read", "read.bad_row"


def read_pages(split: Split, report: SplitReport, *, budgets: Budgets = Budgets()) -> Iterator[Page]:
    """Pages of a split in file order. Bad data never raises: it becomes fates, and counts in `report`.

    A page per `response` and `conversion` record, per `resource` record that is HTML, per row of JSONL and Parquet, and
    per damaged stretch of which nothing is known. Fates: `read.` + http_status, not_html, empty, damaged, truncated,
    too_large, timeout, bad_row. `page.html` holds the decoded body, or `page.text` the text of WET and rows.
    """
    try:
        by_bytes = split.file.kind != "parquet"
        with Tape(split.file.path, until=split.end if by_bytes else 0) as tape:
            problem = _changed(split, tape) or inspect(tape, split.file.kind, split.file.name)
            if problem:
                report.worsen(*problem)
                return
            for page in _pages(split, tape, report, budgets):
                report.pages += 1
                if page.dropped_by:
                    report.fates[page.dropped_by] += 1
                    if page.dropped_by == BAD_ROW and not report.bad_row:
                        report.bad_row = page.error or ""
                yield page
    except UnavailableError as error:
        report.worsen("unavailable", str(error))
    except StoreError as error:
        report.worsen("unreadable", str(error))
    except OSError as error:
        report.worsen("unreadable", f"{split.file.path}: {error}")
    report.finish()


def _changed(split: Split, tape: Tape) -> tuple[str, str] | None:
    """A remote file that is another one than when the run was planned: its splits would not fit together."""
    if not is_remote(split.file.path) or tape.size == split.file.size:
        return None
    before = f"{split.file.size} bytes" if split.file.size else "nothing to be had"
    return "unreadable", f"{split.file.path} has {tape.size} bytes, and there was {before} when the run was planned"


def _pages(split: Split, tape: Tape, report: SplitReport, budgets: Budgets) -> Iterator[Page]:
    if split.file.kind == "parquet":
        yield from read_parquet(split, report, budgets)
    elif split.file.kind == "jsonl":
        yield from read_jsonl(split, tape, report, budgets)
    else:
        yield from _record_pages(split, tape, report, budgets)
    if split.file.kind == "parquet":  # ranges are row groups: the file's bytes count once, with the first
        report.bytes_read = 0 if split.start else tape.size
    else:
        report.bytes_read = min(split.end, tape.size) - split.start


def _record_pages(split: Split, tape: Tape, report: SplitReport, budgets: Budgets) -> Iterator[Page]:
    gzipped = is_gzipped(tape, split.file.name)
    arc = is_arc(tape, split.file.name, gzipped=gzipped)
    for record in read_records(tape, split.start, split.end, gzipped=gzipped, arc=arc, budgets=budgets):
        report.records[record.type or UNKNOWN] += 1
        fault = record.fault
        if fault and fault.kind in ("damaged", "truncated", "timeout"):
            report.damage(record.offset, record.end, fault.kind, fault.message)
        page = _page(split, record, budgets)
        if page is not None:
            if (
                not gzipped
                and record.block
                and digest_differs(record.block, record.fields.get("warc-block-digest", ""))
            ):
                page.notes["digest"] = "differs"  # a note, not a fate: writers get digests wrong too
            yield page


def _page(split: Split, record: Record, budgets: Budgets) -> Page | None:
    """The page of a record, None where its type has none."""
    if record.type not in ("", "response", "conversion", "resource"):
        return None
    page = _identified(split, record)
    if record.fault:
        if record.type == "resource":
            return None
        where = f"{split.file.name} at byte {record.offset}"
        page.drop(STAGE, record.fault.kind, error=f"{record.fault.message} ({where})")
    elif record.type == "conversion":
        _fill_text(page, record)
    elif record.type == "resource":
        label = record.fields.get("content-type", "").split(";")[0].strip().lower()
        if sniff(record.block, label) != HTML:
            return None
        _fill_html(page, record.block, None, {})
    else:
        _fill_response(page, record, budgets)
    return page


def _identified(split: Split, record: Record) -> Page:
    file, fields = split.file, record.fields
    url = clean_url(fields.get("warc-target-uri", ""))
    record_id = fields.get("warc-record-id", "").strip("<> ")
    if not record_id and record.inner:
        record_id = f"@{record.inner}"  # ARC records that share a gzip member: the offset alone is no identity
    page = Page(
        url=url, host=host_of(url), source=file.source, snapshot=file.snapshot, date=fields.get("warc-date", ""),
        warc_file=file.name, warc_offset=record.offset, record_id=record_id,
        doc_id=document_id(file.source, file.snapshot, file.name, record.offset, record_id),
    )  # fmt: skip
    if truncated := fields.get("warc-truncated"):
        page.notes["truncated"] = truncated
    return page


def _fill_text(page: Page, record: Record) -> None:
    page.text = record.block.decode("utf-8", "replace")
    if not page.text.strip():
        page.drop(STAGE, "empty")


def _fill_response(page: Page, record: Record, budgets: Budgets) -> None:
    declared = record.fields.get("content-type", "")
    response = parse_response(record.block)
    if response.status not in ("", "200"):
        page.drop(STAGE, "http_status", response.status)
        return
    try:
        undo_codings(response, budgets.max_record_bytes)
    except TooLarge as error:
        page.drop(STAGE, "too_large", error=f"{error} ({page.warc_file} at byte {page.warc_offset})")
        return
    if response.notes:
        page.notes["encoding"] = "; ".join(response.notes)
    label = response.media_type or record.fields.get("warc-identified-payload-type", "").strip().lower()
    if not label and not declared.startswith("application/http"):
        label = declared.split(";")[0].strip().lower()
    if not response.body.strip(b"\0\t\n\r "):
        page.drop(STAGE, "empty")
        return
    kind = sniff(response.body, label)
    if kind != HTML:
        page.drop(STAGE, "not_html", kind)
        return
    _fill_html(page, response.body, response.charset, response.headers)


def _fill_html(page: Page, body: bytes, http_charset: str | None, headers: Mapping[str, str]) -> None:
    decoded = decode(body, http_charset)
    page.html = decoded.text
    page.notes["charset"], page.notes["charset_step"] = decoded.charset, decoded.step
    if decoded.replaced:
        page.notes["replaced"] = str(decoded.replaced)
    page.notes |= reservations(headers, decoded.text)
