"""The Spark side of `minhash` and `exact`: a table of keys in, removals and clusters out.

What travels is ids and hashes. The volume of MinHash is documents x bands rows of 16 bytes, shuffled once; signatures
travel only for documents that share a bucket with another. Up to LOCAL_UP_TO documents one task decides alone, as
`local` does: some fifty small Spark jobs would take longer than the work.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from curation.dedup import local
from curation.dedup.components import components, cut_lineage
from curation.dedup.duplicates import Duplicates, Exact, MinHash
from curation.dedup.links import buckets, similar, verified_links
from curation.dedup.stages import CLUSTERS, REMOVALS, Decision
from curation.dedup.stars import sized, split_into_stars, with_survivor

log = logging.getLogger(__name__)

LOCAL_UP_TO = 100_000  # documents; about 500 MB in the one task, with shingles (verify=exact) at a tenth of them
_MOST_BROADCAST = 1_000_000  # ids sent to every executor: 8 MB
_COMPARED_BY_POLICY = ("unit", "snapshot", "date", "chars", "score")


def decide(stage: Duplicates, keys: DataFrame) -> Decision:
    """Removals and clusters of all documents in `keys` (rows of the stage's `key_schema`)."""
    most = LOCAL_UP_TO // 10 if isinstance(stage, MinHash) and stage.compared == "shingles" else LOCAL_UP_TO
    few = keys.count() <= most
    decided = cut_lineage(_in_one_task(stage, keys) if few else _distributed(stage, without_shared_ids(keys)))
    removed = decided.where("doc_id != kept_id and unit is not null").withColumn("stage", F.lit(stage.name))
    return Decision(removed.select(*REMOVALS.names), decided.select(*CLUSTERS.names), parts=1 if few else None)


def _in_one_task(stage: Duplicates, keys: DataFrame) -> DataFrame:
    def decide_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read = list(batches)
        if read:
            yield from local.decided(stage, local.without_shared_ids(pa.Table.from_batches(read))).to_batches()

    kinds = {pa.int64(): "long", pa.string(): "string", pa.float64(): "double"}
    ddl = ", ".join(f"{field.name} {kinds[field.type]}" for field in local.MEMBERS)
    return keys.repartition(1).mapInArrow(decide_all, ddl)


def _distributed(stage: Duplicates, keys: DataFrame) -> DataFrame:
    """The columns of `local.MEMBERS`, whatever the size."""
    if isinstance(stage, MinHash):
        stars, described = _near(stage, keys)
    else:
        assert isinstance(stage, Exact)
        described = cut_lineage(_same(stage, keys))
        stars = with_survivor(described, stage.keep).select("doc_id", "kept_id", F.lit(1.0).alias("similarity"))
    return sized(stars).join(described.select("doc_id", "unit"), on="doc_id", how="inner")


def without_shared_ids(keys: DataFrame) -> DataFrame:
    """Leaves out documents whose id another row has too: nobody could tell which of the two a removal means."""
    shared = cut_lineage(keys.groupBy("doc_id").count().where(F.col("count") > 1).select("doc_id"))
    count = shared.count()
    if count == 0:
        return keys
    log.warning("%d doc_ids occur more than once; their documents take no part in deduplication", count)
    return keys.join(_small(shared, count), on="doc_id", how="left_anti")


def _near(stage: MinHash, keys: DataFrame) -> tuple[DataFrame, DataFrame]:
    """(doc_id, kept_id, similarity) of all clustered documents, and what the choice of the survivor compared."""
    rows = buckets(stage, keys)
    linked = _linked_keys(stage, rows, keys)
    if stage.verify == "none":
        members = components(rows.select("src", "dst").distinct())
    else:
        members = components(verified_links(stage, rows, linked, stage.compared))
    described = cut_lineage(members.join(linked.select("doc_id", *_COMPARED_BY_POLICY), on="doc_id", how="inner"))
    if stage.verify != "none":
        return split_into_stars(described, linked, stage.keep, stage.compared, stage.min_similarity), described
    if not stage.split_giant:
        return _plain_stars(stage, described, linked), described
    size = F.count("*").over(Window.partitionBy("cluster_id"))
    counted = cut_lineage(described.withColumn("size", size))
    small = counted.where(F.col("size") <= stage.giant).drop("size")
    large = counted.where(F.col("size") > stage.giant).drop("size")
    inside = rows.join(large.select(F.col("doc_id").alias("src")), on="src", how="left_semi")
    parts = components(verified_links(stage, inside, linked, "signature"))
    redone = parts.join(large.drop("cluster_id"), on="doc_id", how="inner")
    split = split_into_stars(redone, linked, stage.keep, "signature", stage.min_similarity)
    return _plain_stars(stage, small, linked).union(split), described


def _linked_keys(stage: MinHash, rows: DataFrame, keys: DataFrame) -> DataFrame:
    """Keys of the documents that share a bucket, cut off once: all later joins are with these."""
    ids = cut_lineage(rows.select(F.col("src").alias("doc_id")).union(rows.select("dst")).distinct())
    wanted = ["doc_id", *_COMPARED_BY_POLICY] + ([stage.compared] if stage.compared else [])
    return cut_lineage(keys.select(*wanted).join(_small(ids, ids.count()), on="doc_id", how="left_semi"))


def _plain_stars(stage: MinHash, described: DataFrame, linked: DataFrame) -> DataFrame:
    """Every member of a cluster goes with its survivor, alike or not; `similarity` tells how alike."""
    pairs = with_survivor(described, stage.keep).select("doc_id", "kept_id")
    if stage.compared is None:
        return pairs.withColumn("similarity", F.lit(None).cast("double"))
    return similar(pairs, linked, "doc_id", "kept_id", stage.compared)


def _same(stage: Exact, keys: DataFrame) -> DataFrame:
    """Documents that share their key with another: doc_id, cluster_id and what the choice of the survivor compares."""
    same = Window.partitionBy(*(["source", "snapshot", "key"] if stage.scope == "snapshot" else ["key"]))
    marked = keys.where(F.col("key").isNotNull()).select(
        "doc_id",
        *_COMPARED_BY_POLICY,
        F.min("doc_id").over(same).alias("cluster_id"),
        F.count("*").over(same).alias("copies"),
    )
    return marked.where("copies > 1").drop("copies")


def _small(ids: DataFrame, count: int) -> DataFrame:
    """Ids to join with: sent to every executor where they are few, else the join would shuffle all keys."""
    return F.broadcast(ids) if count <= _MOST_BROADCAST else ids
