"""Compiled scan of texts for n-grams of a hash set: UTF-8 bytes -> words of the comparison form -> 64-bit n-grams.

The words are those of `curation.dedup.form`, cut by the same kernels as for MinHash, so both sides of the comparison
(benchmark items and pages) pass through one definition. No Python object per word; a page without a hit costs nothing
but the scan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.dedup.columns import text_buffers
from curation.dedup.folding import AT_START, CHUNK, NO_NUMBER, NO_WORD, cut_words, fold
from curation.dedup.form import FoldingTables, folding_tables
from curation.dedup.mix import compiled, mix64

# Start value and odd multiplier of word and n-gram hashes: fractional digits of pi, and 2^64 / golden ratio.
_SEED, _MULTIPLIER = np.uint64(0x452821E638D01377), np.uint64(0x9E3779B97F4A7C15)
_ONE, _SIX, _LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)
_HALF = np.uint64(32)  # slots go by the upper half of a hash, the filter by the lower
_FREE = np.uint64(0)  # an empty slot; an n-gram that hashes to 0 counts as 1
_FILTER_BITS = 16  # bits of the filter for each n-gram of the set: one in 16 strangers passes


class GramSet(NamedTuple):
    """An exact set of 64-bit hashes: open addressing, at most half full, behind a small filter.

    `filter` (uint64, one bit an entry) answers most questions from the second-level cache, where `slots` would cost a
    trip to memory for each word of the corpus.
    """

    slots: np.ndarray  # uint64 [2^k]
    filter: np.ndarray  # uint64 [2^j]


class Found(NamedTuple):
    """`rows`, `places` (number of the n-gram's first word in its text) and `grams` of each n-gram found, in order.

    `words` int64 [texts]: words of each text.
    """

    rows: np.ndarray
    places: np.ndarray
    grams: np.ndarray
    words: np.ndarray


def gram_set(grams: np.ndarray) -> GramSet:
    """The set of these hashes (uint64). 16 to 32 bytes for each, and 2 to 4 for the filter."""
    slots = np.zeros(_power_above(2 * len(grams)), dtype=np.uint64)
    bits = np.zeros(max(1, _power_above(_FILTER_BITS * len(grams)) // 64), dtype=np.uint64)
    _fill(grams, slots, bits)
    return GramSet(slots, bits)


def all_grams(texts: pa.Array, ngram: int) -> Found:
    """Every n-gram of each text.

    >>> all_grams(pa.array(["One, two three!", "one two"]), ngram=2).places.tolist()
    [0, 1, 0]
    """
    nothing = np.zeros(1, dtype=np.uint64)
    return Found(*_scan(*text_buffers(texts), folding_tables(), ngram, nothing, nothing, True))


def grams_in(texts: pa.Array, ngram: int, wanted: GramSet) -> Found:
    """The n-grams of each text (string or large_string) that are in the set."""
    return Found(*_scan(*text_buffers(texts), folding_tables(), ngram, wanted.slots, wanted.filter, False))


def _power_above(count: int) -> int:
    return 1 << max(1, count).bit_length()


@compiled
def _fill(grams: np.ndarray, slots: np.ndarray, bits: np.ndarray) -> None:
    mask, bit_mask = np.uint64(len(slots) - 1), np.uint64(64 * len(bits) - 1)
    for gram in grams:
        bit = gram & bit_mask
        bits[bit >> _SIX] |= _ONE << (bit & _LOW_SIX)
        slot = (gram >> _HALF) & mask
        while slots[slot] != _FREE and slots[slot] != gram:
            slot = (slot + _ONE) & mask
        slots[slot] = gram


@compiled
def _holds(gram: np.uint64, slots: np.ndarray, bits: np.ndarray) -> bool:
    bit = gram & np.uint64(64 * len(bits) - 1)
    if bits[bit >> _SIX] >> (bit & _LOW_SIX) & _ONE == _FREE:
        return False
    mask = np.uint64(len(slots) - 1)
    slot = (gram >> _HALF) & mask
    while slots[slot] != _FREE:
        if slots[slot] == gram:
            return True
        slot = (slot + _ONE) & mask
    return False


@compiled
def _scan(
    data: np.ndarray, offsets: np.ndarray, valid: np.ndarray, tables: FoldingTables,
    ngram: int, slots: np.ndarray, bits: np.ndarray, everything: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    items = np.empty(CHUNK, dtype=np.uint32)
    words = np.empty(CHUNK + ngram, dtype=np.uint64)
    grams = np.empty(CHUNK + ngram, dtype=np.uint64)
    total = np.zeros(len(valid), dtype=np.int64)
    room, found = 1024, 0
    rows, places, hashes = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint64)
    for row in range(len(valid)):
        at, stop = offsets[row], offsets[row + 1] if valid[row] else offsets[row]
        number, space, word, state, carried, done = NO_NUMBER, AT_START, _SEED, NO_WORD, 0, 0
        while at < stop:
            at, count, number, space = fold(data, at, stop, number, space, tables, items)
            cut, word, state = cut_words(items, count, word, state, _SEED, _MULTIPLIER, words[carried:])
            n = carried + cut
            if at >= stop and state != NO_WORD:
                words[n] = mix64(word)
                n += 1
            whole = max(n - ngram + 1, 0)
            _roll(words, whole, ngram, grams)
            for k in range(whole):
                if everything or _holds(grams[k], slots, bits):
                    if found == room:
                        rows, places, hashes = _doubled(rows), _doubled(places), _doubled(hashes)
                        room *= 2
                    rows[found], places[found], hashes[found] = row, done + k, grams[k]
                    found += 1
            carried = n - whole
            done += whole
            for k in range(carried):
                words[k] = words[whole + k]
        total[row] = done + carried
    return rows[:found], places[:found], hashes[:found], total


@compiled
def _roll(words: np.ndarray, count: int, ngram: int, grams: np.ndarray) -> None:
    """Hash of words[k : k + ngram] for each k < count: a polynomial that rolls on, so a long n-gram is no dearer."""
    power, rolling = _ONE, np.uint64(0)
    for _ in range(ngram):
        power *= _MULTIPLIER
    for k in range(ngram - 1):
        rolling = (rolling + words[k]) * _MULTIPLIER
    for k in range(count):
        rolling = (rolling + words[k + ngram - 1]) * _MULTIPLIER
        gram = mix64(rolling + _SEED)
        grams[k] = max(gram, _ONE)
        rolling -= words[k] * power


@compiled
def _doubled(values: np.ndarray) -> np.ndarray:
    larger = np.empty(2 * len(values), dtype=values.dtype)
    larger[: len(values)] = values
    return larger
