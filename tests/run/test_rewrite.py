"""Files of a run without some documents: what is left is what was there, and nothing is lost by doing it twice."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.document import DOCUMENT, to_batch
from curation.page import Page
from curation.run.folder import RunFolder, parquet_files
from curation.run.forgotten import FATE, forgotten_ids, requests
from curation.run.rewrite import files_with, leave_fates, rewrite_without, without_messages


def save(path, pages):
    with parquet_files([(path, DOCUMENT)]) as (file,):
        file.add(to_batch(pages))
    return path


def fates(path):
    rows = pq.read_table(path, columns=["doc_id", "dropped_by", "url"], partitioning=None).to_pylist()
    return sorted((row["doc_id"], row["dropped_by"], row["url"]) for row in rows)


def pages(*ids, dropped_by=None):
    return [Page("text", url=f"https://a.example/{one}", doc_id=one, dropped_by=dropped_by) for one in ids]


def test_rows_go_and_order_and_schema_stay(tmp_path):
    path = tmp_path / "part.parquet"
    schema = pa.schema([pa.field("doc_id", pa.int64()), pa.field("unit", pa.string())], metadata={"who": "spark"})
    table = pa.table({"doc_id": [5, -3, 5, 9, 2], "unit": ["a", "b", "c", None, "e"]}, schema=schema)
    pq.write_table(table, path, row_group_size=2)
    (tmp_path / ".part.parquet.crc").write_bytes(b"of the old file")
    rewrite_without(path, {5, 77})
    left = pq.read_table(path)
    assert left.equals(table.take([1, 3, 4])) and left.schema.metadata == schema.metadata
    assert [one.name for one in tmp_path.iterdir()] == ["part.parquet"]


@pytest.mark.parametrize("times", [1, 2])
def test_pages_leave_one_row_each_however_often_it_is_done(tmp_path, times):
    alive = save(tmp_path / "alive", pages(1, 2, 2, 3))  # an input read twice gives an id twice
    dead = save(tmp_path / "dead", [*pages(4, 5, dropped_by="url.soft"), *pages(2, dropped_by="read.damaged")])
    for _ in range(times):
        leave_fates(alive, dead, {2, 4, 8})
    expected = [(2, FATE, "")] * 3 + [(4, FATE, ""), (5, "url.soft", "https://a.example/5")]
    assert fates(dead) == expected and len(fates(alive)) == 4


def test_more_can_be_forgotten_later(tmp_path):
    alive, dead = save(tmp_path / "alive", pages(1, 2)), save(tmp_path / "dead", pages(4, dropped_by="url.soft"))
    leave_fates(alive, dead, {1})
    rewrite_without(alive, {1})
    leave_fates(alive, dead, {1, 2, 4})
    assert fates(dead) == [(1, FATE, ""), (2, FATE, ""), (4, FATE, "")]


def test_files_that_hold_a_document_are_found_and_what_is_left_of_one_is_none(tmp_path):
    folder = RunFolder(tmp_path)
    held = save(folder.curated / "unit-00000.parquet", pages(1, 2))
    save(folder.curated / "unit-00001.parquet", pages(3))
    save(folder.dead(0) / "unit-00000.parquet", pages(2, dropped_by=FATE))
    also = save(folder.dead(1) / "unit-00000.parquet", pages(2, dropped_by="near_duplicates.duplicate"))
    save(folder.curated / ".unit-00009.parquet", pages(2))  # an attempt, not a result
    pq.write_table(pa.table({"benchmark": ["x"]}), folder.root / "items.parquet")
    pq.write_table(pa.table({"doc_id": [2]}), folder.root / "weights.parquet")
    assert list(files_with(folder, {2, 50})) == sorted([held, also, folder.root / "weights.parquet"])
    assert not list(files_with(folder, set()))


def test_run_without_a_list_has_forgotten_nothing(tmp_path):
    assert forgotten_ids(RunFolder(tmp_path)) == frozenset() and requests(RunFolder(tmp_path)) == []


def test_messages_of_failures_are_emptied_and_all_else_stays(tmp_path):
    log = tmp_path / "run.log"
    without_messages(log)
    assert not log.exists()
    lines = [{"event": "start", "message": "as it is"}, {"event": "failed", "message": "the page says ..."}]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"event": "fai')
    without_messages(log)
    assert [json.loads(line) for line in log.read_text().splitlines()] == [lines[0], {**lines[1], "message": ""}]
