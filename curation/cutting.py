"""Compiled cuts: the words and tokens of `curation.text` as arrays of places, and numbers for equal ones.

The text is read as an array of code points with a table of their classes; nothing is created per word. Cost: about 3 ns
a code point for words and as much for tokens, against 100 ns a word for a list of strings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from curation.charclass import (
    AFTER_DIGIT, ALONE, BEFORE_STOP, CLOSING, DIGIT, ICON, JOINER, LETTER, LOWER, MARK, OPENING, SPACE, SPACED, UPPER,
    classes,
)  # fmt: skip
from curation.compiled import compiled

_STOP, _HYPHEN, _APOSTROPHE, _QUOTE, _COMMA = (ord(mark) for mark in ".-'\u2019,")
_SMALL_S, _CAPITAL_S, _EN_DASH, _EM_DASH, _TILDE = (ord(mark) for mark in "sS\u2013\u2014~")
_PLUS, _STAR, _CARET, _COLON, _LESS, _EQUALS, _MORE, _SLASH = (ord(mark) for mark in "+*^:<=>/")


class Cut(NamedTuple):
    """Pieces of a text in order: piece i is text[starts[i]:ends[i]] (int32, in code points).

    `chars` is the length of all pieces together, `with_letter` the number of pieces that hold a letter.
    """

    starts: np.ndarray
    ends: np.ndarray
    chars: int
    with_letter: int

    def __len__(self) -> int:
        return len(self.starts)


def cut_words(codes: np.ndarray) -> Cut:
    """The words of a text given as code points: the places of `curation.text.words`."""
    return Cut(*_words(codes, classes()))


def cut_tokens(codes: np.ndarray) -> Cut:
    """The tokens of a text given as code points: the places of `curation.text.tokens`."""
    return Cut(*_tokens(codes, classes()))


def number_pieces(codes: np.ndarray, cut: Cut) -> np.ndarray:
    """A number for each piece, int32: equal pieces have equal numbers, counted from 0 in order of appearance."""
    return _number(codes, cut.starts, cut.ends)


@compiled
def _words(codes, table):
    starts = np.empty(len(codes), np.int32)
    ends = np.empty(len(codes), np.int32)
    found = chars = with_letter = 0
    i, size = 0, len(codes)
    while i < size:
        kind = table[codes[i]]
        if not kind & (SPACED | ALONE):
            i += 1
            continue
        start, seen = i, kind
        i += 1
        if kind & ALONE:
            while i < size and table[codes[i]] & MARK:
                i += 1
        else:
            while i < size:
                kind = table[codes[i]]
                if kind & SPACED:
                    seen |= kind
                    i += 1
                elif kind & JOINER and i + 1 < size and table[codes[i + 1]] & SPACED:
                    i += 1
                else:
                    break
        starts[found], ends[found] = start, i
        found += 1
        chars += i - start
        with_letter += (seen & LETTER) != 0
    return starts[:found].copy(), ends[:found].copy(), chars, with_letter


@compiled
def _tokens(codes, table):
    starts = np.empty(len(codes), np.int32)
    ends = np.empty(len(codes), np.int32)
    found = 0
    i, size = 0, len(codes)
    while i < size:
        if table[codes[i]] & SPACE:
            i += 1
            continue
        end = i + 1
        while end < size and not table[codes[end]] & SPACE:
            end += 1
        found = _piece_tokens(codes, table, i, end, starts, ends, found)
        i = end
    chars = with_letter = 0
    for k in range(found):
        chars += ends[k] - starts[k]
        for place in range(starts[k], ends[k]):
            if table[codes[place]] & LETTER:
                with_letter += 1
                break
    return starts[:found].copy(), ends[:found].copy(), chars, with_letter


@compiled
def _piece_tokens(codes, table, start, end, starts, ends, found):
    """Tokens of the piece [start, end) without white space; returns how many tokens there are now."""
    while start < end:
        stops = _run(codes, start, end, _STOP)
        size = stops if stops > 1 else 1 if table[codes[start]] & OPENING else 0
        if not size:
            break
        starts[found], ends[found] = start, start + size
        found += 1
        start += size
    inner_end = end
    size = _closing_size(codes, table, start, inner_end)
    while size:
        inner_end -= size
        size = _closing_size(codes, table, start, inner_end)
    place = begin = start
    while place < inner_end:
        size = _inner_size(codes, table, start, inner_end, place)
        if not size:
            place += 1
            continue
        if begin < place:
            starts[found], ends[found] = begin, place
            found += 1
        starts[found], ends[found] = place, place + size
        found += 1
        place += size
        begin = place
    if begin < inner_end:
        starts[found], ends[found] = begin, inner_end
        found += 1
    return _closing_tokens(codes, table, start, inner_end, end, starts, ends, found)


@compiled
def _closing_tokens(codes, table, start, inner_end, end, starts, ends, found):
    """The closing marks [inner_end, end), measured from the back as they were peeled, written in order."""
    first = found
    while end > inner_end:
        size = _closing_size(codes, table, start, end)
        starts[found], ends[found] = end - size, end
        found += 1
        end -= size
    starts[first:found] = starts[first:found][::-1].copy()
    ends[first:found] = ends[first:found][::-1].copy()
    return found


@compiled
def _run(codes, place, end, mark):
    size = 0
    while place + size < end and codes[place + size] == mark:
        size += 1
    return size


@compiled
def _closing_size(codes, table, start, end):
    """`curation.text._closing_size`."""
    if start >= end:
        return 0
    last = codes[end - 1]
    kind = table[last]
    if last == _STOP:
        stops = 1
        while end - stops > start and codes[end - stops - 1] == _STOP:
            stops += 1
        if stops > 1:
            return stops
    if kind & CLOSING:
        return 1
    if end - start < 2:
        return 0
    before = codes[end - 2]
    kind_before = table[before]
    if kind & AFTER_DIGIT:
        return 1 if kind_before & DIGIT else 0
    if last == _STOP:
        capitals = end - start > 2 and (kind_before & table[codes[end - 3]] & UPPER) != 0
        return 1 if capitals or kind_before & BEFORE_STOP else 0
    if (last == _SMALL_S or last == _CAPITAL_S) and end - start > 2:
        return 2 if before == _APOSTROPHE or before == _QUOTE else 0
    return 0


@compiled
def _inner_size(codes, table, start, end, place):
    """Length of the mark, or letter of a script without spaces, that parts the piece [start, end) at `place`; or 0."""
    mark = codes[place]
    kind = table[mark]
    if kind & SPACED:
        return 0
    if kind & ICON:
        return 1
    if kind & ALONE:
        size = 1
        while place + size < end and table[codes[place + size]] & MARK:
            size += 1
        return size
    before = table[codes[place - 1]] if place > start else 0
    after = table[codes[place + 1]] if place + 1 < end else 0
    if mark == _STOP:
        stops = _run(codes, place, end, _STOP)
        return stops if stops > 1 else 1 if before & LOWER and after & UPPER else 0
    if before & DIGIT and (mark == _PLUS or mark == _HYPHEN or mark == _STAR or mark == _CARET):
        if after & DIGIT or (place + 1 < end and codes[place + 1] == _HYPHEN):
            return 1
    if mark == _COMMA:
        return 1 if before & LETTER and after & LETTER else 0
    if not before & (LETTER | DIGIT):
        return 0
    if mark == _HYPHEN:
        size = min(3, _run(codes, place, end, _HYPHEN))
        return size if place + size < end and table[codes[place + size]] & LETTER else 0
    if mark == _EN_DASH or mark == _EM_DASH or mark == _TILDE or mark == _COLON or mark == _SLASH:
        return 1 if after & LETTER else 0
    if mark == _LESS or mark == _EQUALS or mark == _MORE:
        return 1 if after & LETTER else 0
    return 0


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
        while slots[slot] >= 0 and not _equal(codes, starts[slots[slot]], ends[slots[slot]], start, ends[k]):
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = k
            numbers[k] = found
            found += 1
        else:
            numbers[k] = numbers[slots[slot]]
    return numbers


@compiled
def _equal(codes, start, end, other, other_end):
    if end - start != other_end - other:
        return False
    for i in range(end - start):
        if codes[start + i] != codes[other + i]:
            return False
    return True
