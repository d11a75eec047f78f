"""Word n-grams of one page as integers: the work that all repetition measures of all sizes share.

Words are numbered in order of first appearance. An n-gram is the pair of the two (n-1)-grams it begins and ends with,
both numbers below 2^31, packed into 64 bits and numbered through an open-addressing table. An n-gram with a part that
stands on the page only once stands there only once itself and needs no look-up: beyond size 3 that is nearly all of
them. Nothing is approximate. Cost: about 30 us for sizes 1 to 10 of a page of 600 words.
"""

from __future__ import annotations

import numpy as np

from curation.compiled import compiled
from curation.cutting import Cut
from curation.page import Page

__all__: list[str] = []  # nothing here is a measure that a recipe may name

TOP_CHARS, TOP_COUNT, REPEATED, COVERED = range(4)
_SIZES = 10  # Gopher's largest n-gram; a page is profiled up to there at once, and again where a rule asks for more


class Profile:
    """N-gram statistics of the pieces of a text: its words, or its tokens."""

    def __init__(self, codes: np.ndarray, cut: Cut):
        self.cut = cut
        self._numbers = number_pieces(codes, cut)
        self._table: list[list[int]] = []

    @property
    def characters(self) -> int:
        """Code points of all pieces."""
        return self.cut.chars

    def top(self, n: int) -> tuple[int, int]:
        """Characters of the words of the most frequent n-gram (the first among equals), and its count; 0, 0 if none."""
        row = self._row(n)
        return row[TOP_CHARS], row[TOP_COUNT]

    def repeated(self, n: int) -> int:
        """Characters of n-grams seen before, scanning from the left and jumping over each one found."""
        return self._row(n)[REPEATED]

    def covered(self, n: int) -> int:
        """Characters of all words that lie in any copy of an n-gram seen more than once."""
        return self._row(n)[COVERED]

    def _row(self, n: int) -> list[int]:
        assert n >= 1, f"n-grams of {n} words"
        if n > len(self._table):
            self._table = _profile(self._numbers, self.cut.starts, self.cut.ends, max(n, _SIZES)).tolist()
        return self._table[n - 1]


_last: Profile | None = None


def profile_of(page: Page, *, punctuation: bool = False) -> Profile:
    """The profile of a page's words, or of its tokens with `punctuation`.

    The last one is kept: a page is measured a dozen times in a row, then no more.
    """
    global _last
    cut = page.token_cut if punctuation else page.word_cut
    last = _last
    if last is None or last.cut is not cut:  # the cut is held, so its identity cannot be taken by another
        last = _last = Profile(page.codes, cut)
    return last


def number_pieces(codes: np.ndarray, cut: Cut) -> np.ndarray:
    """A number for each piece, int32: equal pieces have equal numbers, counted from 0 in order of appearance."""
    return _number(codes, cut.starts, cut.ends)


@compiled
def _number(codes, starts, ends):
    """Open addressing over the pieces themselves: a slot holds the first piece of its spelling, and is compared."""
    size = 8
    while size < 2 * len(starts):
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, np.int32)
    numbers = np.empty(len(starts), np.int32)
    found = 0
    for k in range(len(starts)):
        start, length = starts[k], ends[k] - starts[k]
        mixed = np.uint64(length)
        for place in range(start, ends[k]):
            mixed = (mixed ^ np.uint64(codes[place])) * np.uint64(0x9E3779B97F4A7C15)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while slots[slot] >= 0:
            other = starts[slots[slot]]
            same = ends[slots[slot]] - other == length
            i = 0
            while same and i < length:
                same = codes[other + i] == codes[start + i]
                i += 1
            if same:
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = k
            numbers[k] = found
            found += 1
        else:
            numbers[k] = numbers[slots[slot]]
    return numbers


@compiled
def _profile(words, starts, ends, sizes):
    """int64 [sizes, 4]: for n = 1, 2, ... characters and count of the top n-gram, characters repeated and covered."""
    table = np.zeros((sizes, 4), np.int64)
    # characters of words i..j are before[j + 1] - before[i]
    before = np.zeros(len(words) + 1, np.int64)
    for i in range(len(words)):
        before[i + 1] = before[i] + ends[i] - starts[i]
    grams = words.copy()
    counts = np.zeros(len(words), np.int32)
    for n in range(1, min(sizes, len(words)) + 1):
        if n > 1:
            grams = _extend(grams, counts)
        counts[:] = 0
        for gram in grams:
            counts[gram] += 1
        first, count = _most_frequent(grams, counts)
        table[n - 1, TOP_CHARS] = before[first + n] - before[first]
        table[n - 1, TOP_COUNT] = count
        if count > 1:
            table[n - 1, REPEATED] = _scan(grams, before, n)
            table[n - 1, COVERED] = _cover(grams, counts, before, n)
    return table


@compiled
def _extend(shorter, counts):
    """Numbers of n-grams, in order of first appearance, from the numbers of (n-1)-grams and how often each stands."""
    total = len(shorter) - 1
    candidates = 0
    for i in range(total):
        candidates += counts[shorter[i]] > 1 and counts[shorter[i + 1]] > 1
    size = 8
    while size < 2 * candidates:
        size *= 2
    mask = np.uint64(size - 1)
    keys = np.full(size, -1, np.int64)
    values = np.empty(size, np.int32)
    grams = np.empty(total, np.int32)
    found = 0
    for i in range(total):
        if counts[shorter[i]] == 1 or counts[shorter[i + 1]] == 1:
            grams[i] = found
            found += 1
            continue
        key = (np.int64(shorter[i]) << 32) | np.int64(shorter[i + 1])
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


@compiled
def _most_frequent(grams, counts):
    """First position and count of the most frequent n-gram; the earliest among equals."""
    first = 0
    for i in range(1, len(grams)):
        if counts[grams[i]] > counts[grams[first]]:
            first = i
    return first, counts[grams[first]]


@compiled
def _scan(grams, before, n):
    seen = np.zeros(len(grams), np.bool_)
    characters = i = 0
    while i < len(grams):
        if seen[grams[i]]:
            characters += before[i + n] - before[i]
            i += n
        else:
            seen[grams[i]] = True
            i += 1
    return characters


@compiled
def _cover(grams, counts, before, n):
    characters = done = 0
    for i in range(len(grams)):
        if counts[grams[i]] > 1:
            characters += before[i + n] - before[max(i, done)]
            done = i + n
    return characters
