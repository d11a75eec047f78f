"""JSON lines and Parquet: a page per row, a fate per bad row, and damage that is told."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from curation.document import to_batch
from curation.read.budgets import Budgets
from tests.read.made_warcs import input_file, read_all

ROWS = [{"text": f"Text {i}: Gr\u00fc\u00dfe.", "url": f"https://A{i}.example/x", "id": f"row-{i}"} for i in range(50)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
PACKERS = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}


def jsonl(folder, data: bytes, ending: str = ""):
    return input_file(folder, data, f"rows.jsonl{ending}", "jsonl")


@pytest.mark.parametrize("ending", PACKERS)
def test_json_lines_are_pages_with_identity_in_any_packing(tmp_path, ending):
    pages, report = read_all(jsonl(tmp_path, PACKERS[ending](LINES), ending))
    assert [(p.text, p.url, p.record_id) for p in pages] == [(r["text"], r["url"], r["id"]) for r in ROWS]
    assert pages[3].host == "a3.example" and pages[3].warc_offset == LINES.index(b'{"text": "Text 3:')
    assert report["state"] == "complete" and len({p.doc_id for p in pages}) == 50


def test_gzip_members_in_a_row_are_one_text(tmp_path):
    pages, report = read_all(jsonl(tmp_path, gzip.compress(LINES[:1000]) + gzip.compress(LINES[1000:]), ".gz"))
    assert len(pages) == 50 and report["state"] == "complete"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'{"text": "cut', "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b'["text"]', "not an object"),
        (b'{"title": "x"}', "no text"),
        (b'{"text": null}', "no text"),
        (b'{"text": ["a"]}', "no text"),
        (b"[" * 100_000, "not JSON"),
    ],
    ids=["cut", "bytes", "list", "other columns", "null", "list as text", "deep"],
)
def test_a_bad_line_is_a_fate_and_the_others_are_read(tmp_path, line, value):
    pages, report = read_all(jsonl(tmp_path, LINES[:100].split(b"\n")[0] + b"\n" + line + b"\n\n" + b'{"text": "ok"}'))
    assert [page.dropped_by for page in pages] == [None, "read.bad_row", None]
    assert pages[1].dropped_value == value and "rows.jsonl" in pages[1].error
    assert report["state"] == "complete" and report["records"] == {"row": 3}


def test_the_error_of_a_row_without_text_names_its_columns(tmp_path):
    (page,), _ = read_all(jsonl(tmp_path, b'{"title": "x", "body": "y"}\n'))
    assert "title, body" in page.error


def test_blank_text_is_empty_and_blank_lines_are_no_rows(tmp_path):
    pages, _ = read_all(jsonl(tmp_path, b'\n  \n{"text": " "}\r\n\r\n'))
    assert [page.dropped_by for page in pages] == ["read.empty"]


def test_half_a_surrogate_pair_becomes_a_replacement_character(tmp_path):
    (page,), _ = read_all(jsonl(tmp_path, b'{"text": "a\\ud800b", "id": "\\udfff"}\n'))
    assert (page.text, page.record_id) == ("a\ufffdb", "\ufffd")


@pytest.mark.parametrize(("ending", "state"), [(".gz", "truncated"), (".zst", "truncated")])
def test_a_cut_file_gives_the_lines_before_the_cut(tmp_path, ending, state):
    rows = "".join(json.dumps({"text": f"{i * 7919 % 10007} {i}"}) + "\n" for i in range(60_000)).encode()
    packed = PACKERS[ending](rows)
    pages, report = read_all(jsonl(tmp_path, packed[: len(packed) // 2], ending))
    good = [page for page in pages if page.alive]
    assert [page.text for page in good] == [json.loads(line)["text"] for line in rows.split(b"\n")[: len(good)]]
    assert len(good) > 15_000 and report["state"] == state
    assert set(report["fates"]) <= {"read.truncated"}


def test_a_damaged_gzip_file_says_so(tmp_path):
    packed = bytearray(gzip.compress(LINES))
    packed[len(packed) // 2] ^= 0xFF
    _, report = read_all(jsonl(tmp_path, bytes(packed), ".gz"))
    assert report["state"] == "damaged" and report["damaged"] == 1


@pytest.mark.parametrize("split_size", [100, 1 << 20])
def test_a_line_over_the_budget_is_a_fate_and_the_others_are_read(tmp_path, split_size):
    data = b'{"text": "a"}\n{"text": "' + b"b" * (3 << 20) + b'"}\n{"text": "c"}\n'
    file = jsonl(tmp_path, data)
    pages, _ = read_all(file, max(split_size, 1 << 19), Budgets(max_record_bytes=1000))
    assert [(page.text, page.dropped_by) for page in pages] == [("a", None), ("", "read.too_large"), ("c", None)]


def test_an_error_page_saved_as_json_lines_is_an_error_page(tmp_path):
    _, report = read_all(jsonl(tmp_path, b"<html><h1>503</h1></html>"))
    assert report["state"] == "error_page"


def parquet(folder, columns: dict, **kwargs):
    path = folder / "rows.parquet"
    pq.write_table(pa.table(columns), path, **kwargs)
    return input_file(folder, path.read_bytes(), "rows.parquet", "parquet")


def test_parquet_columns_of_published_sets_are_understood(tmp_path):
    columns = {
        "raw_content": ["x", "", None],
        "url": ["http://a.example/", None, None],
        "timestamp": [datetime(2024, 2, 20, 10, tzinfo=UTC)] * 3,
        "language": ["de", "en", "en"],
        "language_score": [0.9, 0.5, 0.5],
        "unused": [1, 2, 3],
    }
    pages, report = read_all(parquet(tmp_path, columns))
    assert [page.dropped_by for page in pages] == [None, "read.empty", "read.bad_row"]
    first = pages[0]
    assert (first.text, first.host, first.date) == ("x", "a.example", "2024-02-20T10:00:00Z")
    assert (first.language, first.language_score, first.warc_offset) == ("de", 0.9, 0)
    assert report["state"] == "complete"


def test_parquet_without_a_text_column_is_refused_with_its_columns(tmp_path):
    _, report = read_all(parquet(tmp_path, {"title": ["x"], "body": ["y"]}))
    assert report["state"] == "unreadable" and "title, body" in report["error"]


def test_a_damaged_row_group_costs_that_group_only(tmp_path):
    texts = [f"text {i} " + "pad " * 50 for i in range(40)]
    file = parquet(tmp_path, {"text": texts}, row_group_size=10, use_dictionary=False, compression="zstd")
    column = pq.read_metadata(file.path).row_group(1).column(0)
    data = bytearray((tmp_path / "rows.parquet").read_bytes())
    start = column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    pages, report = read_all(input_file(tmp_path, bytes(data), "rows.parquet", "parquet"))
    assert [page.text for page in pages if page.alive] == texts[:10] + texts[20:]
    assert report["fates"] == {"read.damaged": 1} and report["regions"] == [[10, 20, "damaged"]]


def test_a_cut_parquet_file_is_unreadable(tmp_path):
    file = parquet(tmp_path, {"text": ["a", "b"]})
    data = (tmp_path / "rows.parquet").read_bytes()[:-20]
    _, report = read_all(input_file(tmp_path, data, file.name, "parquet"))
    assert report["state"] == "unreadable"


@pytest.mark.parametrize(
    ("line", "fate"),
    [
        pytest.param(b'{"\\ud800": 1}', "read.bad_row", id="a key of half a surrogate pair, told in the error"),
        pytest.param(b'{"text": "x", "url": "http://a.example/\\udfff", "id": "\\ud800"}', None, id="half a pair"),
        pytest.param(b'{"text": "x", "language_score": 1' + 400 * b"0" + b"}", None, id="an endless number"),
        pytest.param(b'{"text": "x", "date": "\\ud800"}', None, id="half a pair for a date"),
    ],
)
def test_whatever_stands_in_a_row_can_be_written(tmp_path, line, fate):
    """Each of these ended the whole run: no Arrow column holds half a character, and no float such a number."""
    pages, _ = read_all(jsonl(tmp_path, line + b'\n{"text": "y"}'))
    assert [page.dropped_by for page in pages] == [fate, None]
    assert to_batch(pages).num_rows == 2


def test_times_of_rows_are_told_in_utc_so_that_they_compare(tmp_path):
    written = [
        "2024-03-01T00:30:00+02:00",
        "2024-02-29 23:00:00",
        1709251200,
        "20240301",
        20240301123000,
        "2024",
        "last May",
    ]
    pages, _ = read_all(jsonl(tmp_path, b"\n".join(json.dumps({"text": "x", "date": one}).encode() for one in written)))
    assert [page.date for page in pages] == [
        "2024-02-29T22:30:00Z", "2024-02-29T23:00:00Z", "2024-03-01T00:00:00Z", "2024-03-01", "2024-03-01T12:30:00Z",
        "2024", "",
    ]  # fmt: skip
    assert [page.notes.get("date") for page in pages] == [None] * 6 + ["last May"]
    (page,), _ = read_all(jsonl(tmp_path, b'{"text": "x", "date": "last May", "timestamp": "2024-05-01"}'))
    assert (page.date, page.notes) == ("2024-05-01", {})


def test_a_time_beyond_the_calendar_is_unknown_and_costs_no_row(tmp_path):
    times = pa.array([10**15, 0], pa.int64()).cast(pa.timestamp("s"))
    pages, report = read_all(parquet(tmp_path, {"text": ["x", "y"], "date": times}))
    assert [(page.text, page.date) for page in pages] == [("x", ""), ("y", "1970-01-01T00:00:00Z")]
    assert report["state"] == "complete"


def test_rows_of_which_none_has_a_text_are_an_unreadable_file_and_one_is_enough_to_be_read(tmp_path):
    _, report = read_all(jsonl(tmp_path, b'{"body": "x", "nr": 1}\n{"body": "y"}\n'))
    assert (
        report["state"] == "unreadable"
        and "no column text, content, raw_content; its columns: body, nr" in (report["error"])
    )
    _, report = read_all(jsonl(tmp_path, b'{"body": "x", "nr": 1}\n{"text": "y"}\n'))
    assert report["state"] == "complete"
    _, report = read_all(jsonl(tmp_path, b'{"body": "x", "nr": 1}\n{"text": " "}\n'))  # blank, but a text
    assert report["state"] == "complete"
    _, report = read_all(parquet(tmp_path, {"text": [["a"], ["b"]]}))
    assert report["state"] == "unreadable" and "a text of type list" in report["error"]


def test_numbers_that_no_column_holds_cost_themselves(tmp_path):
    big = b"1" + b"0" * 400
    line = b'{"text": "a", "language_score": %s, "id": %s, "date": 1e999}\n' % (big, big)
    (page, after), report = read_all(jsonl(tmp_path, line + b'{"text": "b", "language_score": 1}\n'))
    assert (page.text, page.language_score, page.record_id) == ("a", 0.0, big.decode())
    assert (after.text, after.language_score) == ("b", 1.0) and report["state"] == "complete"


def test_parquet_values_that_python_cannot_hold_cost_themselves(tmp_path):
    seconds = [1, 2**40, -(2**40), None]
    broken = pa.array([b"a", b"\xff\xfe", b"c", b"d"]).view(pa.string())  # says it is UTF-8 and is not
    columns = {"text": broken, "date": pa.array([s and s * 10**6 for s in seconds], pa.timestamp("us"))}
    pages, report = read_all(parquet(tmp_path, columns))
    assert [page.text for page in pages if page.alive] == ["a", "c", "d"]
    assert [page.date for page in pages] == ["1970-01-01T00:00:01Z", "", "", ""]
    assert pages[1].dropped_by == "read.bad_row" and "utf-8" in pages[1].error and report["state"] == "complete"
    edge = pa.array([-62135596800_000_000], pa.timestamp("us", "+05:00"))  # year 1, and in UTC before it
    ((page,), _) = read_all(parquet(tmp_path, {"text": ["a"], "date": edge}))
    assert page.alive


def test_the_column_with_the_text_can_be_named(tmp_path):
    """The named column alone counts then: a `text` beside it is another thing."""
    line = b'{"text": "a title", "body": "the text"}'
    for file in (jsonl(tmp_path, line), parquet(tmp_path, {"text": ["a title"], "body": ["the text"]})):
        for named, expected in (("", "a title"), ("body", "the text")):
            (page,), report = read_all(replace(file, text=named))
            assert (page.text, report["state"]) == (expected, "complete")
        _, report = read_all(replace(file, text="bodi"))
        assert report["state"] == "unreadable" and "no column bodi; its columns: text, body" in report["error"]
