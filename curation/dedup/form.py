"""The comparison form, what texts must share to count as equal: for exact dedup, MinHash and decontamination alike.

Per code point: compatibility decomposition (NFKD) and lower case; non-spacing marks (Mn) and format characters (Cf:
soft hyphen, zero-width, byte order mark) are dropped; punctuation, symbols and controls become a space. Then a run of
decimal digits with an optional decimal part becomes `0`, and white space is collapsed and stripped.

Because every step but the last two looks at one code point, the form is a table (`folding_tables`) that plain Python
and the compiled kernel share. The table comes from `unicodedata`, so characters assigned after a Python's Unicode
version are letters to it: run one Python minor version on all workers (Spark asks for that anyway).

Source: the order and the switches of datatrove's normalisation as FineWeb used it (`datatrove/utils/text.py`).
Differs from datatrove: NFKD, not NFD (full-width letters and ligatures fold); symbols go as punctuation does
(datatrove holds a fixed list of about 80 marks); format characters go (there they stay, so a soft hyphen makes two
words differ); final sigma folds to sigma; words are cut by `form_words`, the same for all languages, not by a
tokenizer per language.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
import regex

from curation.text import UNSPACED

# What a folded code point does. SOLO: a letter of a script without spaces, a word of its own; MARK: a spacing mark,
# stays with the letter before it; EXPAND: several code points, listed in the pool.
DROP, SPACE, DOT, DIGIT, LETTER, SOLO, MARK, EXPAND = range(8)
KIND_SHIFT = 21  # a code point needs 21 bits; the kind sits above it

_SOLO = rf"[[{UNSPACED}]&&[\p{{L}}\p{{N}}]]"
_SOLO_LETTER = regex.compile(rf"(?V1){_SOLO}")
_SPACING_MARK = regex.compile(r"[\p{Mc}\p{Me}]")
_FORM_WORD = regex.compile(rf"(?V1){_SOLO}[\p{{Mc}}\p{{Me}}]*+|[[^\ ]--{_SOLO}]++")
_NUMBER = re.compile(r"0+(?:\.0+)?")
_ZEROS = re.compile(r"0+")


class FoldingTables(NamedTuple):
    """A two-stage table: `entries[pages[c >> 8] * 256 + (c & 255)]` is kind << 21 | folded code point of code point c.

    For EXPAND the low bits are a place in `pool`: a count, then as many entries.
    """

    pages: np.ndarray  # uint16 [4352]
    entries: np.ndarray  # uint32 [256 x distinct pages]
    pool: np.ndarray  # uint32


class _Folding(dict):
    """Code point -> folded text, as `str.translate` wants it; filled on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    return "".join(_fold_decomposed(c) for c in unicodedata.normalize("NFKD", char).lower())


def _fold_decomposed(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Mn", "Cf"):
        return ""
    if category == "Nd":
        return "0"
    if char == ".":
        return "."  # a decimal point until the numbers are folded
    if category[0] in "PSZ" or category == "Cc":
        return " "
    return "\u03c3" if char == "\u03c2" else char


_FOLDING = _Folding()


def comparison_form(text: str) -> str:
    """The comparison form of a text, in plain Python; the kernel computes the same from UTF-8 bytes.

    >>> comparison_form("The CAF\\u00c9 \\u2014 opens at 7.30, costs $1,200!")
    'the cafe opens at 0 costs 0 0'
    >>> comparison_form("co\\u00adoperate  \\uff21\\uff22\\uff23")
    'cooperate abc'
    """
    folded = _NUMBER.sub("0", text.translate(_FOLDING))
    return " ".join(folded.replace(".", " ").split())


def form_words(text: str) -> list[str]:
    """The words of the comparison form of `text`: parted by spaces; each letter of an unspaced script is a word.

    >>> form_words("Don't \\u6211\\u7231Spark 4.3")
    ['don', 't', '\\u6211', '\\u7231', 'spark', '0']
    """
    return _FORM_WORD.findall(comparison_form(text))


class SpannedWords(NamedTuple):
    """The words of `form_words`, and for each the code points text[start:end] it comes from."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def spanned_words(text: str) -> SpannedWords:
    """`form_words` with the place of each word in `text`: for the few pages where something was found.

    A word reaches over the dropped characters (marks, format characters) that follow it. Two words share their place
    where one character folds to both. About 3 MB/s.

    >>> spanned_words("A caf\\u00e9, 4.50!")
    SpannedWords(words=['a', 'cafe', '0'], starts=[0, 2, 8], ends=[1, 6, 12])
    """
    folded = [_FOLDING[ord(char)] for char in text]
    owner = [place for place, chars in enumerate(folded) for _ in chars]
    # A number keeps its length here, so that places in the folded text are places in `owner`.
    level = _NUMBER.sub(lambda number: "0" * len(number[0]), "".join(folded)).replace(".", " ")
    found = SpannedWords([], [], [])
    for match in _FORM_WORD.finditer(level):
        end = owner[match.end() - 1] + 1
        while end < len(text) and not folded[end]:
            end += 1
        found.words.append(_ZEROS.sub("0", match[0]))
        found.starts.append(owner[match.start()])
        found.ends.append(end)
    return found


@cache
def folding_tables() -> FoldingTables:
    """The form as a two-stage table, built once per process (about 0.3 s)."""
    # Planes 4 to 13, 15 and 16 hold no assigned character: they keep the default, a letter that folds to itself.
    codes = [*range(0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xE0200)]
    everything = "".join(map(chr, codes))
    solo = {match.group() for match in _SOLO_LETTER.finditer(everything)}
    marks = {match.group() for match in _SPACING_MARK.finditer(everything)}
    pool: list[int] = []
    table = np.arange(0x110000, dtype=np.uint32) | np.uint32(LETTER << KIND_SHIFT)
    for code, char in zip(codes, everything, strict=True):
        table[code] = _entry([_folded_entry(c, solo, marks) for c in _fold(char)], pool)
    distinct, pages = np.unique(table.reshape(-1, 256), axis=0, return_inverse=True)
    return FoldingTables(pages.ravel().astype(np.uint16), distinct.ravel(), np.array(pool, dtype=np.uint32))


def _folded_entry(char: str, solo: set[str], marks: set[str]) -> int:
    kinds = {" ": SPACE, ".": DOT, "0": DIGIT}
    kind = kinds.get(char) or (SOLO if char in solo else MARK if char in marks else LETTER)
    return kind << KIND_SHIFT | ord(char)


def _entry(folded: list[int], pool: list[int]) -> int:
    """One table entry for what a code point folds to; several go to the pool."""
    if not folded:
        return DROP << KIND_SHIFT
    if len(folded) == 1:
        return folded[0]
    pool.extend([len(folded), *folded])
    return EXPAND << KIND_SHIFT | len(pool) - len(folded) - 1
