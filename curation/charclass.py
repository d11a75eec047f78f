"""What each code point is when a text is cut: the classes of `curation.text` as one table that compiled code can read.

The table is made once per process from the same patterns, so it follows the Unicode version of `regex`. Cost: 0.2 s and
2.2 MB; a text in one script touches a few hundred bytes of it.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import regex

from curation import text as cut

SPACE, SPACED, ALONE, MARK, JOINER, LETTER, LOWER, UPPER = (1 << bit for bit in range(8))
DIGIT, OPENING, CLOSING, AFTER_DIGIT, BEFORE_STOP, ICON, PARTING, ARITHMETIC = (1 << bit for bit in range(8, 16))

_PATTERNS = {
    SPACED: cut.SPACED,
    ALONE: cut.ALONE,
    MARK: r"\p{M}",
    JOINER: cut.JOINER,
    LETTER: r"\p{L}",
    LOWER: r"\p{Ll}",
    UPPER: r"\p{Lu}",
    DIGIT: r"\p{Nd}",
    OPENING: cut.OPENING,
    CLOSING: cut.CLOSING,
    AFTER_DIGIT: cut.AFTER_DIGIT,
    BEFORE_STOP: cut.BEFORE_STOP,
    ICON: cut.ICON,
    PARTING: cut.PARTING,
    ARITHMETIC: cut.ARITHMETIC,
}


@cache
def classes() -> np.ndarray:
    """The classes of every code point as bits, uint16 [0x110000].

    >>> bool(classes()[ord("a")] & SPACED), bool(classes()[ord("a")] & SPACE), bool(classes()[0x4E00] & ALONE)
    (True, False, True)
    """
    every = "".join(map(chr, range(0x110000)))
    table = np.zeros(0x110000, np.uint16)
    for bit, pattern in _PATTERNS.items():
        for match in regex.finditer(rf"(?V1){pattern}++", every):
            table[match.start() : match.end()] |= bit
    for match in re.finditer(r"\s+", every):  # `re` means what str.isspace and str.split mean, `regex` not quite
        table[match.start() : match.end()] |= SPACE
    table.setflags(write=False)
    return table


def codes_of(text: str) -> np.ndarray:
    """Code points of a text, uint32, lone surrogates included; about 1 ns each."""
    pairs = text.encode("utf-16-le", "surrogatepass")
    if len(pairs) == 2 * len(text):  # nothing beyond the basic plane: half the time of UTF-32
        return np.frombuffer(pairs, np.uint16).astype(np.uint32)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).copy()
