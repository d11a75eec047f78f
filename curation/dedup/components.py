"""Connected components of a graph of document ids: links in, clusters out.

At scale: alternating large-star and small-star rounds (Kiveris et al. 2014, Connected Components in MapReduce and
Beyond, SoCC). Each round is two joins on a table of links; the number of links never grows, a path of n nodes needs
about log2(n) rounds, and nothing is collected. Below `local_up_to` links one task does it with scipy, which is faster
by far.

A cluster bears the smallest id in it; ids are signed 64-bit. Links have no direction. An id linked only to itself is
in no cluster.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from curation.errors import CurationError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

log = logging.getLogger(__name__)

MOST_ROUNDS = 60  # a path of 2^30 documents would need about 30
_CLUSTERS = "doc_id long, cluster_id long"


def components(edges: DataFrame, local_up_to: int = 5_000_000) -> DataFrame:
    """Clusters of `edges` (src long, dst long) as (doc_id, cluster_id), one row per id.

    Up to `local_up_to` links go to one task (5 million took 6 seconds and 510 MB beside the links themselves).
    """
    edges = cut_lineage(edges)
    links = edges.count()
    log.info("components of %d links, %s", links, "in one task" if links <= local_up_to else "distributed")
    if links > local_up_to:
        return connected_components(edges)
    return edges.select("src", "dst").repartition(1).mapInArrow(_in_one_task, _CLUSTERS)


def local_components(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ids (int64, ascending) that have a link to another, and the cluster of each: the smallest id it is linked to.

    >>> ids, clusters = local_components(np.array([5, -2, 9]), np.array([7, 5, 9]))
    >>> ids.tolist(), clusters.tolist()
    ([-2, 5, 7], [-2, -2, -2])
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components as scipy_components

    linked = src != dst
    pairs = np.stack([src[linked], dst[linked]]).astype(np.int64)
    ids, places = np.unique(pairs, return_inverse=True)
    if not len(ids):
        return ids, ids
    rows, columns = places.reshape(2, -1)
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(ids), len(ids)))
    _, labels = scipy_components(graph, directed=False)
    _, first = np.unique(labels, return_index=True)  # ids ascend, so the first of a label is its smallest
    return ids, ids[first][labels]


def connected_components(edges: DataFrame) -> DataFrame:
    """The distributed way, whatever the size: (doc_id, cluster_id). Raises CurationError after MOST_ROUNDS rounds."""
    from pyspark.sql import functions as F

    low, high = F.least("src", "dst"), F.greatest("src", "dst")
    links = edges.where(F.col("src") != F.col("dst")).select(high.alias("src"), low.alias("dst")).distinct()
    links = cut_lineage(links)
    before = _fingerprint(links)
    for number in range(1, MOST_ROUNDS + 1):
        links = cut_lineage(_small_star(_large_star(links)))
        after = _fingerprint(links)
        log.info("components: round %d, %d links", number, after[0])
        if after == before:
            heads = links.select(F.col("dst").alias("doc_id"), F.col("dst").alias("cluster_id")).distinct()
            return links.select(F.col("src").alias("doc_id"), F.col("dst").alias("cluster_id")).union(heads)
        before = after
    raise CurationError(
        f"connected components: {before[0]} links still move after {MOST_ROUNDS} rounds; "
        "the graph is far deeper than duplicates are: raise the similarity that makes a link (more rows per band)"
    )


def cut_lineage(table: DataFrame) -> DataFrame:
    """The table computed once and cut off from its plan, which would double with each round otherwise.

    To the checkpoint folder where the session has one (survives a lost executor), else to the executors' own disks.
    """
    if table.sparkSession.sparkContext.getCheckpointDir():
        return table.checkpoint(eager=True)
    return table.localCheckpoint(eager=True)


def _large_star(links: DataFrame) -> DataFrame:
    """Every node hands its larger neighbours to the smallest node it knows. `links` point from larger to smaller."""
    from pyspark.sql import functions as F

    larger = links.select(F.col("dst").alias("src"), F.col("src").alias("dst"))
    least = links.groupBy("src").agg(F.min("dst").alias("least"))  # a node without a smaller neighbour is its own
    return (
        larger.join(least, on="src", how="left")
        .select(F.col("dst").alias("src"), F.coalesce("least", "src").alias("dst"))
        .distinct()
    )


def _small_star(links: DataFrame) -> DataFrame:
    """Every node hands itself and its smaller neighbours over to the smallest of them."""
    from pyspark.sql import functions as F

    least = links.groupBy("src").agg(F.min("dst").alias("least"))
    handed = links.join(least, on="src", how="inner").select(F.col("dst").alias("src"), F.col("least").alias("dst"))
    own = least.select("src", F.col("least").alias("dst"))
    return handed.where(F.col("src") != F.col("dst")).union(own).distinct()


def _fingerprint(links: DataFrame) -> tuple[int, int]:
    """Count and order-free checksum of a set of links: equal before and after a round means at rest."""
    from pyspark.sql import functions as F

    row = links.agg(F.count("*").alias("links"), F.bit_xor(F.xxhash64("src", "dst")).alias("checksum")).first()
    return row["links"], row["checksum"] or 0


def _in_one_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    read = list(batches)
    if not read:
        return
    table = pa.Table.from_batches(read)
    ids, clusters = local_components(table["src"].to_numpy(), table["dst"].to_numpy())
    for start in range(0, len(ids), 1 << 20):
        rows = slice(start, start + (1 << 20))
        yield pa.record_batch({"doc_id": ids[rows], "cluster_id": clusters[rows]})
