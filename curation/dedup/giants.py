"""What became of the clusters of a stage, and which of them are so large that something else than copying made them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

log = logging.getLogger(__name__)

SHOWN = 10


def cluster_facts(stage: str, clusters: DataFrame, giant: int | None) -> dict[str, Any]:
    """Counts of the clusters (rows of CLUSTERS) and the largest of them; clusters of more than `giant` are warned of.

    Giant clusters are how bad parameters show: in marin's issue 6854, 859,091 pages hung together by 5-character
    shingles.
    """
    from pyspark.sql import functions as F

    # A cluster bears the id of one of its members, so that member's row stands for it.
    sizes = clusters.where("doc_id = cluster_id").select("cluster_id", "cluster_size")
    total = sizes.agg(
        F.count("*").alias("clusters"),
        F.sum("cluster_size").alias("documents"),
        F.count(F.when(F.col("cluster_size") > (giant or 2**62), 1)).alias("giant"),
    ).first()
    largest = sizes.orderBy(F.desc("cluster_size"), "cluster_id").limit(SHOWN).collect()
    if total["giant"]:
        log.warning(
            "%s: %d clusters hold more than %d documents, the largest %d (cluster_id %d); if its pages are no copies "
            "of each other, set verify: estimate or split_giant: true, or use more rows per band",
            stage, total["giant"], giant, largest[0]["cluster_size"], largest[0]["cluster_id"],
        )  # fmt: skip
    return {
        "clusters": total["clusters"],
        "documents_in_clusters": total["documents"] or 0,
        "giant_clusters": total["giant"],
        "largest": [{"cluster_id": row["cluster_id"], "documents": row["cluster_size"]} for row in largest],
    }
