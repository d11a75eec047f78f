"""The cutting stages on Spark: the same cuts as without it, however the keys are spread."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.dedup.cut_tables import _by_unit
from curation.dedup.repeats import lines, sentence_spans, substrings
from curation.dedup.stages import CUTS
from curation.document import to_batch
from curation.page import Page
from curation.run.folder import UnitTexts

STAGES = [
    pytest.param(lines(name="l", more_than=3, bucket=20, scope="snapshot"), id="lines-buckets"),
    pytest.param(lines(name="l", remove="seen_elsewhere", compare="form"), id="lines-ccnet"),
    pytest.param(sentence_spans(name="s", scope="snapshot"), id="spans"),
    pytest.param(substrings(name="w", length=20), id="substrings"),
]


@pytest.fixture
def units(random, make_text) -> dict[str, list[Page]]:
    """Pages in five units that share menus, paragraphs and passages, across snapshots; two of them share an id."""
    menu = [make_text(int(words)) + "." for words in random.integers(1, 5, 12)]
    passages = [". ".join(make_text(12).capitalize() for _ in range(4)) + "." for _ in range(6)]
    units = {f"unit-{n}": [] for n in range(5)}
    for number in range(60):
        parts = [*random.choice(menu, 4), make_text(40) + ".", passages[number % 6], make_text(30)]
        page = Page("\n\n".join(random.permutation(parts)), doc_id=int(random.integers(-(2**63), 2**63)))
        page.snapshot, page.date = f"S{number % 2}", ["", "2024-01-01", "2024-02-01T10:00:00Z"][number % 3]
        units[f"unit-{number % 5}"].append(page)
    units["unit-0"][0].doc_id = units["unit-1"][0].doc_id
    return units


def keys_of(stage, units) -> pa.Table:
    return pa.Table.from_batches([stage.keys(to_batch(pages), unit) for unit, pages in units.items()])


def on_spark(spark, stage, keys: pa.Table, folder, partitions: int) -> pa.Table:
    pq.write_table(keys, folder / "keys")
    frame = spark.read.parquet(str(folder / "keys")).repartition(partitions)
    rows = [row.asDict() for row in stage.removals(frame).cuts.toLocalIterator()]
    return pa.Table.from_pylist(rows, CUTS).sort_by([(name, "ascending") for name in ("unit", "doc_id", "start")])


@pytest.mark.spark
@pytest.mark.parametrize(
    ("stage", "partitions"), [pytest.param(*s.values, 1 + n % 3, id=s.id) for n, s in enumerate(STAGES)]
)
def test_spark_cuts_what_the_local_path_cuts(spark, units, tmp_path, stage, partitions):
    if hasattr(stage, "with_texts"):
        for unit, pages in units.items():
            pq.write_table(pa.Table.from_batches([to_batch(pages)]), tmp_path / f"{unit}.parquet")
        stage = stage.with_texts(UnitTexts(tmp_path))
    keys = keys_of(stage, units)
    local = stage.local_removals(keys).cuts
    assert len(local) > 20, "the pages repeat themselves, so a comparison of nothing with nothing is a broken test"
    assert on_spark(spark, stage, keys, tmp_path, partitions) == local


@pytest.mark.spark
def test_without_repeats_the_table_is_empty_and_has_its_columns(spark, make_text, tmp_path):
    stage = substrings(name="w").with_texts(UnitTexts(tmp_path))
    for pages in ([], [Page(make_text(80), doc_id=n) for n in range(3)]):
        assert on_spark(spark, stage, keys_of(stage, {"unit-0": pages}), tmp_path, 1) == CUTS.empty_table()


@pytest.mark.parametrize("sizes", [[7], [1] * 7, [2, 5], [3, 3, 1]])
def test_rows_sorted_by_unit_come_back_one_table_a_unit_whatever_the_batches(sizes):
    rows = pa.table({"unit": list("aabbbcd"), "n": range(7)})
    batches, at = [], 0
    for size in sizes:
        batches += rows.slice(at, size).to_batches()
        at += size
    assert [table["n"].to_pylist() for table in _by_unit(iter(batches))] == [[0, 1], [2, 3, 4], [5], [6]]
