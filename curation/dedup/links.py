"""From signatures to links on Spark: documents of one bucket are linked to one of them, its hub, and links verified.

A bucket holds the documents that share a band key. Every member is linked to the smallest id of the bucket, so links
grow with documents, never with pairs: a bucket of a million copies has a million links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from curation.dedup.bands import band_keys, salted, salts
from curation.dedup.columns import matrix
from curation.dedup.components import cut_lineage
from curation.dedup.duplicates import MinHash
from curation.dedup.settings import HUBS
from curation.dedup.similarity import similarities

Batches = Iterator[pa.RecordBatch]


def buckets(stage: MinHash, keys: DataFrame) -> DataFrame:
    """(key, src, dst): each document of a bucket of two or more, and the smallest id of it; that one has no row.

    Shuffles one row of 16 bytes for each document and band, `bands_per_pass` bands at a time.
    """
    banded = stage.banded
    signed = keys.where(F.col(banded).isNotNull()).select("doc_id", "source", "snapshot", banded)
    step = stage.bands_per_pass or stage.bands
    parts = []
    for first in range(0, stage.bands, step):
        rows = signed.mapInArrow(_cut_bands(stage, first, min(first + step, stage.bands)), "key long, doc_id long")
        # A window rather than an aggregate joined back: one shuffle of the largest table of the stage, not two.
        least = F.min("doc_id").over(Window.partitionBy("key"))
        parts.append(
            cut_lineage(rows.select("key", F.col("doc_id").alias("src"), least.alias("dst")).where("src != dst"))
        )
        if step < stage.bands:
            _free_shuffles(keys)
    return reduce(DataFrame.union, parts)


def minhash_links(stage: MinHash, keys: DataFrame) -> DataFrame:
    """(src, dst): every link once."""
    return buckets(stage, keys).select("src", "dst").distinct()


def verified_links(stage: MinHash, rows: DataFrame, keys: DataFrame, column: str) -> DataFrame:
    """(src, dst) of those links in `rows` (see `buckets`) whose ends are at least `min_similarity` alike by `column`.

    Members that are unlike their hub get the smallest id among themselves as the next one, up to HUBS times: a bucket
    may hold several families. What is still alone then has no link through this bucket, though it may through others.
    """
    content = keys.select("doc_id", column)
    verified: DataFrame | None = None
    for _ in range(HUBS):
        pairs = rows.select("src", "dst").distinct()
        compared = cut_lineage(similar(pairs, content, "src", "dst", column))
        alike = compared.where(F.col("similarity") >= stage.min_similarity).select("src", "dst")
        verified = alike if verified is None else verified.union(alike)
        unlike = rows.join(alike, on=["src", "dst"], how="left_anti")
        least = F.min("src").over(Window.partitionBy("key"))
        rows = cut_lineage(unlike.select("key", "src", least.alias("dst")).where("src != dst"))
        if rows.isEmpty():
            break
    return verified.distinct()


def similar(pairs: DataFrame, content: DataFrame, left: str, right: str, column: str) -> DataFrame:
    """`pairs` with `similarity` of the documents that its columns `left` and `right` name; `content`: doc_id, `column`.

    Only what linked documents hold travels.
    """
    names = pairs.columns
    with_left = pairs.join(content.select(F.col("doc_id").alias(left), F.col(column).alias("_left")), left, "inner")
    both = with_left.join(content.select(F.col("doc_id").alias(right), F.col(column).alias("_right")), right, "inner")
    types = dict(pairs.dtypes)
    ddl = ", ".join(f"{name} {types[name]}" for name in names) + ", similarity double"

    def compare(batches: Batches) -> Batches:
        for batch in batches:
            columns = {name: batch[name] for name in names}
            yield pa.record_batch({**columns, "similarity": similarities(batch["_left"], batch["_right"], column)})

    return both.select(*names, "_left", "_right").mapInArrow(compare, ddl)


def _cut_bands(stage: MinHash, first: int, end: int) -> Callable[[Batches], Batches]:
    def cut(batches: Batches) -> Batches:
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if stage.store == "bands":
                keys = matrix(batch["bands"], "<i8")
            else:
                keys = band_keys(matrix(batch["signature"], "<u4"), stage.bands, stage.rows)
            keys = keys[:, first:end]
            if stage.scope == "snapshot":
                keys = salted(keys, salts(batch["source"].to_pylist(), batch["snapshot"].to_pylist()))
            ids = np.repeat(batch["doc_id"].to_numpy(), end - first)
            yield pa.record_batch({"key": keys.ravel(), "doc_id": ids})

    return cut


def _free_shuffles(table: DataFrame) -> None:
    """Lets Spark delete the shuffle files of finished passes: it does so when the driver's JVM collects garbage."""
    table.sparkSession.sparkContext._jvm.System.gc()
