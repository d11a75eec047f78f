"""Which member of a cluster stays: the first by a total order, ties going to the smallest doc_id. Always the same one.

A document of an earlier run (`unit` is null) comes before all others: it was published and cannot be removed. Then:

longest      most characters
newest       latest capture (`date`); unknown dates lose
best_score   highest score; unknown scores lose
first        earliest snapshot, then earliest capture; unknown ones lose
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Policy:
    """Members are compared by `columns`, in order; an unknown value (null, empty, NaN) loses against every other."""

    columns: tuple[str, ...]
    largest_stays: bool


POLICIES = {
    "longest": Policy(("chars",), largest_stays=True),
    "newest": Policy(("date",), largest_stays=True),
    "best_score": Policy(("score",), largest_stays=True),
    "first": Policy(("snapshot", "date"), largest_stays=False),
}
TEXT_COLUMNS = ("date", "snapshot")


def survivors(members: DataFrame, keep: str) -> DataFrame:
    """(cluster_id, kept_id, cluster_size) of `members`: doc_id, cluster_id, unit and the columns `keep` compares."""
    from pyspark.sql import functions as F

    policy = POLICIES[keep]
    known = [F.col("unit").isNull(), *(_spark_known(name) for name in policy.columns)]
    values = [F.when(is_known, F.col(name)) for is_known, name in zip(known[1:], policy.columns, strict=True)]
    pairs = [known[0], *(part for pair in zip(known[1:], values, strict=True) for part in pair)]
    if policy.largest_stays:  # ~id, not -id, which the smallest id does not have
        best = F.max_by("doc_id", F.struct(*_named(pairs), F.bitwise_not("doc_id").alias("tie")))
    else:
        lost = [part if place and place % 2 == 0 else ~part for place, part in enumerate(pairs)]
        best = F.min_by("doc_id", F.struct(*_named(lost), F.col("doc_id").alias("tie")))
    return members.groupBy("cluster_id").agg(best.alias("kept_id"), F.count("*").alias("cluster_size"))


def local_survivors(members: pa.Table, keep: str) -> pa.Table:
    """The same on an Arrow table, by sorting it."""
    policy = POLICIES[keep]
    direction = "descending" if policy.largest_stays else "ascending"
    table = members.select(["doc_id", "cluster_id"]).append_column("earlier", pc.is_null(members["unit"]))
    order = [("cluster_id", "ascending"), ("earlier", "descending")]
    for name in policy.columns:
        known = _arrow_known(members[name], name)
        table = table.append_column(f"{name}_known", known)
        table = table.append_column(name, pc.if_else(known, members[name], pa.scalar(None, members[name].type)))
        order += [(f"{name}_known", "descending"), (name, direction)]
    table = table.sort_by([*order, ("doc_id", "ascending")])
    best = table.group_by("cluster_id", use_threads=False).aggregate([("doc_id", "first"), ("doc_id", "count")])
    return best.rename_columns({"doc_id_first": "kept_id", "doc_id_count": "cluster_size"})


def _named(columns: list[Column]) -> list[Column]:
    return [column.alias(f"c{place}") for place, column in enumerate(columns)]


def _spark_known(name: str) -> Column:
    from pyspark.sql import functions as F

    column = F.col(name)
    if name in TEXT_COLUMNS:
        return F.coalesce(column != "", F.lit(False))
    if name == "score":
        return column.isNotNull() & ~F.isnan(column)
    return column.isNotNull()


def _arrow_known(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    if name in TEXT_COLUMNS:
        return pc.fill_null(pc.not_equal(column, ""), False)
    return pc.is_valid(column) if name != "score" else pc.invert(pc.is_null(column, nan_is_null=True))
