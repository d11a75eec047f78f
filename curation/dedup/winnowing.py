"""Winnowed fingerprints of a text, and its windows: how a repeat of `length` words is found without comparing texts.

A window is `length` words in a row. Of the length // 2-word hashes in it the least is its fingerprint, so equal windows
have equal fingerprints wherever they stand, and neighbouring windows mostly share one: two in about length / 2 words
are kept, not one per word. Only windows whose fingerprint occurs at two places can repeat, and only those are hashed.

Source: Schleimer, Wilkerson, Aiken 2003, Winnowing: Local Algorithms for Document Fingerprinting (SIGMOD): of w
neighbouring k-gram hashes the least is selected, ties to the right; any repeat of w + k - 1 words shares one, and of
random text 2 / (w + 1) of the hashes are selected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from curation.dedup.mix import compiled, mix64
from curation.dedup.placed_words import PlacedWords

# Odd multipliers (primes of xxHash64 and XXH3, Y. Collet, public domain) of three independent rolling hashes.
_GRAM, _HIGH, _LOW = np.uint64(0x9E3779B185EBCA87), np.uint64(0x165667B19E3779F9), np.uint64(0x85EBCA77C2B2AE63)


class Windows(NamedTuple):
    """Windows of one text: `high` and `low` (int64) are a 128-bit hash of its words; `number` is that of its first

    word; `start` and `end` (code points) reach from its first word to the marks and blanks behind its last.
    """

    high: np.ndarray
    low: np.ndarray
    number: np.ndarray
    start: np.ndarray
    end: np.ndarray


def fingerprints(words: PlacedWords, length: int) -> np.ndarray:
    """Fingerprints (int64, ascending) of all windows of a text; one that stands at two places or more is there twice.

    A text of fewer than `length` words has none.
    """
    least, where = _fingerprint_windows(words.hashes, length)
    if not len(least):
        return least.view(np.int64)
    moved = np.concatenate([[True], where[1:] != where[:-1]])
    selected = np.sort(least[moved].view(np.int64))
    third = np.zeros(len(selected), dtype=bool)
    third[2:] = selected[2:] == selected[:-2]
    return selected[~third]


def windows_with(words: PlacedWords, length: int, wanted: np.ndarray) -> Windows:
    """The windows of a text whose fingerprint is among `wanted` (int64, ascending)."""
    least, _ = _fingerprint_windows(words.hashes, length)
    place = np.searchsorted(wanted, least.view(np.int64))
    place[place == len(wanted)] = 0
    numbers = np.flatnonzero(wanted[place] == least.view(np.int64)) if len(wanted) else np.zeros(0, np.int64)
    high = _rolled(words.hashes, length, _HIGH)[numbers].view(np.int64)
    low = _rolled(words.hashes, length, _LOW)[numbers].view(np.int64)
    return Windows(high, low, numbers, words.starts[numbers], words.ends[numbers + length - 1])


def _fingerprint_windows(hashes: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Fingerprint (uint64) of each window and the number of the word at which it stands."""
    gram = length // 2
    grams = _rolled(hashes, gram, _GRAM)
    across = length - gram + 1
    least = np.empty(max(0, len(hashes) - length + 1), dtype=np.uint64)
    where = np.empty(len(least), dtype=np.int64)
    _least_of_each(grams, across, least, where)
    return least, where


def _rolled(hashes: np.ndarray, length: int, multiplier: np.uint64) -> np.ndarray:
    """Hash (uint64) of hashes[i : i + length] for each i at which so many are left."""
    rolled = np.empty(max(0, len(hashes) - length + 1), dtype=np.uint64)
    if len(rolled):
        _roll(hashes, length, multiplier, rolled)
    return rolled


@compiled
def _roll(hashes: np.ndarray, length: int, multiplier: np.uint64, rolled: np.ndarray) -> None:
    """The polynomial h1 m^n + ... + hn m modulo 2^64, mixed; it rolls on, so a long window is no dearer."""
    power, rolling = np.uint64(1), np.uint64(0)
    for _ in range(length):
        power *= multiplier
    for k in range(length - 1):
        rolling = (rolling + hashes[k]) * multiplier
    for k in range(len(rolled)):
        rolling = (rolling + hashes[k + length - 1]) * multiplier
        rolled[k] = mix64(rolling)
        rolling -= hashes[k] * power


@compiled
def _least_of_each(grams: np.ndarray, across: int, least: np.ndarray, where: np.ndarray) -> None:
    """Least of grams[i : i + across] for each i, and its place, the last of equals.

    Looks over a whole window only when the least one falls out of it: once in about `across` / 2 words.
    """
    best = -1
    for i in range(len(least)):
        if best < i:
            best = i
            for k in range(i + 1, i + across):
                if grams[k] <= grams[best]:
                    best = k
        elif grams[i + across - 1] <= grams[best]:
            best = i + across - 1
        least[i], where[i] = grams[best], best
