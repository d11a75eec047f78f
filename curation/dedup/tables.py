"""The Spark side of `minhash` and `exact`: a table of keys in, removals and clusters out.

What travels is ids and hashes. The volume of MinHash is documents x bands rows of 16 bytes, shuffled once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from curation.dedup.bands import band_keys, salts
from curation.dedup.columns import matrix
from curation.dedup.components import components, cut_lineage
from curation.dedup.stages import CLUSTERS, REMOVALS, Decision, Duplicates, Exact, MinHash
from curation.dedup.survivors import survivors

log = logging.getLogger(__name__)

_MOST_BROADCAST = 1_000_000  # ids sent to every executor: 8 MB

Batches = Iterator[pa.RecordBatch]


def decide(stage: Duplicates, keys: DataFrame) -> Decision:
    """Removals and clusters of all documents in `keys` (rows of the stage's `key_schema`)."""
    keys = without_shared_ids(keys)
    if isinstance(stage, MinHash):
        members, column = components(minhash_links(stage, keys)), "signature"
    else:
        assert isinstance(stage, Exact)
        members, column = exact_members(stage, keys), "key"
    described = members.join(
        keys.select("doc_id", "unit", "snapshot", "date", "chars", "score", column), on="doc_id", how="inner"
    )
    described = cut_lineage(described)
    decided = described.join(survivors(described, stage.keep), on="cluster_id", how="inner")
    removed = decided.where(F.col("doc_id") != F.col("kept_id")).withColumn("stage", F.lit(stage.name))
    if isinstance(stage, MinHash):
        removed = _with_similarity(removed, decided)
    else:
        removed = removed.withColumn("similarity", F.lit(1.0))
    return Decision(removed.select(*REMOVALS.names), decided.select(*CLUSTERS.names))


def without_shared_ids(keys: DataFrame) -> DataFrame:
    """Leaves out documents whose id another row has too: nobody could tell which of the two a removal means."""
    shared = cut_lineage(keys.groupBy("doc_id").count().where(F.col("count") > 1).select("doc_id"))
    count = shared.count()
    if count == 0:
        return keys
    log.warning("%d doc_ids occur more than once; their documents take no part in deduplication", count)
    if count <= _MOST_BROADCAST:  # else the join would shuffle every signature to drop a handful
        shared = F.broadcast(shared)
    return keys.join(shared, on="doc_id", how="left_anti")


def minhash_links(stage: MinHash, keys: DataFrame) -> DataFrame:
    """(src, dst): each document and the smallest id of each of its buckets, so links grow with documents, not pairs."""
    signed = keys.where(F.col("signature").isNotNull()).select("doc_id", "source", "snapshot", "signature")
    banded = signed.mapInArrow(_cut_bands(stage), "key long, doc_id long")
    # A window rather than an aggregate joined back: one shuffle of the largest table of the stage, not two.
    least = F.min("doc_id").over(Window.partitionBy("key"))
    return banded.select(F.col("doc_id").alias("src"), least.alias("dst")).where("src != dst").distinct()


def _cut_bands(stage: MinHash) -> Callable[[Batches], Batches]:
    def cut(batches: Batches) -> Batches:
        for batch in batches:
            if batch.num_rows == 0:
                continue
            salt = None
            if stage.scope == "snapshot":
                salt = salts(batch["source"].to_pylist(), batch["snapshot"].to_pylist())
            keys = band_keys(matrix(batch["signature"], "<u4"), stage.bands, stage.rows, salt)
            ids = np.repeat(batch["doc_id"].to_numpy(), stage.bands)
            yield pa.record_batch({"key": keys.ravel(), "doc_id": ids})

    return cut


def exact_members(stage: Exact, keys: DataFrame) -> DataFrame:
    """(doc_id, cluster_id) of documents that share their key with another."""
    within = ["source", "snapshot", "key"] if stage.scope == "snapshot" else ["key"]
    same = Window.partitionBy(*within)
    return (
        keys.where(F.col("key").isNotNull())
        .select("doc_id", F.min("doc_id").over(same).alias("cluster_id"), F.count("*").over(same).alias("copies"))
        .where("copies > 1")
        .select("doc_id", "cluster_id")
    )


def _with_similarity(removed: DataFrame, decided: DataFrame) -> DataFrame:
    """Adds `similarity`: the share of equal values in the signatures of the removed and the kept document."""
    kept = decided.where(F.col("doc_id") == F.col("kept_id"))
    kept = kept.select("cluster_id", F.col("signature").alias("kept_signature"))
    pairs = removed.join(kept, on="cluster_id", how="inner")
    names = [name for name in REMOVALS.names if name != "similarity"]
    wanted = pairs.select(*names, "signature", "kept_signature")
    types = dict(wanted.dtypes)
    ddl = ", ".join(f"{name} {types[name]}" for name in names) + ", similarity double"
    return wanted.mapInArrow(_compare, ddl)


def _compare(batches: Batches) -> Batches:
    for batch in batches:
        if batch.num_rows == 0:
            continue
        share = np.mean(matrix(batch["signature"], "<u4") == matrix(batch["kept_signature"], "<u4"), axis=1)
        columns = {name: batch[name] for name in batch.schema.names if name not in ("signature", "kept_signature")}
        yield pa.record_batch({**columns, "similarity": share})
