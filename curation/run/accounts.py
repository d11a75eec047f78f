"""The books of a run that ends: its funnel, checked, and the state of each input file.

After `curate forget` it is `curation.run.books` that keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from curation.document import DOCUMENT
from curation.errors import StageError
from curation.read.report import merge_reports
from curation.recipe.load import Recipe
from curation.run.folder import RunFolder, read_json
from curation.run.funnel import build_funnel, by_snapshot, check_conservation, group_pages
from curation.run.loss import count_cascade
from curation.run.plan import cut_into_segments
from curation.spark import spark_schema
from curation.stage import PageStage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COUNTED = ("snapshot", "dropped_by", "trail", "chars", "doc_id", "error", "notes")  # columns that the books need
MAX_STAGE_ERRORS = 10  # pages that may break a stage in a run of any size ...
MAX_STAGE_ERROR_SHARE = 0.001  # ... and the share of pages that may, in a large one


def keep_books(spark: SparkSession, folder: RunFolder, recipe: Recipe) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(funnel, reports of the input files). Raises ConservationError where pages or characters are missing or counted
    twice, StageError where stages broke on too many pages.
    """
    stages = [(s.name, "page" if isinstance(s, PageStage) else "corpus") for s in recipe.stages]
    last = len(cut_into_segments(recipe.stages)) - 1
    parts = [str(folder.curated), *(str(folder.dead(n)) for n in range(last + 1))]
    columns = pa.schema([DOCUMENT.field(name) for name in COUNTED])
    documents = spark.read.schema(spark_schema(columns)).parquet(*parts)
    groups = group_pages(documents, len(stages))
    funnel = build_funnel(groups, stages)
    commits = [read_json(path) for path in sorted(folder.commits(0).glob("*.json"))]
    check_conservation(funnel, groups, sum(c["pages_in"] for c in commits), sum(c["chars_read"] for c in commits))
    _check_errors(documents, funnel, folder)
    head = {"recipe": recipe.name, "version": recipe.version, "recipe_hash": recipe.hash, "balanced": True}
    repeated = documents.groupBy("doc_id").count().where("count > 1").count()
    reports = merge_reports([report for commit in commits for report in commit["splits"]])
    books = {**head, "stages": funnel, "by_snapshot": by_snapshot(groups), "repeated_ids": repeated}
    if any(isinstance(stage, PageStage) and stage.behind for stage in recipe.stages):
        books["cascade"] = count_cascade(documents)
    return books, reports


def _check_errors(documents: DataFrame, funnel: list[dict[str, Any]], folder: RunFolder) -> None:
    """Raises StageError, with the most frequent message, when stages broke on too many pages."""
    errors = sum(r["pages"] for entry in funnel for r in entry["reasons"] if r["reason"].endswith(".error"))
    if errors <= max(MAX_STAGE_ERRORS, MAX_STAGE_ERROR_SHARE * funnel[0]["pages_in"]):
        return
    counted = documents.where("dropped_by like '%.error'").groupBy("dropped_by", "error").count()
    worst = counted.orderBy("count", ascending=False).first()
    raise StageError(
        f"{errors} of {funnel[0]['pages_in']} pages broke a stage, most often {worst['dropped_by']} with "
        f'"{worst["error"]}" ({worst["count"]} pages); all are under {folder.root / "documents"}'
    )
