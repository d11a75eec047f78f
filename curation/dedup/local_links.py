"""What `links` does on Spark, on an Arrow table of keys sorted by doc_id."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.bands import band_keys, salted, salts
from curation.dedup.columns import matrix
from curation.dedup.duplicates import MinHash
from curation.dedup.settings import HUBS
from curation.dedup.similarity import similarities


class Rows(NamedTuple):
    """Bucket, document and hub of each member of a bucket that is not the hub itself; three arrays of one length."""

    key: np.ndarray
    src: np.ndarray
    dst: np.ndarray


def buckets(stage: MinHash, keys: pa.Table) -> Rows:
    """Each document of a bucket of two or more with the smallest id of it. `keys` ascend by doc_id."""
    banded = keys.filter(pc.is_valid(keys[stage.banded]))
    if len(banded) == 0:
        return Rows(*(np.zeros(0, np.int64) for _ in range(3)))
    if stage.store == "bands":
        found = matrix(banded["bands"], "<i8")
    else:
        found = band_keys(matrix(banded["signature"], "<u4"), stage.bands, stage.rows)
    if stage.scope == "snapshot":
        found = salted(found, salts_of(banded))
    return _linked(found.ravel(), np.repeat(banded["doc_id"].to_numpy(), stage.bands))


def verified_links(rows: Rows, keys: pa.Table, column: str, at_least: float) -> tuple[np.ndarray, np.ndarray]:
    """(src, dst) of links whose ends are alike enough; others try up to HUBS hubs. See `links.verified_links`."""
    sources, hubs = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for _ in range(HUBS):
        pairs, place = np.unique(np.stack([rows.src, rows.dst]), axis=1, return_inverse=True)
        alike = compare(keys, pairs[0], pairs[1], column) >= at_least
        sources.append(pairs[0][alike])
        hubs.append(pairs[1][alike])
        unlike = ~alike[place.ravel()]
        order = np.argsort(rows.src[unlike], kind="stable")
        rows = _linked(rows.key[unlike][order], rows.src[unlike][order])
        if not len(rows.src):
            break
    return np.concatenate(sources), np.concatenate(hubs)


def compare(keys: pa.Table, left: np.ndarray, right: np.ndarray, column: str) -> np.ndarray:
    """Similarity of the documents `left` and `right` (ids) by a column of keys; a million pairs at a time."""
    found = [np.zeros(0)]
    for start in range(0, len(left), 1 << 20):
        part = slice(start, start + (1 << 20))
        a, b = (keys[column].take(places(keys, ids[part])) for ids in (left, right))
        found.append(similarities(a, b, column))
    return np.concatenate(found)


def places(keys: pa.Table, wanted: np.ndarray) -> pa.Array:
    """Rows of `keys`, which ascend by doc_id, that hold the wanted ids."""
    return pa.array(np.searchsorted(keys["doc_id"].to_numpy(), wanted), pa.int64())


def least_of_group(ids: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """For each row the smallest id among the rows of its group. `ids` ascend, so that is the first of the group."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return ids[first][group]


def salts_of(keys: pa.Table) -> np.ndarray:
    """One salt for each row, by source and snapshot."""
    return salts(keys["source"].to_pylist(), keys["snapshot"].to_pylist())


def _linked(key: np.ndarray, ids: np.ndarray) -> Rows:
    hub = least_of_group(ids, key)
    linked = ids != hub
    return Rows(key[linked], ids[linked], hub[linked])
