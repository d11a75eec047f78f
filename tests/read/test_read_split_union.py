"""Splits: whatever the size, together they are the file, each record once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import InputError
from curation.read.file import InputFile
from curation.read.splits import parse_size, plan_splits
from tests.read.made_warcs import html, input_file, other, read_all, response


def _records(gzip: bool) -> list[bytes]:
    found = [other("warcinfo", gzip=gzip)]
    for i in range(12):
        url = f"http://site{i}.example/"
        found += [other("request", url=url, gzip=gzip), response(html(f"{i} " * 300 * (i % 5)), url, gzip=gzip)]
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, InputFile]:
    folder = tmp_path_factory.mktemp("splits")
    packed, plain = b"".join(_records(True)), b"".join(_records(False))
    third = len(packed) // 3
    rows = "".join(f'{{"text": "row {i} {"x" * (i % 7) * 40}"}}\n' for i in range(80)).encode()
    return {
        "gzip": input_file(folder, packed),
        "gzip damaged": input_file(folder, packed[:third] + b"\0" * 90 + packed[third + 90 :], "damaged.warc.gz"),
        "gzip cut": input_file(folder, packed[:-30], "cut.warc.gz"),
        "one member": input_file(folder, gzip_whole(plain), "one.warc.gz"),
        "plain": input_file(folder, plain, "plain.warc"),
        "plain damaged": input_file(folder, plain[:3000] + b"#" * 500 + plain[3500:], "damaged.warc"),
        "jsonl": input_file(folder, rows, "rows.jsonl", "jsonl"),
        "jsonl without last line end": input_file(folder, rows[:-1], "rows2.jsonl", "jsonl"),
    }


def gzip_whole(data: bytes) -> bytes:
    return gzip.compress(data)


KINDS = [
    "gzip",
    "gzip damaged",
    "gzip cut",
    "one member",
    "plain",
    "plain damaged",
    "jsonl",
    "jsonl without last line end",
]


@pytest.mark.parametrize("kind", KINDS)
@given(split_size=st.integers(64, 9000))
@settings(max_examples=12, deadline=None)
def test_the_union_of_splits_of_any_size_is_the_file(files, kind, split_size):
    whole, report = read_all(files[kind])
    parts, merged = read_all(files[kind], split_size)
    assert [(p.doc_id, p.url, p.html, p.text, p.dropped_by) for p in parts] == [
        (p.doc_id, p.url, p.html, p.text, p.dropped_by) for p in whole
    ]
    for key in ("state", "records", "pages", "fates", "damaged", "regions", "bytes_read"):
        assert merged[key] == report[key], key
    assert len(whole) >= 11


def test_the_union_holds_where_a_record_carries_an_uncompressed_warc(tmp_path):
    inner = b"".join(response(html(f"inner {i}"), f"http://inner{i}.example/") for i in range(50))
    carrier = gzip.compress(gzip.decompress(response(inner, "http://outer.example/crawl.warc.gz")), 0)
    data = b"".join([*_records(True)[:5], carrier, *_records(True)[5:]])
    file = input_file(tmp_path, data)
    whole, _ = read_all(file)
    parts, _ = read_all(file, 512)
    assert [p.doc_id for p in parts] == [p.doc_id for p in whole]
    assert not any("inner" in p.url for p in parts)


@pytest.mark.real
def test_a_real_file_in_splits_of_one_mib_equals_the_whole(real_data):
    path = min((real_data / "snapshots").rglob("*.warc.gz"))
    file = InputFile(str(path), path.name, "warc", "web", "", path.stat().st_size)
    whole, report = read_all(file)
    parts, merged = read_all(file, 1 << 20)
    assert merged.pop("splits") == -(-file.size // (1 << 20)) and report.pop("splits") == 1
    assert merged == report
    assert [(p.doc_id, p.html) for p in parts] == [(p.doc_id, p.html) for p in whole]


@given(size=st.integers(0, 10**7), split_size=st.integers(1, 10**6))
@settings(max_examples=60)
def test_splits_cover_each_byte_once(size, split_size):
    splits = plan_splits([InputFile("x", "x", "warc", "web", "", size)], max(split_size, size // 50 + 1))
    assert [s.start for s in splits] == [0, *(s.end for s in splits[:-1])]
    assert splits[-1].end == size
    assert all(s.end - s.start <= max(split_size, size // 50 + 1) for s in splits)


def test_compressed_jsonl_stays_whole_and_plain_is_split(tmp_path):
    rows = b'{"text": "a"}\n' * 100
    plain = input_file(tmp_path, rows, "a.jsonl", "jsonl")
    packed = input_file(tmp_path, gzip.compress(rows), "a.jsonl.gz", "jsonl")
    assert len(plan_splits([plain], 100)) == 14
    assert len(plan_splits([packed], 10)) == 1


def test_parquet_is_split_by_row_groups(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"text": [f"text {i}" for i in range(100)]}), path, row_group_size=10)
    file = InputFile(str(path), path.name, "parquet", "wiki", "", path.stat().st_size)
    assert [(s.start, s.end) for s in plan_splits([file], 1)] == [(i, i + 1) for i in range(10)]
    whole, _ = read_all(file)
    parts, merged = read_all(file, 1)
    assert [p.doc_id for p in parts] == [p.doc_id for p in whole] and len({p.doc_id for p in whole}) == 100
    assert merged["state"] == "complete" and merged["records"] == {"row": 100}
    assert merged["bytes_read"] == file.size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("128MiB", 128 << 20),
        ("1 GB", 10**9),
        ("512", 512),
        (4096, 4096),
        ("2k", 2048),
        ("0.5KiB", 512),
        ("64mib", 64 << 20),
    ],
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MiB", "12 parsecs", "-3MB", "1e6"])
def test_a_size_that_is_none_is_refused_with_its_text(text):
    with pytest.raises(InputError, match="128MiB"):
        parse_size(text)


def test_a_split_size_below_one_byte_is_refused():
    with pytest.raises(InputError, match="split size 0"):
        plan_splits([], 0)


def test_an_empty_file_still_has_a_split_that_reports_it(tmp_path: Path):
    pages, report = read_all(input_file(tmp_path, b""))
    assert (pages, report["state"], report["splits"]) == ([], "empty", 1)
