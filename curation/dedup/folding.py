"""The comparison form over UTF-8 bytes, compiled: bytes -> folded code points -> 64-bit word hashes, chunk by chunk.

Nothing is allocated per word or per text. Each function fills a buffer of fixed size and returns the state from which
the next call goes on, so a text of any length costs the same memory. A folded code point ("item") carries its kind,
see `form`.
"""

from __future__ import annotations

import numpy as np

from curation.compiled import compiled
from curation.dedup.form import DIGIT, DOT, DROP, EXPAND, KIND_SHIFT, LETTER, MARK, SOLO, SPACE, FoldingTables
from curation.dedup.mix import mix64

CHUNK = 4096  # items per call: 16 KiB, half of a first-level cache
ROOM = 40  # items one code point can give: 18 (U+FDFA), each with a space before it, rounded up

# Where a number stands: none, in its integer part, after the decimal point, in its decimal part.
NO_NUMBER, INTEGER, POINT, FRACTION = range(4)
# Spaces are written before the next item, so none stands at either end: nothing written yet, no space due, one due.
AT_START, NO_SPACE, SPACE_DUE = range(3)
# What the word hash holds.
NO_WORD, SPACED_WORD, SOLO_WORD = range(3)

_SPACE_ITEM = np.uint32(SPACE << KIND_SHIFT | 0x20)
_ZERO_ITEM = np.uint32(LETTER << KIND_SHIFT | 0x30)
_KIND_SHIFT = np.uint32(KIND_SHIFT)
_PAYLOAD = np.uint32((1 << KIND_SHIFT) - 1)


@compiled
def fold(
    data: np.ndarray, at: int, stop: int, number: int, space: int, tables: FoldingTables, out: np.ndarray
) -> tuple[int, int, int, int]:
    """Folds data[at:stop] (uint8, UTF-8) into `out` (uint32) until it is full. Returns (at, items, number, space).

    Start a text with NO_NUMBER, AT_START. Bytes that are no UTF-8 fold to some letter; nothing outside is ever read.
    """
    pages, entries, pool = tables
    ascii_page = np.int64(pages[0]) << 8
    limit = len(out) - ROOM
    n = 0
    while at < stop and n < limit:
        byte = data[at]
        if byte < 0x80:
            at += 1
            entry = entries[ascii_page + byte]
        else:
            code, at = decode(data, at, stop)
            entry = entries[(np.int64(pages[code >> 8]) << 8) + (code & 255)]
        if entry >> _KIND_SHIFT == EXPAND:
            place = np.int64(entry & _PAYLOAD)
            for k in range(place + 1, place + 1 + pool[place]):
                n, number, space = _write(pool[k], out, n, number, space)
        else:
            n, number, space = _write(entry, out, n, number, space)
    return at, n, number, space


@compiled
def decode(data: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """The code point whose first byte, 0x80 or above, stands at `at`, and the place after it."""
    lead = np.int64(data[at])
    more = 3 if lead >= 0xF0 else 2 if lead >= 0xE0 else 1
    if lead < 0xC0 or at + more >= stop:
        return lead, at + 1
    code = lead & (0x3F >> more)
    for k in range(1, more + 1):
        code = code << 6 | np.int64(data[at + k]) & 0x3F
    return min(code, 0x10FFFF), at + more + 1


@compiled
def _write(entry: np.uint32, out: np.ndarray, n: int, number: int, space: int) -> tuple[int, int, int]:
    kind = entry >> _KIND_SHIFT
    if kind >= LETTER:
        if number == POINT:
            space = SPACE_DUE
        number = NO_NUMBER
    elif kind == DROP:
        return n, number, space
    elif kind == DIGIT:
        if number in (INTEGER, FRACTION):
            return n, number, space
        if number == POINT:
            return n, FRACTION, space
        number = INTEGER
        entry = _ZERO_ITEM
    else:
        if kind == DOT and number == INTEGER:
            return n, POINT, space
        return n, NO_NUMBER, AT_START if space == AT_START else SPACE_DUE
    if space == SPACE_DUE:
        out[n] = _SPACE_ITEM
        n += 1
    out[n] = entry
    return n + 1, number, NO_SPACE


@compiled
def cut_words(
    items: np.ndarray, count: int, word: np.uint64, state: int, seed: np.uint64, multiplier: np.uint64, out: np.ndarray
) -> tuple[int, np.uint64, int]:
    """Hashes of the words that end within items[:count]. Returns (words, word, state): an open word goes on.

    Start a text with word = seed, NO_WORD; if the state is not NO_WORD at its end, `mix64(word)` is the last word.
    `multiplier` is odd, so no single differing letter is ever lost.
    """
    n = 0
    for k in range(count):
        item = items[k]
        kind = item >> _KIND_SHIFT
        if kind == LETTER and state == SPACED_WORD:  # inside a word, where most items are
            word = (word ^ np.uint64(item)) * multiplier
            continue
        ends = kind in (SPACE, SOLO) or (state == SOLO_WORD and kind != MARK)
        if ends and state != NO_WORD:
            out[n] = mix64(word)
            n += 1
            word = seed
        if kind == SPACE:
            state = NO_WORD
            continue
        if kind == SOLO:
            state = SOLO_WORD
        elif state != SOLO_WORD or kind != MARK:
            state = SPACED_WORD
        word = (word ^ np.uint64(item)) * multiplier
    return n, word, state


@compiled
def cut_chars(items: np.ndarray, count: int, seed: np.uint64, multiplier: np.uint64, out: np.ndarray) -> int:
    """One hash per code point of the form, the single spaces between words included."""
    for k in range(count):
        out[k] = mix64((seed ^ np.uint64(items[k])) * multiplier)
    return count
