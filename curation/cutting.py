"""Compiled cuts: the words and tokens of `curation.text` as arrays of places.

The text is read as an array of code points with a table of their classes; nothing is created per word. Cost: 4 ns a
code point for words and 6 for tokens; as strings the words cost 20.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from curation import charclass as is_
from curation.compiled import compiled

_STOP, _COMMA, _HYPHEN = ord("."), ord(","), ord("-")
_S, _CAPITAL_S, _D, _M, _N, _T, _R, _V, _E, _L = (ord(letter) for letter in "sSdmntrvel")
_APOSTROPHES = (ord("'"), ord("\u2019"))
_PART_OF_WORD = is_.SPACED | is_.ALONE


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
    return Cut(*_words(codes, is_.classes()))


def cut_tokens(codes: np.ndarray) -> Cut:
    """The tokens of a text given as code points: the places of `curation.text.tokens`."""
    return Cut(*_tokens(codes, is_.classes()))


@compiled
def _words(codes, table):
    starts = np.empty(len(codes), np.int32)
    ends = np.empty(len(codes), np.int32)
    found = chars = with_letter = 0
    i, size = 0, len(codes)
    while i < size:
        kind = table[codes[i]]
        if not kind & _PART_OF_WORD:
            i += 1
            continue
        start, seen = i, kind
        i += 1
        if kind & is_.ALONE:
            while i < size and table[codes[i]] & is_.MARK:
                i += 1
        else:
            while i < size:
                kind = table[codes[i]]
                if kind & is_.SPACED:
                    seen |= kind
                    i += 1
                elif kind & is_.JOINER and i + 1 < size and table[codes[i + 1]] & is_.SPACED:
                    i += 1
                else:
                    break
        starts[found], ends[found] = start, i
        found += 1
        chars += i - start
        with_letter += (seen & is_.LETTER) != 0
    return starts[:found].copy(), ends[:found].copy(), chars, with_letter


@compiled
def _tokens(codes, table):
    starts = np.empty(len(codes), np.int32)
    ends = np.empty(len(codes), np.int32)
    found = chars = with_letter = 0
    i, size = 0, len(codes)
    while i < size:
        kind = table[codes[i]]
        if kind & is_.SPACE:
            i += 1
            continue
        end, every, some = i, kind, kind
        while not kind & is_.SPACE:
            every &= kind
            some |= kind
            end += 1
            if end == size:
                break
            kind = table[codes[end]]
        chars += end - i
        if every & is_.SPACED:  # three pieces of four hold no mark
            starts[found], ends[found] = i, end
            found += 1
            with_letter += (some & is_.LETTER) != 0
        else:
            first = found
            found = _part(codes, table, i, end, starts, ends, found)
            for k in range(first, found):
                with_letter += _has_letter(codes, table, starts[k], ends[k])
        i = end
    return starts[:found].copy(), ends[:found].copy(), chars, with_letter


@compiled
def _has_letter(codes, table, start, end):
    seen = np.uint16(0)
    for place in range(start, end):
        seen |= table[codes[place]]
    return (seen & is_.LETTER) != 0


@compiled
def _part(codes, table, start, end, starts, ends, found):
    """Writes the tokens of the piece [start, end), which holds no white space; returns how many there are now."""
    while start < end and not table[codes[start]] & is_.SPACED:
        stops = _run(codes, start, end, _STOP)
        size = stops if stops > 1 else 1 if table[codes[start]] & is_.OPENING else 0
        if not size:
            break
        starts[found], ends[found] = start, start + size
        found += 1
        start += size
    closing = len(starts)  # closing marks wait at the end of the arrays, which hold a place for each code point
    while start < end:
        size = _closing_size(codes, table, start, end)
        if not size:
            break
        closing -= 1
        starts[closing], ends[closing] = end - size, end
        end -= size
    place = begin = start
    while place < end:
        size = 0 if table[codes[place]] & is_.SPACED else _inner_size(codes, table, start, end, place)
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
    if begin < end:
        starts[found], ends[found] = begin, end
        found += 1
    for k in range(closing, len(starts)):
        starts[found], ends[found] = starts[k], ends[k]
        found += 1
    return found


@compiled
def _run(codes, place, end, mark):
    size = 0
    while place + size < end and codes[place + size] == mark:
        size += 1
    return size


@compiled
def _closing_size(codes, table, start, end):
    """Length of the closing mark that ends the piece [start, end), which is not empty, or 0."""
    last = codes[end - 1]
    kind = table[last]
    if kind & is_.CLOSING:
        return 1
    before = codes[end - 2] if end - start > 1 else 0
    kind_before = table[before] if end - start > 1 else 0
    if last == _STOP:
        stops = 1
        while end - stops > start and codes[end - stops - 1] == _STOP:
            stops += 1
        if stops > 1:
            return stops
        capitals = end - start > 2 and (kind_before & table[codes[end - 3]] & is_.UPPER) != 0
        return 1 if capitals or kind_before & is_.BEFORE_STOP else 0
    if kind & is_.AFTER_DIGIT:
        return 1 if kind_before & is_.DIGIT else 0
    if end - start < 3 or not (kind_before | table[codes[end - 3]]) & is_.JOINER:
        return 0
    return _contracted_size(codes, end)


@compiled
def _contracted_size(codes, end):
    """Length of the contracted word that ends a piece of 3 code points or more at `end`, or 0."""
    third, second, last = codes[end - 3], codes[end - 2], codes[end - 1]
    if second in _APOSTROPHES and last in (_S, _CAPITAL_S, _D, _M):
        return 2
    if second in _APOSTROPHES:
        return 3 if third == _N and last == _T else 0
    if third not in _APOSTROPHES:
        return 0
    return 3 if (last == _E and second in (_R, _V)) or (last == _L and second == _L) else 0


@compiled
def _inner_size(codes, table, start, end, place):
    """Length of the mark, or letter of a script without spaces, that parts the piece [start, end) at `place`; or 0."""
    mark = codes[place]
    kind = table[mark]
    if kind & is_.ICON:
        return 1
    if kind & is_.ALONE:
        size = 1
        while place + size < end and table[codes[place + size]] & is_.MARK:
            size += 1
        return size
    before = table[codes[place - 1]] if place > start else 0
    after = table[codes[place + 1]] if place + 1 < end else 0
    if mark == _STOP:
        stops = _run(codes, place, end, _STOP)
        return stops if stops > 1 else 1 if before & is_.LOWER and after & is_.UPPER else 0
    if mark == _COMMA:
        return 1 if before & after & is_.LETTER else 0
    next_to_hyphen = place + 1 < end and codes[place + 1] == _HYPHEN
    if kind & is_.ARITHMETIC and before & is_.DIGIT and (after & is_.DIGIT or next_to_hyphen):
        return 1
    if not before & (is_.LETTER | is_.DIGIT):
        return 0
    if mark == _HYPHEN:
        size = min(3, _run(codes, place, end, _HYPHEN))
        return size if place + size < end and table[codes[place + size]] & is_.LETTER else 0
    return 1 if kind & is_.PARTING and after & is_.LETTER else 0
