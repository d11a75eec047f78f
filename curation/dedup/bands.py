"""Band keys: documents that share one become candidates.

A signature of bands x rows values is cut into bands; the key of a band is a 64-bit hash of its rows, its number, and
a salt that keeps snapshots apart where only copies within a snapshot count. Among the 2.8e11 keys of 20 G documents
at 14 bands about 2,100 pairs of keys collide by chance, one in 10^8 of them.
"""

from __future__ import annotations

import numpy as np
import xxhash

from curation.compiled import compiled
from curation.dedup.mix import mix64


def band_keys(values: np.ndarray, bands: int, rows: int, snapshot_salt: np.ndarray | None = None) -> np.ndarray:
    """Keys, int64 [n, bands], of signatures `values`, uint32 [n, at least bands x rows]; further columns are not used.

    `snapshot_salt`, uint64 [n], is mixed in (see `salts`); without it all documents share one space of keys.
    """
    if values.shape[1] < bands * rows and len(values):
        raise ValueError(
            f"{bands} bands of {rows} rows need {bands * rows} hashes, the signatures hold {values.shape[1]}: "
            f"choose fewer bands or rows, or sign again with hashes={bands * rows}"
        )
    salt = np.zeros(len(values), dtype=np.uint64) if snapshot_salt is None else snapshot_salt
    keys = np.empty((len(values), bands), dtype=np.int64)
    _fill(np.ascontiguousarray(values, dtype=np.uint32), rows, salt, keys)
    return keys


def salts(sources: list[str], snapshots: list[str]) -> np.ndarray:
    """One salt (uint64 [n]) per document: equal where both source and snapshot are, different otherwise."""
    known: dict[tuple[str, str], int] = {}
    for pair in zip(sources, snapshots, strict=True):
        if pair not in known:
            known[pair] = xxhash.xxh3_64_intdigest("\x1f".join(pair).encode())
    return np.array([known[pair] for pair in zip(sources, snapshots, strict=True)], dtype=np.uint64)


@compiled
def _fill(values: np.ndarray, rows: int, salt: np.ndarray, keys: np.ndarray) -> None:
    for n in range(len(keys)):
        for band in range(keys.shape[1]):
            key = mix64(salt[n] ^ np.uint64(band + 1))
            for row in range(band * rows, (band + 1) * rows):
                key = mix64(key ^ np.uint64(values[n, row]))
            keys[n, band] = np.int64(key)
