"""What `stars` does on Spark, on an Arrow table of keys sorted by doc_id."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.dedup.local_links import compare, places
from curation.dedup.settings import MOST_STARS
from curation.dedup.survivors import local_survivors


class Stars(NamedTuple):
    """Documents, the one that stays in favour of each, and how alike they are (NaN: unknown)."""

    ids: np.ndarray
    kept: np.ndarray
    similarity: np.ndarray


def plain_stars(keys: pa.Table, ids: np.ndarray, clusters: np.ndarray, keep: str, column: str | None) -> Stars:
    """Every member goes with the survivor of its cluster. `ids` ascend; `column` of keys tells how alike they are."""
    kept = _survivor_of_each(keys, ids, clusters, keep)
    unknown = np.full(len(ids), np.nan)
    return Stars(ids, kept, unknown if column is None else compare(keys, ids, kept, column))


def split_into_stars(
    keys: pa.Table, ids: np.ndarray, clusters: np.ndarray, keep: str, column: str, at_least: float
) -> Stars:
    """Every member goes with a survivor it is alike to; what is left after MOST_STARS rounds stays."""
    rounds = []
    for _ in range(MOST_STARS):
        found = plain_stars(keys, ids, clusters, keep, column)
        alike = (found.similarity >= at_least) | (found.ids == found.kept)
        rounds.append(Stars(*(values[alike] for values in found)))
        ids, clusters = ids[~alike], clusters[~alike]
        if not len(ids):
            break
    rounds.append(Stars(ids, ids, np.ones(len(ids))))
    return Stars(*(np.concatenate(parts) for parts in zip(*rounds, strict=True)))


def _survivor_of_each(keys: pa.Table, ids: np.ndarray, clusters: np.ndarray, keep: str) -> np.ndarray:
    members = keys.take(places(keys, ids)).append_column("cluster_id", pa.array(clusters, pa.int64()))
    kept = local_survivors(members, keep).sort_by("cluster_id")
    return kept["kept_id"].to_numpy()[np.searchsorted(kept["cluster_id"].to_numpy(), clusters)]
