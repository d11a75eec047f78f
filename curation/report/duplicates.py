"""What the corpus stages removed as copies: how similar these were, and the largest clusters with their addresses.

One pass over RUN/removals, then one over the ids of RUN/documents for the addresses of the few documents shown. No text
is shown here: a later stage may still have to mask it.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.report.counts import scramble
from curation.report.folder import parquet_files
from curation.rewrite.pii import mask_text

CLUSTERS_SHOWN = 10
COPIES_SHOWN = 4
SIMILARITY_BINS = 50  # each 0.02 wide
CLUSTER_SIZES = (2, 3, 4, 6, 11, 101, 1001)  # lower ends of the size classes
_COLUMNS = ["doc_id", "kept_id", "cluster_id", "cluster_size", "similarity"]


@dataclass
class Cluster:
    """A survivor and some of the copies removed in its favour: (hash, doc_id, similarity), smallest hash first."""

    cluster_id: int
    size: int
    kept_id: int
    copies: list[tuple[int, int, float | None]] = field(default_factory=list)
    kept_url: str | None = None
    copy_urls: dict[int, str] = field(default_factory=dict)


@dataclass
class StageRemovals:
    """Removals of one corpus stage. `similarity` counts removed pages per bin of 0.02, `sizes` per size class."""

    stage: str
    removed: int = 0
    similarity: np.ndarray = field(default_factory=lambda: np.zeros(SIMILARITY_BINS, dtype=np.int64))
    identical: int = 0
    sizes: np.ndarray = field(default_factory=lambda: np.zeros(len(CLUSTER_SIZES), dtype=np.int64))
    clusters: dict[int, Cluster] = field(default_factory=dict)

    def add(self, batch: pa.RecordBatch) -> None:
        self.removed += len(batch)
        similarity = pc.drop_null(batch["similarity"]).to_numpy(zero_copy_only=False)
        # Rounded, because 0.58 as float32 is a little less than the lower edge of its bin.
        in_bins = np.round(similarity.astype(np.float64) * SIMILARITY_BINS, 4)
        bins = np.clip(in_bins.astype(np.int64), 0, SIMILARITY_BINS - 1)
        self.similarity += np.bincount(bins, minlength=SIMILARITY_BINS)
        self.identical += int((similarity >= 1).sum())
        sizes = batch["cluster_size"].to_numpy(zero_copy_only=False)
        classes = np.clip(np.searchsorted(CLUSTER_SIZES, sizes, side="right") - 1, 0, None)
        self.sizes += np.bincount(classes, minlength=len(CLUSTER_SIZES))
        self._add_clusters(batch, sizes)

    def _add_clusters(self, batch: pa.RecordBatch, sizes: np.ndarray) -> None:
        """Keep the largest clusters seen so far. Every row carries the size, so one that belongs here never leaves."""
        ids = batch["cluster_id"].to_numpy(zero_copy_only=False)
        seen = {(cluster.size, -cluster_id) for cluster_id, cluster in self.clusters.items()}
        unique, rows = np.unique(ids, return_index=True)
        seen.update((int(sizes[row]), -int(cluster_id)) for cluster_id, row in zip(unique, rows, strict=True))
        largest = heapq.nlargest(CLUSTERS_SHOWN, seen)
        self.clusters = {
            -negative: self.clusters.get(-negative) or Cluster(-negative, size, 0) for size, negative in largest
        }
        here = batch.filter(pc.is_in(batch["cluster_id"], pa.array(list(self.clusters), batch["cluster_id"].type)))
        hashes = scramble(here["doc_id"].to_numpy(zero_copy_only=False))
        for row, hashed in zip(here.to_pylist(), hashes.tolist(), strict=True):
            cluster = self.clusters[row["cluster_id"]]
            cluster.kept_id = row["kept_id"]
            copy = (hashed, row["doc_id"], row["similarity"])
            cluster.copies = heapq.nsmallest(COPIES_SHOWN, [*cluster.copies, copy])


def gather_removals(run: Path) -> list[StageRemovals]:
    """Removals of copies by stage, in the order of their names, with the addresses of the clusters shown.

    Stages that remove pages for another reason than a kept copy (a score below a threshold) stand in the funnel only.
    """
    stages: dict[str, StageRemovals] = {}
    others: Counter[str] = Counter()
    for path in parquet_files(run, "removals/*/**/*.parquet"):
        stage = path.relative_to(run / "removals").parts[0]
        removals = stages.setdefault(stage, StageRemovals(stage))
        with pq.ParquetFile(path) as parquet:
            for batch in parquet.iter_batches(columns=_COLUMNS):
                copies = batch.filter(pc.is_valid(batch["kept_id"]))
                removals.add(copies)
                others[stage] += len(batch) - len(copies)
    found = [stages[name] for name in sorted(stages) if not others[name]]
    _add_urls(run, [cluster for removals in found for cluster in removals.clusters.values()])
    return found


def _add_urls(run: Path, clusters: list[Cluster]) -> None:
    wanted = {cluster.kept_id for cluster in clusters} | {copy[1] for cluster in clusters for copy in cluster.copies}
    files = parquet_files(run, "documents/**/alive=true/**/*.parquet") or parquet_files(run, "curated/**/*.parquet")
    urls = _urls(files, wanted) if wanted else {}
    for cluster in clusters:
        cluster.kept_url = urls.get(cluster.kept_id)
        cluster.copy_urls = {doc_id: urls[doc_id] for _, doc_id, _ in cluster.copies if doc_id in urls}


def _urls(files: Iterable[Path], wanted: set[int]) -> dict[int, str]:
    """Addresses of the wanted ids: 8 bytes read for each document, addresses only of row groups that hold one."""
    ids, urls = pa.array(sorted(wanted), pa.int64()), {}
    for path in files:
        with pq.ParquetFile(path) as parquet:
            for row_group in range(parquet.num_row_groups):
                column = parquet.read_row_group(row_group, columns=["doc_id"])["doc_id"]
                if not pc.any(pc.is_in(column, ids)).as_py():
                    continue
                table = parquet.read_row_group(row_group, columns=["doc_id", "url"])
                for row in table.filter(pc.is_in(table["doc_id"], ids)).to_pylist():
                    urls[row["doc_id"]] = mask_text(row["url"] or "")[0]
        if len(urls) == len(wanted):
            break
    return urls
