"""OUT/removed: one line for each row that went, in terms of the user's files, with the copy that stayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curation.dedup.duplicates import Duplicates, Exact
from curation.run.folder import RunFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ("file", "row", "id", "kept_file", "kept_row", "kept_id", "similarity", "stage", "cluster_size")


def removed_rows(
    spark: SparkSession, folder: RunFolder, stages: Sequence[Duplicates], against: Sequence[RunFolder]
) -> DataFrame:
    """COLUMNS of every removed row, sorted by file and row.

    The kept copy is one that is in the output: where a stage kept a row that a later stage removed, that stage's copy
    is named. `similarity` is null where the two were never compared. Kept rows of earlier runs other than of
    `curate dedup` have null in place of file and row.
    """
    from pyspark.sql import functions as F

    rows = spark.read.parquet(str(folder.root / "rows"))
    kept = rows
    for earlier in against:
        if (earlier.root / "rows").is_dir():
            kept = kept.union(spark.read.parquet(str(earlier.root / "rows")))
    kept = kept.select(*(F.col(name).alias(f"kept_{name}") for name in ("doc_id", "file", "row", "id")))
    removals = _final(spark, folder, stages).withColumnRenamed("kept_id", "kept_doc_id")
    named = removals.join(rows, on="doc_id", how="inner").join(kept, on="kept_doc_id", how="left")
    return named.select(*COLUMNS).orderBy("file", "row")


def _final(spark: SparkSession, folder: RunFolder, stages: Sequence[Duplicates]) -> DataFrame:
    """doc_id, kept_id, similarity, stage, cluster_size of all stages, with kept ids that no later stage removed."""
    from pyspark.sql import functions as F

    found: DataFrame | None = None
    for stage in reversed(stages):
        removals = spark.read.parquet(str(folder.removals(stage.name)))
        removals = removals.select("doc_id", "kept_id", "similarity", "stage", "cluster_size")
        if found is None:
            found = removals
            continue
        later = found.select(
            F.col("doc_id").alias("kept_id"), F.col("kept_id").alias("final"), F.col("similarity").alias("to_final")
        )
        moved = F.col("final").isNotNull()
        # A copy is as similar to the final one as the row it equals; other similarities do not chain.
        onward = F.col("to_final") if isinstance(stage, Exact) and stage.by == "text" else F.lit(None)
        joined = removals.join(later, on="kept_id", how="left").select(
            "doc_id",
            F.coalesce("final", "kept_id").alias("kept_id"),
            F.when(moved, onward).otherwise(F.col("similarity")).alias("similarity"),
            "stage",
            "cluster_size",
        )
        found = found.union(joined)
    return found
