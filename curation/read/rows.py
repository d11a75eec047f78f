"""Text that comes as rows: JSON lines (plain, gzip, zstd) and Parquet, as Wikipedia, code and published sets do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curation.document import document_id
from curation.errors import StoreError
from curation.page import Page
from curation.read.address import host_of
from curation.read.budgets import Budgets
from curation.read.flow import PlainStream, Stream
from curation.read.members import TRUNCATED
from curation.read.report import UNKNOWN, SplitReport
from curation.read.splits import Split
from curation.read.tape import Tape, parquet_source
from curation.read.times import iso_time
from curation.read.unpacked import unpacked

STAGE = "read"

# Names under which published sets (C4, FineWeb, RedPajama, Dolma, The Stack) keep a thing; the first one present wins.
TEXT = ("text", "content", "raw_content")
URL = ("url", "source_url", "link")
ID = ("id", "record_id", "warc_record_id", "hexsha", "doc_id", "uuid")
_DATE = ("date", "timestamp", "created", "date_download", "published")
_LANGUAGE = ("language", "lang")
_LANGUAGE_SCORE = ("language_score", "lang_score", "language_probability")
_COLUMNS = (*TEXT, *URL, *ID, *_DATE, *_LANGUAGE, *_LANGUAGE_SCORE)

_NO_VALUE = (ValueError, OverflowError, KeyError, pa.ArrowException)  # KeyError: a time zone that is not known
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_BATCH_ROWS = 256
_NOTE_CHARS = 64  # of a date that is none


def read_jsonl(split: Split, tape: Tape, report: SplitReport, budgets: Budgets) -> Iterator[Page]:
    """A page per line that starts in the split; blank lines are none. Offsets are bytes of the uncompressed text."""
    stream, lines = split_lines(split, tape, budgets.max_record_bytes)
    for offset, line, whole in lines:
        broken = not whole and stream.fault
        if line is not None and not line.strip() and not broken:
            continue
        report.records["row"] += 1
        if broken:
            page = _page(split, offset, {})
            page.drop(STAGE, _kind(stream.fault), error=f"{stream.fault} ({split.file.name}, text byte {offset})")
        elif line is None:
            page = _page(split, offset, {})
            page.drop(STAGE, "too_large", error=f"a line of more than {budgets.max_record_bytes} bytes")
        else:
            page = _line_page(split, offset, line)
        yield page
    if stream.fault:
        report.damage(0, tape.size, _kind(stream.fault), f"{stream.fault}; lines before it were read")


def split_lines(split: Split, tape: Tape, limit: int) -> tuple[Stream, Iterator[tuple[int, bytes | None, bool]]]:
    """The text of a JSONL file, and (offset, line, whole) of each line that starts in the split.

    A line over `limit` bytes is None. `whole` is false for a last line without its end; the stream's `fault` then tells
    whether the file broke off. Offsets are bytes of the uncompressed text; a compressed file is one split.
    """
    start = max(0, split.start - 1)  # one byte early: a line end there means that a line starts at split.start
    stream, stop = unpacked(tape, start), split.end
    if not isinstance(stream, PlainStream):
        start, stop = 0, 1 << 62

    def inside() -> Iterator[tuple[int, bytes | None, bool]]:
        for offset, line, whole in _lines(stream, start, limit):
            if offset >= stop:
                return
            if offset >= split.start:
                yield offset, line, whole

    return stream, inside()


def read_parquet(split: Split, report: SplitReport, budgets: Budgets) -> Iterator[Page]:
    """A page per row of the split's row groups. Offsets are row numbers in the file."""
    try:
        file = pq.ParquetFile(parquet_source(split.file.path))
    except StoreError:
        raise
    except (OSError, pa.ArrowException) as error:
        report.worsen("unreadable", f"{split.file.name} is no readable Parquet file: {error}")
        return
    if not split.end and file.metadata.num_row_groups:
        report.worsen("unreadable", f"{split.file.name} could not be opened when the run was planned, now it can")
        return
    columns, text_names = file.schema_arrow.names, _text_names(split)
    if not set(text_names) & set(columns):
        report.worsen("unreadable", f"{split.file.name} has {_no_text_column(text_names, columns)}")
        return
    wanted = [name for name in columns if name in (*_COLUMNS, *text_names)]
    row = sum(file.metadata.row_group(group).num_rows for group in range(split.start))
    for group in range(split.start, split.end):
        group_end = row + file.metadata.row_group(group).num_rows
        try:
            for batch in file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=wanted):
                for values in rows_of(batch):
                    report.records["row"] += 1
                    yield _row_page(split, row, values, budgets.max_record_bytes)
                    row += 1
        except StoreError:
            raise
        except (OSError, pa.ArrowException, ValueError) as error:
            report.records[UNKNOWN] += 1
            report.damage(row, group_end, "damaged", f"row group {group}: {error}")
            page = _page(split, row, {})
            page.drop(STAGE, "damaged", error=f"rows {row} to {group_end - 1} of {split.file.name}: {error}")
            yield page
        row = group_end


def rows_of(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows of a batch. In place of a value that Python cannot hold (text that is no UTF-8, a year after 9999)
    stands the error: it costs this value, not the batch.
    """
    columns = [plain_values(column) for column in batch.columns]
    for row in zip(*columns, strict=True):
        yield dict(zip(batch.schema.names, row, strict=True))


def plain_values(column: pa.Array) -> list[Any]:
    """A column as `pyarrow.Array.to_pylist` gives it, with the error in place of a value that Python cannot hold."""
    try:
        return column.to_pylist()
    except _NO_VALUE:
        return [_plain_value(value) for value in column]


def _plain_value(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except _NO_VALUE as error:
        return error


def _lines(stream: Stream, offset: int, limit: int) -> Iterator[tuple[int, bytes | None, bool]]:
    """(offset, line without its end, whether the end was seen) of each line; None for a line over `limit` bytes."""
    begun: list[bytes] = []  # pieces of a line whose end is still to come; joined once, not at each piece
    held = lost = 0
    while piece := stream.read(1 << 20):
        *ended, rest = piece.split(b"\n")
        for end in ended:
            line = b"".join([*begun, end]) if begun else end
            yield offset, None if lost or len(line) > limit else line, True
            offset += lost + len(line) + 1
            held = lost = 0
            begun = []
        if rest:
            begun.append(rest)
            held += len(rest)
        if held > limit:
            lost, held, begun = lost + held, 0, []
    if begun or lost:
        yield offset, None if lost else b"".join(begun), False


def _line_page(split: Split, offset: int, line: bytes) -> Page:
    try:
        values = json.loads(line.decode("utf-8-sig" if not offset else "utf-8"))
    except (ValueError, RecursionError) as error:
        page = _page(split, offset, {})
        page.drop(STAGE, "bad_row", "not JSON", error=f"{error} ({split.file.name} at byte {offset})")
        return page
    if not isinstance(values, dict):
        page = _page(split, offset, {})
        page.drop(
            STAGE, "bad_row", "not an object", error=f"{split.file.name} at byte {offset}: {type(values).__name__}"
        )
        return page
    return _row_page(split, offset, values, 1 << 62)


def _row_page(split: Split, offset: int, values: dict[str, Any], limit: int) -> Page:
    page = _page(split, offset, values)
    names = _text_names(split)
    text = next((values[name] for name in names if name in values), None)
    if not isinstance(text, str):
        if not set(names) & set(values):
            found = _no_text_column(names, values)
        elif text is None:
            found = "the text is null"
        elif isinstance(text, Exception):
            found = str(text)
        else:
            found = f"a text of type {type(text).__name__}"
        error = without_lone_surrogates(f"{split.file.name} at {offset}: {found}")
        page.drop(STAGE, "bad_row", "no text", error=error[:500])
    elif len(text) > limit:
        page.drop(STAGE, "too_large", len(text))
    elif not text.strip():
        page.drop(STAGE, "empty")
    else:
        page.text = without_lone_surrogates(text)
    return page


def _text_names(split: Split) -> tuple[str, ...]:
    return (split.file.text,) if split.file.text else TEXT


def _no_text_column(names: Iterable[str], columns: Iterable[Any]) -> str:
    """What one is told of rows whose text has another name, and what to do."""
    found = ", ".join(map(str, columns))
    return f"no column {', '.join(names)}; its columns: {found}; `curate run --text` names another"


def _page(split: Split, offset: int, values: dict[str, Any]) -> Page:
    file, url, record_id = split.file, _first(values, URL), _first(values, ID)
    told = [values[name] for name in _DATE if values.get(name) not in (None, "")]
    time = next(filter(None, map(iso_time, told)), "")
    page = Page(
        url=url, host=host_of(url), source=file.source, snapshot=file.snapshot, date=time,
        warc_file=file.name, warc_offset=offset, record_id=record_id, language=_first(values, _LANGUAGE),
        doc_id=document_id(file.source, file.snapshot, file.name, offset, record_id),
    )  # fmt: skip
    score = next((values[name] for name in _LANGUAGE_SCORE if name in values), None)
    if isinstance(score, (int, float)) and not isinstance(score, bool):
        with suppress(OverflowError):  # JSON can spell an integer of 4,300 digits
            page.language_score = float(score)
    if told and not time:  # what is no time would sort anywhere among times
        page.notes["date"] = without_lone_surrogates(str(told[0]))[:_NOTE_CHARS]
    return page


def _first(values: dict[str, Any], names: tuple[str, ...]) -> str:
    """The first of these columns that has a plain value, as text."""
    for name in names:
        value = values.get(name)
        if isinstance(value, date):
            return iso_time(value) or ""
        if isinstance(value, (str, int, float)) and value != "":
            return without_lone_surrogates(str(value))
    return ""


def without_lone_surrogates(text: str) -> str:
    """JSON can spell half a surrogate pair, which no Arrow column can hold."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _kind(fault: str) -> str:
    return "truncated" if fault == TRUNCATED else "damaged"
