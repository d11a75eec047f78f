"""The stages on Spark: the same decisions as without it, however the keys are spread."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as F

from curation.dedup import components, tables
from curation.dedup.duplicates import exact, minhash
from curation.dedup.giants import cluster_facts
from curation.dedup.links import minhash_links
from curation.dedup.stages import CLUSTERS, REMOVALS, LocalDecision
from curation.page import Page

pytestmark = pytest.mark.spark

STAGES = [
    pytest.param(minhash(name="near"), id="minhash-snapshot"),
    pytest.param(minhash(name="near", scope="global", keep="first"), id="minhash-global"),
    pytest.param(
        minhash(name="near", scope="global", bands=28, rows=4, verify="exact", min_similarity=0.95), id="verify-exact"
    ),
    pytest.param(
        minhash(name="near", scope="global", giant=3, split_giant=True, min_similarity=0.96), id="split-giant"
    ),
    pytest.param(minhash(name="near", store="bands", bands_per_pass=5), id="bands-in-passes"),
    pytest.param(exact(name="same", scope="snapshot", keep="newest"), id="text-snapshot"),
    pytest.param(exact(name="same", by="url"), id="url-global"),
]


@pytest.fixture
def pages(random, make_text) -> list[Page]:
    """Clusters of 1, 2 and 10, copies across snapshots and sources, short and empty texts, a shared id."""
    pages = []
    for group, size in enumerate([1, 2, 10, 1, 2, 4] * 4):
        words = make_text(150).split(" ")
        for copy in range(size):
            if copy % 3 == 1:
                words[75] = "changed"
            page = Page(" ".join(words), doc_id=int(random.integers(-(2**63), 2**63)), url=f"http://x.org/{group}")
            page.source = "web" if copy % 4 else "wiki"
            page.snapshot = f"CC-MAIN-2024-{10 + group % 2 + copy % 2}"
            page.date = f"2024-0{1 + copy % 3}-01T00:00:00Z" if copy else ""
            pages.append(page)
    pages += [Page(text, doc_id=n) for n, text in enumerate(["", "", "short", "Short"])]
    pages += [Page(pages[1].text, doc_id=4), Page(pages[3].text, doc_id=4)]  # two documents of one id
    return pages


def on_spark(spark, stage, keys: pa.Table, partitions: int = 2) -> LocalDecision:
    decision = stage.removals(spark.createDataFrame(keys).repartition(partitions))
    made = [
        pa.Table.from_pylist([row.asDict() for row in frame.toLocalIterator()], schema)
        for frame, schema in ((decision.removals, REMOVALS), (decision.clusters, CLUSTERS))
    ]
    return LocalDecision(*(table.sort_by("doc_id") for table in made))


@pytest.fixture
def distributed(monkeypatch):
    """However little data there is, it is decided in the distributed way."""
    monkeypatch.setattr(tables, "LOCAL_UP_TO", 0)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.usefixtures("distributed")
def test_spark_decides_as_the_local_path_does(spark, keys_of, pages, stage):
    keys = keys_of(stage, pages)
    local = stage.local_removals(keys)
    assert on_spark(spark, stage, keys) == local
    removed, clusters = local.removals.to_pylist(), local.clusters.to_pylist()
    assert removed, "the pages hold duplicates, so a comparison of nothing with nothing is a broken test"
    members: dict[int, set[int]] = {}
    for row in clusters:
        members.setdefault(row["cluster_id"], set()).add(row["doc_id"])
    gone = {row["doc_id"] for row in removed}
    kept = {row["cluster_id"]: row["kept_id"] for row in removed}
    assert kept.keys() == members.keys()
    assert all(ids - gone == {kept[cluster]} for cluster, ids in members.items()), "one survivor in each cluster"


@pytest.mark.parametrize("stage", [STAGES[0], STAGES[-1]])
def test_one_task_decides_on_few_documents_as_the_local_path_does(spark, keys_of, pages, stage, monkeypatch):
    monkeypatch.setattr(tables, "_distributed", lambda stage, keys: pytest.fail("took the distributed way"))
    keys = keys_of(stage, pages)
    assert on_spark(spark, stage, keys) == stage.local_removals(keys)


@pytest.mark.usefixtures("distributed")
def test_the_decision_does_not_depend_on_order_or_partitions(spark, keys_of, pages, random, monkeypatch):
    monkeypatch.setattr(components.components, "__defaults__", (0,))  # the distributed rounds, also on little data
    stage = minhash(name="near", scope="global")
    keys = keys_of(stage, pages)
    shuffled = keys.take(pa.array(random.permutation(len(keys))))
    assert on_spark(spark, stage, shuffled, partitions=5) == stage.local_removals(keys)


@pytest.mark.usefixtures("distributed")
@pytest.mark.parametrize("make", [minhash, exact])
def test_without_duplicates_the_tables_are_empty_and_have_their_columns(spark, keys_of, make_text, make):
    stage = make(name="d")
    for pages in ([], [Page(make_text(50), doc_id=n) for n in range(3)]):
        decision = stage.removals(spark.createDataFrame(keys_of(stage, pages).to_pylist(), _ddl(stage)))
        assert decision.removals.columns == REMOVALS.names and decision.clusters.columns == CLUSTERS.names
        assert decision.removals.count() == decision.clusters.count() == 0


def test_links_of_a_hot_bucket_grow_with_documents_not_with_pairs(spark, make_text, keys_of):
    stage = minhash(name="near")
    count = 20_000
    one = keys_of(stage, [Page(make_text(80))])
    keys = one.take(pa.array(np.zeros(count, dtype=np.int64)))
    keys = keys.set_column(0, "doc_id", pa.array(np.arange(count) - count // 2))
    assert minhash_links(stage, spark.createDataFrame(keys)).count() == count - 1


def _ddl(stage) -> str:
    kinds = {pa.int64(): "long", pa.string(): "string", pa.float64(): "double"}
    return ", ".join(f"{field.name} {kinds.get(field.type, 'binary')}" for field in stage.key_schema())


def test_two_hundred_thousand_identical_documents_leave_one(spark, make_text, keys_of):
    stage, count = minhash(name="near", scope="global", verify="estimate"), 200_000
    one = spark.createDataFrame(keys_of(stage, [Page(make_text(80))])).drop("doc_id")
    keys = spark.range(0, count, 1, 4).withColumnRenamed("id", "doc_id").crossJoin(one)
    decision = stage.removals(keys)
    removed = decision.removals.agg(F.count("*"), F.countDistinct("kept_id"), F.min("similarity")).first()
    assert tuple(removed) == (count - 1, 1, 1.0)
    facts = cluster_facts("near", decision.clusters, stage.giant)
    assert facts["giant_clusters"] == 1 and facts["largest"] == [{"cluster_id": 0, "documents": count}]
