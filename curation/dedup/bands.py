"""Band keys: documents that share one become candidates.

A signature of bands x rows values is cut into bands; the key of a band is a 64-bit hash of its rows and its number.
Where only copies within a snapshot count, a salt keeps snapshots apart; it is mixed in when the keys are compared, so
stored keys serve either scope. Among the 2.8e11 keys of 20 G documents at 14 bands about 2,100 pairs of keys collide
by chance, one in 10^8 of them.
"""

from __future__ import annotations

import numpy as np
import xxhash

from curation.compiled import compiled
from curation.dedup.mix import mix64


def band_keys(values: np.ndarray, bands: int, rows: int) -> np.ndarray:
    """Keys, int64 [n, bands], of signatures `values`, uint32 [n, at least bands x rows]; further columns are not used.

    Raises ValueError where the signatures hold too few hashes.
    """
    if values.shape[1] < bands * rows and len(values):
        raise ValueError(
            f"{bands} bands of {rows} rows need {bands * rows} hashes, the signatures hold {values.shape[1]}: "
            f"choose fewer bands or rows, or sign again with hashes={bands * rows}"
        )
    keys = np.empty((len(values), bands), dtype=np.int64)
    _fill(np.ascontiguousarray(values, dtype=np.uint32), rows, keys)
    return keys


def salted(keys: np.ndarray, salt: np.ndarray) -> np.ndarray:
    """Keys (int64 [n, bands]) that are equal only where the salt (uint64 [n], see `salts`) is equal too."""
    mixed = np.empty_like(keys)
    _salt(np.ascontiguousarray(keys), salt, mixed)
    return mixed


def salts(sources: list[str], snapshots: list[str]) -> np.ndarray:
    """One salt (uint64 [n]) per document: equal where both source and snapshot are, different otherwise."""
    known: dict[tuple[str, str], int] = {}
    for pair in zip(sources, snapshots, strict=True):
        if pair not in known:
            known[pair] = xxhash.xxh3_64_intdigest("\x1f".join(pair).encode())
    return np.array([known[pair] for pair in zip(sources, snapshots, strict=True)], dtype=np.uint64)


@compiled
def _fill(values: np.ndarray, rows: int, keys: np.ndarray) -> None:
    for n in range(len(keys)):
        for band in range(keys.shape[1]):
            key = mix64(np.uint64(band + 1))
            for row in range(band * rows, (band + 1) * rows):
                key = mix64(key ^ np.uint64(values[n, row]))
            keys[n, band] = np.int64(key)


@compiled
def _salt(keys: np.ndarray, salt: np.ndarray, mixed: np.ndarray) -> None:
    for n in range(len(keys)):
        for band in range(keys.shape[1]):
            mixed[n, band] = np.int64(mix64(np.uint64(keys[n, band]) ^ salt[n]))
