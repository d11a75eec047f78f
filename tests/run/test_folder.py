"""Pieces of a run are published whole, whoever else writes the same one meanwhile."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from curation.run.folder import parquet_files, published

NUMBERS = pa.schema([("n", pa.int64())])


def test_two_attempts_at_one_unit_do_not_write_into_one_file(tmp_path):
    """Executors in containers often have the same process id, and two may be given the same unit."""
    path = tmp_path / "unit-00000.parquet"
    rows = pa.record_batch([pa.array(range(50_000))], schema=NUMBERS)
    with parquet_files([(path, NUMBERS)]) as (one,):
        one.add(rows)
        one._flush()
        with parquet_files([(path, NUMBERS)]) as (other,):
            other.add(rows)
        assert pq.read_table(path).num_rows == 50_000
        one.add(rows.slice(0, 1))
    assert pq.read_table(path).num_rows == 50_001
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_what_breaks_off_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    try:
        with published(path) as fresh:
            fresh.write_text("half")
            raise KeyError
    except KeyError:
        pass
    assert path.read_text() == "old" and [file.name for file in tmp_path.iterdir()] == ["a.json"]
