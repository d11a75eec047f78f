"""Word n-grams of one page as integers: the work that all repetition measures of all sizes share.

Words are numbered in order of first appearance. An n-gram is the pair of the two (n-1)-grams it begins and ends with,
both numbers below 2^31, packed into 64 bits and numbered through an open-addressing table. An n-gram with a part that
stands on the page only once stands there only once itself, so each size looks only at what the size before left: beyond
size 3 that is little. Nothing is approximate. Cost: about 20 us for sizes 1 to 10 of a page of 600 words.
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
    places, grams = np.arange(len(words)), words
    for n in range(1, min(sizes, len(words)) + 1):
        if n > 1:
            places, grams = _extend(places, grams)
        places, grams, counts = _seen_again(places, grams)
        first, count = 0, 1
        for k in range(len(grams)):
            if counts[grams[k]] > count:
                first, count = places[k], counts[grams[k]]
        table[n - 1, TOP_CHARS] = before[first + n] - before[first]
        table[n - 1, TOP_COUNT] = count
        table[n - 1, REPEATED] = _scan(places, grams, len(counts), before, n)
        table[n - 1, COVERED] = _cover(places, before, n)
    return table


@compiled
def _seen_again(places, grams):
    """Only the n-grams that stand on the page more than once: their places, their numbers, the count of each number."""
    counts = np.zeros(len(grams), np.int32)
    for gram in grams:
        counts[gram] += 1
    kept = 0
    kept_places, kept_grams = np.empty(len(grams), np.int64), np.empty(len(grams), np.int32)
    for k in range(len(grams)):
        if counts[grams[k]] > 1:
            kept_places[kept], kept_grams[kept] = places[k], grams[k]
            kept += 1
    return kept_places[:kept], kept_grams[:kept], counts


@compiled
def _extend(places, grams):
    """Places and numbers of the n-grams both of whose (n-1)-grams are among those given, numbered as they appear."""
    size = 8
    while size < 2 * len(grams):
        size *= 2
    mask = np.uint64(size - 1)
    keys = np.full(size, -1, np.int64)
    values = np.empty(size, np.int32)
    longer_places, longer = np.empty(len(grams), np.int64), np.empty(len(grams), np.int32)
    total = found = 0
    for k in range(len(grams) - 1):
        if places[k + 1] != places[k] + 1:
            continue
        key = (np.int64(grams[k]) << 32) | np.int64(grams[k + 1])
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while keys[slot] != -1 and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if keys[slot] == -1:
            keys[slot] = key
            values[slot] = found
            found += 1
        longer_places[total], longer[total] = places[k], values[slot]
        total += 1
    return longer_places[:total], longer[:total]


@compiled
def _scan(places, grams, numbers, before, n):
    seen = np.zeros(numbers, np.bool_)
    characters = done = 0
    for k in range(len(grams)):
        if places[k] < done:
            continue
        if seen[grams[k]]:
            characters += before[places[k] + n] - before[places[k]]
            done = places[k] + n
        seen[grams[k]] = True
    return characters


@compiled
def _cover(places, before, n):
    characters = done = 0
    for place in places:
        characters += before[place + n] - before[max(place, done)]
        done = place + n
    return characters
