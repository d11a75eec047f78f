"""Splits clusters into stars: a document goes only if it is similar enough to the one that stays.

Links chain: A ~ B and B ~ C put A and C into one cluster, however unlike they are. In each round the survivor of every
cluster takes the members that are alike enough to it; the rest is a cluster of its own in the next round.
"""

from __future__ import annotations

import logging

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from curation.dedup.components import cut_lineage
from curation.dedup.links import similar
from curation.dedup.settings import MOST_STARS
from curation.dedup.survivors import survivors

log = logging.getLogger(__name__)


def with_survivor(described: DataFrame, keep: str) -> DataFrame:
    """`described` (doc_id, cluster_id, unit, columns of the policy) with `kept_id`, without cluster_id."""
    kept = survivors(described, keep).select("cluster_id", "kept_id")
    return described.join(kept, on="cluster_id", how="inner")


def split_into_stars(described: DataFrame, content: DataFrame, keep: str, column: str, at_least: float) -> DataFrame:
    """(doc_id, kept_id, similarity) of every document of `described`; kept_id is its own where it stays."""
    stars: DataFrame | None = None
    rest = described
    for _ in range(MOST_STARS):
        pairs = with_survivor(rest, keep).select("doc_id", "kept_id")
        compared = cut_lineage(similar(pairs, content, "doc_id", "kept_id", column))
        alike = compared.where((F.col("similarity") >= at_least) | (F.col("doc_id") == F.col("kept_id")))
        stars = alike if stars is None else stars.union(alike)
        rest = cut_lineage(rest.join(alike.select("doc_id"), on="doc_id", how="left_anti"))
        if rest.isEmpty():
            return stars
    log.warning(
        "%d documents of clusters with more than %d distinct members stay unexamined and are kept; "
        "more rows per band make smaller clusters",
        rest.count(), MOST_STARS,
    )  # fmt: skip
    alone = rest.select("doc_id", F.col("doc_id").alias("kept_id"), F.lit(1.0).alias("similarity"))
    return stars.union(alone)


def sized(stars: DataFrame) -> DataFrame:
    """`stars` with cluster_id (smallest id that shares a kept_id) and cluster_size; those of one member left out."""
    same = Window.partitionBy("kept_id")
    least, count = F.min("doc_id").over(same), F.count("*").over(same)
    return stars.select("*", least.alias("cluster_id"), count.alias("cluster_size")).where("cluster_size > 1")
