"""Rehydration: how often a survivor is repeated in training, by the size of its cluster. What FineWeb2 does.

Being copied by many people is a mild sign of quality, so dedup that leaves one copy of everything throws a signal
away. Two forms, both of FineWeb2 (arXiv 2506.20920; its repository's README and misc/rehydration):

by size      a fixed table: 1 -> 1, 2 -> 2, 3-4 -> 3, 5-99 -> 5, 100-999 -> 8, 1000 and more -> 1
by removal   from how many documents of each cluster size the later filters remove: at or above the share over all
             sizes 1 copy, at the lowest share `most` copies, linear between, over a moving average of 5 sizes
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

SIZES = np.array([1, 2, 3, 5, 100, 1000])  # lower ends of the size classes ...
COPIES = np.array([1, 2, 3, 5, 8, 1])  # ... and the copies of each
WINDOW = 5  # sizes that one removal rate is averaged over


class Fate(NamedTuple):
    """How many documents of one cluster size entered the later filters, and how many they removed."""

    entered: int
    removed: int


def copies_by_size(sizes: np.ndarray) -> np.ndarray:
    """Copies (int64) for cluster sizes (from 1), by the fixed table.

    >>> copies_by_size(np.array([1, 2, 4, 5, 99, 100, 999, 1000])).tolist()
    [1, 2, 3, 5, 5, 8, 8, 1]
    """
    return COPIES[np.searchsorted(SIZES, sizes, side="right") - 1]


def copies_by_removal(fates: Mapping[int, Fate], most: int = 10) -> dict[int, int]:
    """Copies for each cluster size in `fates`, by the later filters' removal rate; `most` = 10 as in the experiments.

    Reading: the moving average is over the sizes that occur, in order, two on either side, weighted by documents.

    >>> copies_by_removal({1: Fate(100, 50), 2: Fate(100, 0)}, most=4)
    {1: 1, 2: 1}
    >>> copies_by_removal({size: Fate(100, 50 - 5 * (size > 10)) for size in (1, 2, 3, 20, 30, 40, 50)}, most=4)
    {1: 1, 2: 1, 3: 1, 20: 1, 30: 3, 40: 4, 50: 4}
    """
    sizes = sorted(fates)
    entered = np.array([fates[size].entered for size in sizes], dtype=float)
    removed = np.array([fates[size].removed for size in sizes], dtype=float)
    if not entered.sum():
        return dict.fromkeys(sizes, 1)
    rates = _window_sums(removed) / np.maximum(_window_sums(entered), 1)
    overall, lowest = removed.sum() / entered.sum(), rates.min()
    if lowest >= overall:
        return dict.fromkeys(sizes, 1)
    share = np.clip((overall - rates) / (overall - lowest), 0.0, 1.0)
    copies = np.floor(1 + share * (most - 1) + 0.5).astype(int)
    return dict(zip(sizes, copies.tolist(), strict=True))


def copies_of(kept: np.ndarray, removed: np.ndarray, *, by: str = "size", most: int = 10) -> np.ndarray:
    """Copies (int64) of each kept document, from the cluster sizes of those kept and of those later filters removed.

    Raises ValueError on an unknown form.
    """
    if by not in ("size", "removal"):
        raise ValueError(f"by is {by!r}; choose one of size, removal")
    if by == "size":
        return copies_by_size(kept)
    sizes, place = np.unique(np.concatenate([kept, removed]), return_inverse=True)
    entered = np.bincount(place, minlength=len(sizes)).tolist()
    gone = np.bincount(place[len(kept) :], minlength=len(sizes)).tolist()
    fates = {size: Fate(*counts) for size, *counts in zip(sizes.tolist(), entered, gone, strict=True)}
    copies = copies_by_removal(fates, most)
    return np.array([copies[size] for size in sizes.tolist()], dtype=np.int64)[place[: len(kept)]]


def _window_sums(values: np.ndarray) -> np.ndarray:
    return np.convolve(values, np.ones(WINDOW))[WINDOW // 2 : WINDOW // 2 + len(values)]
