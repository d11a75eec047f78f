"""Per snapshot or global: what each scope of a stage removes, by age of the page. FineWeb's experiment on any corpus.

Source: FineWeb (arXiv 2406.17557, section 3.4): over 96 snapshots, each compared with all newer ones, up to 90 % of the
oldest went, and what stayed of 2013-48 (31 billion tokens) made a worse model than what went (171 billion tokens once
that was deduplicated by itself). Newer copies stayed there: `keep: newest`.

Works on a table of keys, in memory, as `local` does: 200,000 documents in seconds. The keys hold signatures or band
keys without any mark of the snapshot, so both scopes are decided on the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.duplicates import Duplicates
from curation.dedup.local import without_shared_ids
from curation.dedup.stages import LocalDecision
from curation.errors import InputError

SCOPES = ("snapshot", "global")
FATES = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("snapshot", pa.string()),
        pa.field("chars", pa.int64()),
        pa.field("gone_snapshot", pa.bool_()),  # removed with scope: snapshot
        pa.field("gone_global", pa.bool_()),  # removed with scope: global
        # Where the global cluster of the page has other members:
        pa.field("copy_here", pa.bool_()),
        pa.field("copy_newer", pa.bool_()),
        pa.field("copy_older", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Left:
    """One snapshot under one scope; `chars` are characters."""

    scope: str
    snapshot: str
    documents: int
    removed: int
    chars: int
    chars_removed: int

    @property
    def share_left(self) -> float:
        """Of the documents; 0 where there are none."""
        return 1 - self.removed / self.documents if self.documents else 0.0


def scope_fates(stage: Duplicates, keys: pa.Table) -> pa.Table:
    """FATES of every document in `keys` (rows of the stage's `key_schema`), in order of doc_id.

    Snapshots are ordered by name, which is their age for `CC-MAIN-<year>-<week>`. Raises InputError where `keys` holds
    several sources: a copy in another source is no older or newer one.
    """
    sources = pc.unique(keys["source"]).to_pylist()
    if len(sources) > 1:
        raise InputError(f"the keys are of {len(sources)} sources ({', '.join(sources)}); compare scopes of one source")
    keys = without_shared_ids(keys).sort_by("doc_id")
    decisions = {scope: replace(stage, scope=scope).local_removals(keys) for scope in SCOPES}
    gone = {scope: pc.is_in(keys["doc_id"], decision.removals["doc_id"]) for scope, decision in decisions.items()}
    here, newer, older = _relatives(keys, decisions["global"])
    columns = [keys["doc_id"], keys["snapshot"], keys["chars"], gone["snapshot"], gone["global"], here, newer, older]
    return pa.table(columns, schema=FATES)


def left_by_snapshot(fates: pa.Table) -> list[Left]:
    """What each scope leaves of each snapshot: `snapshot` first, snapshots in order of age, oldest first."""
    rows = []
    for scope in SCOPES:
        counted = fates.append_column(
            "chars_gone", pc.multiply(fates["chars"], fates[f"gone_{scope}"].cast(pa.int64()))
        )
        table = counted.group_by("snapshot").aggregate(
            [("doc_id", "count"), (f"gone_{scope}", "sum"), ("chars", "sum"), ("chars_gone", "sum")]
        )
        for row in table.sort_by("snapshot").to_pylist():
            rows.append(
                Left(scope, row["snapshot"], row["doc_id_count"], row[f"gone_{scope}_sum"], row["chars_sum"],
                     row["chars_gone_sum"])
            )  # fmt: skip
    return rows


def _relatives(keys: pa.Table, decision: LocalDecision) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each key, whether its cluster holds another document of the same, of a newer and of an older snapshot."""
    ids = keys["doc_id"].to_numpy()
    _, age = np.unique(np.array(keys["snapshot"].to_pylist(), dtype=object), return_inverse=True)
    here, newer, older = (np.zeros(len(ids), dtype=bool) for _ in range(3))
    if not len(decision.clusters):
        return here, newer, older
    rows = np.searchsorted(ids, decision.clusters["doc_id"].to_numpy())
    _, cluster = np.unique(decision.clusters["cluster_id"].to_numpy(), return_inverse=True)
    youngest = np.full(cluster.max() + 1, -1)
    oldest = np.full(cluster.max() + 1, len(ids))
    np.maximum.at(youngest, cluster, age[rows])
    np.minimum.at(oldest, cluster, age[rows])
    _, place, count = np.unique(np.stack([cluster, age[rows]]), axis=1, return_inverse=True, return_counts=True)
    here[rows] = count[place.ravel()] > 1
    newer[rows] = youngest[cluster] > age[rows]
    older[rows] = oldest[cluster] < age[rows]
    return here, newer, older
