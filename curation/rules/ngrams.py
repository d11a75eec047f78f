"""Word n-grams of one page as integers: the work that all repetition measures of all sizes share.

Words are numbered in order of first appearance; an n-gram is the pair (its first n - 1 words, its last word), both
numbers below 2^31, packed into 64 bits and numbered through an open-addressing table. Nothing is approximate.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from curation.page import Page

__all__: list[str] = []  # nothing here is a measure that a recipe may name

_NONE = np.empty(0, np.int32)


class Profile:
    """N-gram statistics of a list of words; each size is computed when first asked for, and kept."""

    def __init__(self, words: list[str]):
        numbers: dict[str, int] = {}
        ids = [numbers.setdefault(word, len(numbers)) for word in words]
        lengths = np.fromiter(map(len, numbers), np.int64, len(numbers))
        self._words = np.array(ids, np.int32)
        # characters of words i..j are _ends[j + 1] - _ends[i]
        self._ends = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(lengths[self._words], out=self._ends[1:])
        self._grams = {1: self._words}

    @property
    def characters(self) -> int:
        """Code points of all words."""
        return int(self._ends[-1])

    def grams(self, n: int) -> np.ndarray:
        """Number of the n-gram at each position, int32, in order of first appearance; empty on fewer than n words."""
        assert n >= 1, f"n-grams of {n} words"
        for size in range(2, n + 1):
            if size not in self._grams:
                shorter = self._grams[size - 1]
                self._grams[size] = _extend(shorter, self._words[size - 1 :]) if len(shorter) > 1 else _NONE
        return self._grams[n]

    def top(self, n: int) -> tuple[int, int]:
        """Characters of the words of the most frequent n-gram (the first among equals), and its count; 0, 0 if none."""
        grams = self.grams(n)
        if not len(grams):
            return 0, 0
        first, count = _most_frequent(grams)
        return int(self._ends[first + n] - self._ends[first]), int(count)

    def repeated(self, n: int) -> int:
        """Characters of n-grams seen before, scanning from the left and jumping over each one found."""
        return int(_scan(self.grams(n), self._ends, n))

    def covered(self, n: int) -> int:
        """Characters of all words that lie in any copy of an n-gram seen more than once."""
        return int(_cover(self.grams(n), self._ends, n))


_last: tuple[list[str], Profile] | None = None


def profile_of(page: Page) -> Profile:
    """The profile of a page's words. The last one is kept: a page is measured a dozen times in a row, then no more."""
    global _last
    words = page.words
    last = _last
    if last is None or last[0] is not words:  # the list is held, so its identity cannot be taken by another
        last = _last = (words, Profile(words))
    return last[1]


@njit(cache=True)
def _extend(shorter, last_words):
    """Numbers of n-grams, from the numbers of (n-1)-grams and the word that follows each."""
    total = min(len(shorter), len(last_words))
    size = 8
    while size < 2 * total:
        size *= 2
    mask = np.uint64(size - 1)
    keys = np.full(size, -1, np.int64)
    values = np.empty(size, np.int32)
    grams = np.empty(total, np.int32)
    found = 0
    for i in range(total):
        key = (np.int64(shorter[i]) << 32) | np.int64(last_words[i])
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while keys[slot] != -1 and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if keys[slot] == -1:
            keys[slot] = key
            values[slot] = found
            found += 1
        grams[i] = values[slot]
    return grams


@njit(cache=True)
def _most_frequent(grams):
    """First position and count of the most frequent number; the smallest number, so the earliest, among equals."""
    counts = np.zeros(grams.max() + 1, np.int64)
    firsts = np.zeros(len(counts), np.int64)
    for i in range(len(grams)):
        if counts[grams[i]] == 0:
            firsts[grams[i]] = i
        counts[grams[i]] += 1
    best = counts.argmax()
    return firsts[best], counts[best]


@njit(cache=True)
def _scan(grams, ends, n):
    seen = np.zeros(len(grams) + n, np.bool_)
    characters = 0
    i = 0
    while i < len(grams):
        if seen[grams[i]]:
            characters += ends[i + n] - ends[i]
            i += n
        else:
            seen[grams[i]] = True
            i += 1
    return characters


@njit(cache=True)
def _cover(grams, ends, n):
    counts = np.zeros(len(grams) + n, np.int64)
    for gram in grams:
        counts[gram] += 1
    characters = 0
    done = 0
    for i in range(len(grams)):
        if counts[grams[i]] > 1:
            start = max(i, done)
            characters += ends[i + n] - ends[start]
            done = i + n
    return characters
