"""Measures on kinds of characters, each a share of all characters of the text, white space included.

Sources: NeMo Curator's heuristic filters and data-juicer's special-character filter, whose English classes of
characters are read here as Unicode classes, so that a page in another script is not all symbols. Cost: one pass of a
compiled pattern each, about 5 ms a million characters.
"""

from __future__ import annotations

import regex

from curation.page import Page

__all__ = [
    "digit_fraction",
    "letter_count",
    "non_alphanumeric_fraction",
    "parenthesis_fraction",
    "punctuation_fraction",
    "special_character_fraction",
    "uppercase_fraction",
    "url_character_fraction",
    "white_space_fraction",
]

_LETTERS = regex.compile(r"\p{L}++")
_ALPHANUMERICS = regex.compile(r"[\p{L}\p{M}\p{N}]++")
_DIGITS = regex.compile(r"\p{Nd}++")
_PUNCTUATION = regex.compile(r"\p{P}++")
_UPPERCASE = regex.compile(r"\p{Lu}++")
_WHITE_SPACE = regex.compile(r"[\t\n\r\x08 ]++")  # as NeMo Curator has it: the backspace too
_PARENTHESES = regex.compile(r"[()\uff08\uff09]++")
_SPECIAL = regex.compile(r"(?V1)[\p{P}\p{S}\p{Nd}\p{Z}\s\p{C}]++")
_URL = regex.compile(r"\b(?:https?://|www\.)[^\s<>\"]++")


def letter_count(page: Page) -> int:
    """Number of letters, in any script.

    Source: field experience (cld3 issue 20, aleph issue 750): language labels on very short texts are guesses.
    Reading: below a few dozen letters a page is too short to label, which is another fate than a wrong language.

    >>> letter_count(Page("Call 555-0100 now"))
    7
    """
    return _characters(_LETTERS, page.text)


def non_alphanumeric_fraction(page: Page) -> float:
    """Characters that are neither letter, mark nor digit, white space included; 1 on an empty page.

    Source: NeMo Curator, English recipe, at most 0.25.
    Differs: NeMo Curator knows ASCII letters only, so every page in another script fails there.

    >>> non_alphanumeric_fraction(Page("ab, c"))
    0.4
    """
    return 1 - _characters(_ALPHANUMERICS, page.text) / len(page.text) if page.text else 1.0


def digit_fraction(page: Page) -> float:
    """Decimal digits of any script; 1 on an empty page.

    Source: NeMo Curator, at most 0.15.
    Differs: NeMo Curator counts 0 to 9 only.

    >>> digit_fraction(Page("route 66"))
    0.25
    """
    return _fraction(_DIGITS, page, empty=1.0)


def punctuation_fraction(page: Page) -> float:
    """Punctuation marks: Unicode's class P, which has quotes, brackets, dashes and #, but no currency or math signs.

    Source: our reading of the punctuation ratio that many pipelines use; prose in most languages lies at 0.02 to 0.06.

    >>> punctuation_fraction(Page("Hey, you!"))
    0.2222222222222222
    """
    return _fraction(_PUNCTUATION, page)


def uppercase_fraction(page: Page) -> float:
    """Upper-case letters.

    Source: RedPajama-V2 and RefinedWeb have it for lines (0.5 there); this is the page's.

    >>> uppercase_fraction(Page("ABcd"))
    0.5
    """
    return _fraction(_UPPERCASE, page)


def white_space_fraction(page: Page) -> float:
    """Spaces, tabs, newlines, carriage returns and backspaces; 1 on an empty page.

    Source: NeMo Curator, at most 0.25.

    >>> white_space_fraction(Page("a b "))
    0.5
    """
    return _fraction(_WHITE_SPACE, page, empty=1.0)


def parenthesis_fraction(page: Page) -> float:
    """Round brackets, ASCII and full-width; 1 on an empty page.

    Source: NeMo Curator, at most 0.1.
    Differs: NeMo Curator counts ASCII brackets only, and so passes the full-width ones of Chinese and Japanese.

    >>> parenthesis_fraction(Page("(ab)"))
    0.5
    """
    return _fraction(_PARENTHESES, page, empty=1.0)


def special_character_fraction(page: Page) -> float:
    """Punctuation, symbols, emoji, digits and white space.

    Source: data-juicer, at most 0.25.
    Reading: data-juicer lists its characters; these are the Unicode classes that the list samples.

    >>> special_character_fraction(Page("1 + x"))
    0.8
    """
    return _fraction(_SPECIAL, page)


def url_character_fraction(page: Page) -> float:
    """Characters in addresses written out in the text; 1 on an empty page.

    An address: http://, https:// or www. up to the next space, quote or angle bracket.

    Source: NeMo Curator, at most 0.2.

    >>> url_character_fraction(Page("see www.example.com"))
    0.7894736842105263
    """
    return _fraction(_URL, page, empty=1.0)


def _characters(kind: regex.Pattern, text: str) -> int:
    return sum(map(len, kind.findall(text)))


def _fraction(kind: regex.Pattern, page: Page, empty: float = 0.0) -> float:
    return _characters(kind, page.text) / len(page.text) if page.text else empty
