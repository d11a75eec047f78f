"""Counters of bounded size, so that a report costs the same memory after ten pages and after ten billion."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

LENGTH_EDGES = 10.0 ** (np.arange(31) / 5)  # characters, 1 to 1,000,000, five bins to a factor of ten


class TopCounts:
    """The most frequent keys of a stream, holding at most `capacity` of them.

    Exact while the keys fit. When they do not, the rarer half is forgotten (in the manner of lossy counting: Manku and
    Motwani 2002, "Approximate Frequency Counts over Data Streams"); a count is too small by `undercount` at most.
    """

    def __init__(self, capacity: int = 200_000):
        self._capacity = capacity
        self._counts: Counter[str] = Counter()
        self.undercount = 0

    def add(self, counts: Mapping[str, int]) -> None:
        self._counts.update(counts)
        if len(self._counts) > self._capacity:
            half = heapq.nlargest(self._capacity // 2 + 1, self._counts.items(), key=lambda item: (item[1], item[0]))
            *kept, (_, largest_forgotten) = half
            self.undercount += largest_forgotten
            self._counts = Counter(dict(kept))

    def most_common(self, number: int) -> list[tuple[str, int]]:
        """Ties by key, so that the order does not depend on the order of the files."""
        return sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))[:number]


class SmallestHash:
    """For each key the `number` rows of smallest rank: a sample that depends on the rows, not on their order.

    A rank is any tuple that begins with what is preferred and holds the hash of the document id.
    """

    def __init__(self, number: int):
        self._number = number
        self._chosen: dict[str, list[tuple]] = {}

    def offer(self, key: str, ranked: Iterable[tuple]) -> None:
        """`ranked` rows are (rank, ..., whatever leads back to the row); the caller gives the best few of a batch."""
        self._chosen[key] = heapq.nsmallest(self._number, [*self._chosen.get(key, ()), *ranked])

    def items(self) -> list[tuple[str, list[tuple]]]:
        return sorted(self._chosen.items())


def scramble(doc_ids: np.ndarray) -> np.ndarray:
    """64-bit finaliser of splitmix64 (Steele, Lea and Flood 2014): ids to hashes without pattern, int64 to uint64."""
    mixed = doc_ids.astype(np.int64).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def length_histogram(chars: np.ndarray) -> np.ndarray:
    """Pages per bin of LENGTH_EDGES. Empty texts are in no bin; longer ones than the last edge are in the last.

    >>> length_histogram(np.array([0, 1, 5_000_000])).nonzero()[0].tolist()
    [0, 29]
    """
    bins = np.searchsorted(LENGTH_EDGES, chars[chars > 0], side="right") - 1
    last = len(LENGTH_EDGES) - 2
    return np.bincount(np.minimum(bins, last), minlength=last + 1)
