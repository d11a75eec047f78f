"""The peer of exact substrings: what a suffix array over all words of a corpus finds, in one process and its memory.

Lee et al. 2021 (arXiv 2107.06499) find repeats this way. Suffixes are sorted by prefix doubling (Manber, Myers 1993),
neighbours compared by Kasai's linear pass (2001). A separator of its own behind each document keeps repeats from
crossing borders. Nothing here is shared with the code it is compared with but the definition of a word.
"""

from __future__ import annotations

import numba
import numpy as np

from curation.text import words


def numbered_words(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """(symbols int64, start of each text): every distinct word a number, every document end one of its own."""
    numbers: dict[str, int] = {}
    symbols, starts = [], []
    for at, text in enumerate(texts):
        starts.append(len(symbols))
        symbols += [numbers.setdefault(word, len(numbers)) for word in words(text)]
        symbols.append(-1 - at)
    return np.array(symbols, dtype=np.int64), np.array(starts, dtype=np.int64)


def suffix_array(symbols: np.ndarray) -> np.ndarray:
    """Places of all suffixes in sorted order."""
    rank = np.unique(symbols, return_inverse=True)[1].astype(np.int64)
    step, size = 1, len(symbols)
    while True:
        behind = np.zeros(size, dtype=np.int64)
        behind[: size - step] = rank[step:] + 1
        key = rank * (size + 1) + behind
        order = np.argsort(key, kind="stable")
        fresh = np.concatenate([[0], np.cumsum(key[order][1:] != key[order][:-1])])
        rank[order] = fresh
        if fresh[-1] == size - 1:
            return order
        step *= 2


@numba.njit
def common_prefixes(symbols: np.ndarray, order: np.ndarray) -> np.ndarray:
    """For each suffix in sorted order how many symbols it shares with the one before it."""
    size = len(symbols)
    rank = np.empty(size, dtype=np.int64)
    for i in range(size):
        rank[order[i]] = i
    shared, length = np.zeros(size, dtype=np.int64), 0
    for i in range(size):
        if rank[i] == 0:
            length = 0
            continue
        j = order[rank[i] - 1]
        while i + length < size and j + length < size and symbols[i + length] == symbols[j + length]:
            length += 1
        shared[rank[i]] = length
        length = max(0, length - 1)
    return shared


def repeated_places(symbols: np.ndarray, starts: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of symbols (bool each) in any repeat of `length` words or more: (all copies, all but the first one).

    The first copy is that at the smallest place, so texts must come in the order in which copies are ranked. A copy
    that overlaps the first one in the same text is not counted as another.
    """
    order = suffix_array(symbols)
    same = common_prefixes(symbols, order) >= length
    group = np.cumsum(~same)
    first = np.full(group[-1] + 1, len(symbols))
    np.minimum.at(first, group, order)
    copies = np.bincount(group)[group]
    document = np.searchsorted(starts, order, "right")
    first_of = first[group]
    overlaps = (np.searchsorted(starts, first_of, "right") == document) & (order < first_of + length)
    return _spread(order[copies > 1], length, len(symbols)), _spread(
        order[(copies > 1) & ~overlaps], length, len(symbols)
    )


def _spread(places: np.ndarray, length: int, size: int) -> np.ndarray:
    steps = np.zeros(size + 1, dtype=np.int64)
    np.add.at(steps, places, 1)
    np.add.at(steps, places + length, -1)
    return np.cumsum(steps[:-1]) > 0
