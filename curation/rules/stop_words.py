"""How often each word of a list stands on a page, without a string per word of the page. Cost: about 3 ns a word."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from curation.charclass import codes_of
from curation.compiled import compiled
from curation.cutting import Cut

__all__: list[str] = []  # nothing here is a measure that a recipe may name


class WordList(NamedTuple):
    """Word i is codes[starts[i]:ends[i]]; `slots` is an open-addressing table of word numbers, -1 where it is free."""

    codes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    slots: np.ndarray


def count_listed(codes: np.ndarray, cut: Cut, words: tuple[str, ...]) -> tuple[int, int]:
    """How many different words of the list are among the pieces of a text, and how many pieces are words of the list.

    >>> text = codes_of("to be or not to be")
    >>> from curation.cutting import cut_words
    >>> count_listed(text, cut_words(text), ("be", "to", "too"))
    (2, 4)
    """
    return _count(codes, cut.starts, cut.ends, *_word_list(words))


@lru_cache(maxsize=256)  # one list per language
def _word_list(words: tuple[str, ...]) -> WordList:
    words = tuple(filter(None, dict.fromkeys(words)))
    lengths = np.array([len(word) for word in words], np.int32)
    ends = np.cumsum(lengths, dtype=np.int32)
    codes = codes_of("".join(words))
    return WordList(codes, ends - lengths, ends, _slots(codes, ends - lengths, ends))


@compiled
def _slot(codes, start, end, slots):
    """Where the search for a word begins, from its length and both ends: enough to tell most other words apart."""
    mixed = (
        np.uint64(codes[start]) << np.uint64(32) | np.uint64(codes[end - 1]) << np.uint64(8) | np.uint64(end - start)
    )
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(32)) & np.uint64(len(slots) - 1)


@compiled
def _slots(codes, starts, ends):
    size = 8
    while size < 4 * len(starts):
        size *= 2
    slots = np.full(size, -1, np.int32)
    for k in range(len(starts)):
        slot = _slot(codes, starts[k], ends[k], slots)
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        slots[slot] = k
    return slots


@compiled
def _count(codes, starts, ends, listed, listed_starts, listed_ends, slots):
    found = np.zeros(len(listed_starts), np.bool_)
    distinct = pieces = 0
    for k in range(len(starts)):
        slot = _slot(codes, starts[k], ends[k], slots)
        while slots[slot] >= 0:
            word = slots[slot]
            same = ends[k] - starts[k] == listed_ends[word] - listed_starts[word]
            i = 0
            while same and i < ends[k] - starts[k]:
                same = codes[starts[k] + i] == listed[listed_starts[word] + i]
                i += 1
            if same:
                distinct += not found[word]
                pieces += 1
                found[word] = True
                break
            slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
    return distinct, pieces
