"""The table side of the cutting stages on Spark. What travels is hashes and places: about 100 bytes a piece, twice.

A hot line costs no task more than its share: copies are counted before they are shuffled, and the join that brings the
counts back has one row a key on one side, so a partition with a hot key can be split (adaptive execution does). The
joins are asked to merge sorted rows, which spills: copies of one line shrink so well in a shuffle that Spark would take
millions of them for little enough to be held in memory by every executor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from curation.dedup.cutting import DOCUMENT_KEY, FINGERPRINTED, PLACED, Cutting, Substrings
from curation.dedup.stages import CLUSTERS, CUTS, REMOVALS, Decision
from curation.dedup.tables import without_shared_ids
from curation.spark import spark_schema

Batches = Iterator[pa.RecordBatch]

_GROUP = ("within", "bucket", "high", "low")
_ORDER = ("captured", "doc_id", "number")


def decide(stage: Cutting, keys: DataFrame) -> Decision:
    """Cuts in all documents of `keys` (rows of the stage's `key_schema`)."""
    keys = without_shared_ids(keys)
    placed = _shared_windows(stage, keys) if isinstance(stage, Substrings) else _unfolded(keys, stage.bucket)
    cuts = merged(_repeats(stage, placed), stage.name)
    nothing = [keys.sparkSession.createDataFrame([], spark_schema(schema)) for schema in (REMOVALS, CLUSTERS)]
    return Decision(*nothing, cuts)


def _unfolded(keys: DataFrame, bucket: int | None) -> DataFrame:
    """One row of PLACED per piece."""
    if bucket is None:
        keys = keys.withColumn("bucket", F.lit(0).cast("long"))
    else:
        buckets = keys.groupBy("within").agg(F.ceil(F.count("*") / F.lit(bucket)).alias("buckets"))
        keys = keys.join(F.broadcast(buckets), on="within", how="inner")
        keys = keys.withColumn("bucket", F.expr("pmod(doc_id, buckets)"))
    return keys.select(*DOCUMENT_KEY.names, "bucket", F.inline("pieces")).select(*PLACED.names)


def _shared_windows(stage: Substrings, keys: DataFrame) -> DataFrame:
    """The windows that bear a fingerprint met at two places; a task reads the texts of its units for it."""
    rows = keys.select(*DOCUMENT_KEY.names, F.explode("fingerprints").alias("fingerprint"))
    again = rows.groupBy("within", "fingerprint").count().where("count > 1").drop("count").hint("merge")
    shared = rows.join(again, on=["within", "fingerprint"], how="left_semi").select(*FINGERPRINTED.names)
    units = max(1, keys.select("unit").distinct().count())
    # An explicit number, which adaptive execution leaves alone: these rows are few, the texts behind them are not.
    by_unit = shared.repartition(units, "unit").sortWithinPartitions("unit")
    return by_unit.mapInArrow(_look(stage), spark_schema(PLACED))


def _look(stage: Substrings) -> Callable[[Batches], Batches]:
    def look(batches: Batches) -> Batches:
        for shared in _by_unit(batches):
            yield from stage.windows(shared)

    return look


def _by_unit(batches: Batches) -> Iterator[pa.Table]:
    """Rows that come sorted by unit, one table a unit."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        units = batch["unit"].to_pylist()
        start = 0
        for row, unit in enumerate(units):
            before = units[row - 1] if row else held[-1]["unit"][-1].as_py() if held else unit
            if unit != before:
                yield pa.Table.from_batches([*held, batch.slice(start, row - start)])
                held, start = [], row
        if start < len(units):
            held.append(batch.slice(start))
    if held:
        yield pa.Table.from_batches(held)


def _repeats(stage: Cutting, placed: DataFrame) -> DataFrame:
    """The rows of PLACED that are cut, with kept_id and copies."""
    figures = [F.count("*").alias("copies")]
    nothing = F.lit(None).cast("long")
    if stage.remove == "frequent":
        cut, kept_id = F.lit(True), nothing
    elif stage.remove == "seen_elsewhere":
        figures.append(F.count_if(~F.col("again")).alias("documents"))
        elsewhere = F.col("documents") > 1
        cut, kept_id = elsewhere | F.col("again"), F.when(~elsewhere, F.col("doc_id"))
    else:
        figures.append(F.min(F.struct(*_ORDER)).alias("first"))
        behind = F.col("number") >= F.col("first.number") + stage.span
        cut, kept_id = (F.col("doc_id") != F.col("first.doc_id")) | behind, F.col("first.doc_id")
    counted = placed.groupBy(*_GROUP).agg(*figures).where(F.col("copies") > stage.more_than)
    return _cut_rows(placed.join(counted.hint("merge"), on=list(_GROUP), how="inner"), cut, kept_id)


def _cut_rows(rows: DataFrame, cut: Column, kept_id: Column) -> DataFrame:
    return rows.where(cut).select("unit", "doc_id", "start", "end", "copies", kept_id.alias("kept_id"))


def merged(rows: DataFrame, stage: str) -> DataFrame:
    """CUTS: ranges of one document that touch or overlap become one. A later piece of a text never ends earlier."""
    in_order = Window.partitionBy("unit", "doc_id").orderBy("start")
    fresh = F.when(F.col("start") > F.lag("end").over(in_order), 1).otherwise(0)
    ranges = rows.withColumn("fresh", fresh).withColumn("range", F.sum("fresh").over(in_order))
    joined = ranges.groupBy("unit", "doc_id", "range").agg(
        F.min_by("kept_id", "start").alias("kept_id"),
        F.max("copies").alias("copies"),
        F.min("start").cast("long").alias("start"),
        F.max("end").cast("long").alias("end"),
    )
    return joined.withColumn("stage", F.lit(stage)).select(*CUTS.names)
