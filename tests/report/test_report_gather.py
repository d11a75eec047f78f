"""What is collected from a run folder, against a plain count over all rows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.errors import InputError
from curation.report.duplicates import CLUSTERS_SHOWN, COPIES_SHOWN
from curation.report.folder import file_states, read_funnel
from curation.report.gather import RunFacts, gather
from curation.report.pages import KEPT_SAMPLES, SAMPLE_CHARS, SAMPLES_PER_REASON
from tests.report.fake_run import write_fake_run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_fake_run(folder, pages=1500)
    return folder


@pytest.fixture(scope="module")
def facts(run) -> RunFacts:
    return gather(run)


def _rows(run: Path, pattern: str) -> list[dict]:
    return [row for path in sorted(run.glob(pattern)) for row in pq.ParquetFile(path).read().to_pylist()]


@pytest.mark.parametrize(
    ("group", "pattern"),
    [("kept", "curated/*.parquet"), ("dropped", "documents/*/alive=false/*.parquet")],
    ids=["kept", "dropped"],
)
def test_pages_languages_hosts_and_lengths_equal_a_plain_count(run, facts, group, pattern):
    found, rows = getattr(facts, group), _rows(run, pattern)
    assert (found.pages, found.chars) == (len(rows), sum(row["chars"] for row in rows))
    assert {name: pages for name, (pages, _) in found.languages.items()} == Counter(row["language"] for row in rows)
    chars = defaultdict(int)
    for row in rows:
        chars[row["language"]] += row["chars"]
    assert {name: total for name, (_, total) in found.languages.items()} == chars
    assert dict(found.hosts.most_common(10_000)) == Counter(row["host"] for row in rows)
    assert found.lengths.sum() + found.empty == len(rows)


def test_kept_and_dropped_pages_agree_with_the_funnel(facts):
    assert facts.kept.pages == facts.pages_kept
    assert facts.kept.pages + facts.dropped.pages == facts.pages_read
    assert facts.kept.chars == facts.chars_kept


def test_masked_items_by_kind_equal_a_plain_count(run, facts):
    items, pages = Counter(), Counter()
    for row in _rows(run, "curated/*.parquet"):
        for one in row["pii"]:
            items[one["key"]] += one["value"]
            pages[one["key"]] += 1
    assert facts.kept.masked == {kind: (items[kind], pages[kind]) for kind in items} and len(items) == 2
    assert facts.dropped.masked == {}


def test_every_reason_has_samples_of_its_own_pages(run, facts):
    by_reason = defaultdict(dict)
    for row in _rows(run, "documents/*/alive=false/*.parquet"):
        by_reason[row["dropped_by"]][row["url"]] = row
    assert facts.dropped.samples.keys() == by_reason.keys()
    for reason, samples in facts.dropped.samples.items():
        assert len(samples) == min(SAMPLES_PER_REASON, len(by_reason[reason]))
        for sample in samples:
            row = by_reason[reason][sample.url]
            assert (sample.reason, sample.value, sample.chars) == (reason, row["dropped_value"], row["chars"])
            assert sample.text == (None if row["text"] is None else row["text"][:SAMPLE_CHARS])


def test_samples_with_text_come_before_those_without(run, facts):
    stored = Counter(row["dropped_by"] for row in _rows(run, "documents/*/alive=false/*.parquet") if row["text"])
    for reason, samples in facts.dropped.samples.items():
        expected = min(len(samples), stored[reason])
        assert [bool(sample.text) for sample in samples] == [True] * expected + [False] * (len(samples) - expected)


def test_samples_and_counts_do_not_depend_on_how_rows_lie_in_files(run, facts, tmp_path):
    table = pq.ParquetFile(run / "curated/unit-0.parquet").read()
    (tmp_path / "curated").mkdir()
    half = table.num_rows // 2
    pq.write_table(table.slice(half), tmp_path / "curated/a.parquet", row_group_size=7)
    pq.write_table(table.slice(0, half), tmp_path / "curated/b.parquet", row_group_size=half)
    (tmp_path / "funnel.json").write_text((run / "funnel.json").read_text())
    again = gather(tmp_path)
    assert again.kept.samples == facts.kept.samples
    assert len(again.kept.samples["kept"]) == KEPT_SAMPLES
    assert again.kept.languages == facts.kept.languages


def test_samples_are_the_same_rows_when_a_row_group_is_read_in_many_batches(run, facts, monkeypatch):
    monkeypatch.setattr("curation.report.pages._BATCH_ROWS", 16)
    again = gather(run)
    assert again.kept.samples == facts.kept.samples
    assert again.dropped.samples == facts.dropped.samples


def test_half_written_files_are_not_read(run, facts, tmp_path):
    (tmp_path / "funnel.json").write_text((run / "funnel.json").read_text())
    (tmp_path / "curated/_attempt").mkdir(parents=True)
    for name in (".unit-0.parquet", "_attempt/unit-1.parquet"):
        (tmp_path / "curated" / name).write_bytes(b"PAR1 half")
    assert gather(tmp_path).kept is None


def test_largest_clusters_similarities_and_addresses_equal_a_plain_count(run, facts):
    rows = _rows(run, "removals/*/*.parquet")
    urls = {row["doc_id"]: row["url"] for row in _rows(run, "documents/pass-0/alive=true/*.parquet")}
    (stage,) = facts.removals
    assert stage.removed == len(rows)
    assert stage.similarity.sum() == stage.sizes.sum() == len(rows)
    assert stage.identical == sum(row["similarity"] == 1 for row in rows)
    sizes = {row["cluster_id"]: row["cluster_size"] for row in rows}
    largest = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:CLUSTERS_SHOWN]
    assert [(c.cluster_id, c.size) for c in stage.clusters.values()] == largest
    for cluster in stage.clusters.values():
        members = {row["doc_id"] for row in rows if row["cluster_id"] == cluster.cluster_id}
        assert cluster.kept_url == urls[cluster.kept_id]
        assert len(cluster.copies) == min(COPIES_SHOWN, len(members))
        assert cluster.copy_urls == {doc_id: urls[doc_id] for _, doc_id, _ in cluster.copies}
        assert {doc_id for _, doc_id, _ in cluster.copies} <= members


def test_clusters_do_not_depend_on_how_removals_lie_in_files(run, facts, tmp_path):
    table = pq.ParquetFile(run / "removals/near_duplicates/part-0.parquet").read()
    folder = tmp_path / "removals/near_duplicates"
    folder.mkdir(parents=True)
    for start in range(0, table.num_rows, 9):
        pq.write_table(table.slice(start, 9), folder / f"part-{999 - start}.parquet")
    (tmp_path / "funnel.json").write_text((run / "funnel.json").read_text())
    (again,), (before,) = gather(tmp_path).removals, facts.removals
    assert [c.copies for c in again.clusters.values()] == [c.copies for c in before.clusters.values()]
    assert [c.kept_url for c in again.clusters.values()] == [None] * len(again.clusters)


def test_similarity_on_the_edge_of_a_bin_falls_into_the_bin_above(tmp_path):
    folder = tmp_path / "removals/s"
    folder.mkdir(parents=True)
    edges = [i / 50 for i in range(51)] + [None]
    count = len(edges)
    ids = {name: pa.array(range(count), pa.int64()) for name in ("doc_id", "kept_id", "cluster_id")}
    columns = {**ids, "cluster_size": pa.array([2] * count, pa.int64()), "similarity": pa.array(edges, pa.float32())}
    pq.write_table(pa.table(columns), folder / "part.parquet")
    (tmp_path / "funnel.json").write_text('{"stages": []}')
    (stage,) = gather(tmp_path).removals
    assert stage.similarity.tolist() == [1] * 49 + [2]


def test_file_reports_with_records_by_type_and_lists_of_damage_become_counts():
    reports = [
        {"name": "b", "state": "complete", "records": 5, "pages": 2, "damaged": 0},
        {"name": "c", "state": "damaged", "records": {"response": 3, "request": 4}, "pages": 3, "damaged": [7, 9]},
        {"name": "a", "state": "error_page", "records": {}, "pages": 0, "damaged": []},
    ]
    found = file_states({"files": reports})
    assert [(f.name, f.records, f.damaged, f.sound) for f in found] == [
        ("a", 0, 0, False),
        ("c", 7, 2, False),
        ("b", 5, 0, True),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "does not exist"),
        ("{", "is not JSON"),
        ("[]", "no list `stages`"),
        (json.dumps({"stages": [{"stage": "url", "kind": "page", "pages_in": 1}]}), "stage url lacks kept, dropped"),
    ],
    ids=["missing", "broken", "other", "incomplete"],
)
def test_a_folder_without_a_funnel_is_refused_with_a_sentence(tmp_path, content, said):
    if content is not None:
        (tmp_path / "funnel.json").write_text(content)
    with pytest.raises(InputError, match=said):
        read_funnel(tmp_path)
