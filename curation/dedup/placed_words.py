"""Words with their places, compiled: UTF-8 bytes -> for each word a 64-bit hash and where it stands, in code points.

The words are exactly those of `curation.text.words`, as they are written: case and digits count, the marks and the
white space between words do not. `ends` take in the closing marks and blanks behind a word, so that what is cut out
from one word to another leaves neither a stray full stop nor two spaces.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import regex

from curation.dedup.folding import decode
from curation.dedup.mix import compiled, mix64
from curation.text import JOINER, UNSPACED
from curation.text import SPACED as SPACED_CHARS

# What a code point is to a word. LETTER and MARK make words of spaced scripts; a SOLO letter is a word with the MARK or
# SOLO_MARK behind it; INNER joins two LETTERs; CLOSER and BLANK are cut along with the word before them.
OTHER, LETTER, MARK, SOLO, SOLO_MARK, INNER, CLOSER, BLANK = range(8)
# Where the walk over a text stands: outside, in a word of a spaced script, in a SOLO word, behind one, in its blanks.
OUTSIDE, IN_WORD, IN_SOLO, BEHIND, IN_BLANKS = range(5)

# Primes of xxHash64 (Y. Collet, public domain): odd, so no single differing letter is lost in a product.
_SEED, _MULTIPLIER = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)


class PlacedWords(NamedTuple):
    """`hashes` uint64, `starts` and `ends` int32, each [words]; places count code points from the start of the text."""

    hashes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


def placed_words(data: np.ndarray) -> PlacedWords:
    """The words of one text given as UTF-8 bytes (uint8). Holds 16 bytes of memory per 2 bytes of text meanwhile.

    >>> text = "Well, don't."
    >>> words = placed_words(np.frombuffer(text.encode(), dtype=np.uint8))
    >>> [text[start:end] for start, end in zip(words.starts, words.ends)]
    ['Well, ', "don't."]
    """
    most = len(data) // 2 + 1  # a word of one byte needs another between it and the next
    hashes, starts, ends = np.empty(most, np.uint64), np.empty(most, np.int32), np.empty(most, np.int32)
    count = _place(data, word_classes(), hashes, starts, ends)
    return PlacedWords(hashes[:count], starts[:count], ends[:count])


@cache
def word_classes() -> np.ndarray:
    """Class of each code point, uint8 [0x110000]; built once per process from the patterns of `curation.text`."""
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    everything = "".join(map(chr, codes))
    classes = np.zeros(0x110000, dtype=np.uint8)
    for kind, pattern in (
        (BLANK, r"[\p{Zs}\t]"),
        (CLOSER, r"[\p{Pe}\p{Pf}\p{Po}]"),
        (LETTER, SPACED_CHARS),
        (MARK, rf"[{SPACED_CHARS}&&\p{{M}}]"),
        (SOLO, rf"[[{UNSPACED}]&&[\p{{L}}\p{{N}}]]"),
        (SOLO_MARK, rf"[[{UNSPACED}]&&\p{{M}}]"),
        (INNER, JOINER),  # after CLOSER: the apostrophe is both
    ):
        for run in regex.finditer(rf"(?V1){pattern}++", everything):
            classes[codes[run.start()] : codes[run.end() - 1] + 1] = kind
    return classes


@compiled
def _place(data: np.ndarray, classes: np.ndarray, hashes: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> int:
    n, at, place, state, word = 0, 0, 0, OUTSIDE, _SEED
    stop = len(data)
    while at < stop:
        code, after = _next(data, at, stop)
        kind = classes[code]
        if state == IN_WORD:
            goes_on = kind in (LETTER, MARK)
            if kind == INNER and after < stop:
                following, _ = _next(data, after, stop)
                goes_on = classes[following] in (LETTER, MARK)
        else:
            goes_on = state == IN_SOLO and kind in (MARK, SOLO_MARK)
        if goes_on:
            word = (word ^ np.uint64(code)) * _MULTIPLIER
        else:
            if state in (IN_WORD, IN_SOLO):
                hashes[n], ends[n] = mix64(word), place
                n += 1
                state = BEHIND
            if kind in (LETTER, MARK, SOLO):
                starts[n] = place
                word = (_SEED ^ np.uint64(code)) * _MULTIPLIER
                state = IN_SOLO if kind == SOLO else IN_WORD
            elif state in (BEHIND, IN_BLANKS) and kind == BLANK:
                ends[n - 1] = place + 1
                state = IN_BLANKS
            elif state == BEHIND and kind in (CLOSER, INNER):
                ends[n - 1] = place + 1
            else:
                state = OUTSIDE
        at = after
        place += 1
    if state in (IN_WORD, IN_SOLO):
        hashes[n], ends[n] = mix64(word), place
        n += 1
    return n


@compiled
def _next(data: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    if data[at] < 0x80:
        return np.int64(data[at]), at + 1
    return decode(data, at, stop)
