"""What a finder says of an item: where it stands, what replaces it, and which items are the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

# Latin, Greek and Cyrillic letters may stand in an address; Han, Kana, Hangul, Arabic and others end one, because their
# words touch it without a space.
LETTER = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u052f\u1e00-\u1eff"

CUE_CHARS = 40  # characters before a number in which a word can say what it is


class Span(NamedTuple):
    """`start`, `end` in code points. `identity`: canonical form of the item, the same however it is written."""

    start: int
    end: int
    placeholder: str
    identity: str


Finder = Callable[[str, Sequence[str]], Iterator[Span]]  # text, regions (ISO 3166 codes) -> spans, left to right


def last_match(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """The last match in the characters before `end`, in lower case: the nearest word decides what a number is."""
    window = text[max(0, end - CUE_CHARS) : end].lower()
    found = None
    if window.upper() != window or not window.isascii():  # a table of numbers has no words: 20 times faster
        for found in pattern.finditer(window):  # noqa: B007
            pass
    return found


def replaced(text: str, spans: Sequence[Span], placeholder: Callable[[Span], str]) -> str:
    """The text with each span replaced; spans are in order and do not overlap."""
    pieces, done = [], 0
    for span in spans:
        pieces += (text[done : span.start], placeholder(span))
        done = span.end
    return "".join((*pieces, text[done:]))
