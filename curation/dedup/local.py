"""`minhash` and `exact` on an Arrow table of keys, without Spark: some ten million documents on one machine."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.bands import band_keys, salts
from curation.dedup.columns import matrix
from curation.dedup.components import local_components
from curation.dedup.stages import CLUSTERS, REMOVALS, Duplicates, Exact, LocalDecision, MinHash
from curation.dedup.survivors import local_survivors


def decide(stage: Duplicates, keys: pa.Table) -> LocalDecision:
    """Removals and clusters of all documents in `keys` (rows of the stage's `key_schema`)."""
    keys = _without_shared_ids(keys).sort_by("doc_id")
    if isinstance(stage, MinHash):
        links = _minhash_links(stage, keys)
    else:
        assert isinstance(stage, Exact)
        links = _exact_links(stage, keys)
    ids, cluster_ids = local_components(*links)
    everyone = keys["doc_id"].to_numpy()
    members = keys.take(np.searchsorted(everyone, ids)).append_column("cluster_id", pa.array(cluster_ids))
    kept = local_survivors(members, stage.keep)
    place = np.searchsorted(*_sorted(kept, "cluster_id", cluster_ids))
    decided = members
    for name in ("kept_id", "cluster_size"):
        decided = decided.append_column(name, kept.sort_by("cluster_id")[name].take(pa.array(place)))
    removed = decided.filter(pc.not_equal(decided["doc_id"], decided["kept_id"]))
    removed = removed.append_column("stage", pa.repeat(pa.scalar(stage.name, pa.string()), len(removed)))
    removed = removed.append_column("similarity", pa.array(_similarity(stage, removed, keys), pa.float64()))
    return LocalDecision(removed.select(REMOVALS.names).cast(REMOVALS), decided.select(CLUSTERS.names).cast(CLUSTERS))
