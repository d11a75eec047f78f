"""Repetition measures of Gopher (Rae et al. 2021, arXiv 2112.11446, table A1), by default in datatrove's reading.

Words become integers once per page, and the n-grams of size n are numbered from those of size n - 1, so all sizes share
their work and equal numbers mean equal n-grams, without a hash that could collide. Cost: linear in the number of words.

Differs, for all n-gram measures: datatrove's words include punctuation marks (`punctuation: true` takes the tokens of
`curation.text.tokens`); without them, two n-grams that differ by a comma are the same. datatrove glues the words of
duplicated n-grams together without a space, so that "a bc" and "ab c" are the same for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from curation.page import Page
from curation.rules.ngrams import profile_of

__all__ = [
    "duplicate_line_character_fraction",
    "duplicate_line_fraction",
    "duplicate_ngram_character_fraction",
    "duplicate_paragraph_character_fraction",
    "duplicate_paragraph_fraction",
    "top_ngram_character_fraction",
]

Denominator = Literal["text", "words"]


def duplicate_line_fraction(page: Page, *, count_first: bool = False, white_lines: bool = False) -> float:
    """Lines that repeat an earlier line, as a fraction of lines; 0 on a page without lines.

    `count_first`: the first copy of a repeated line counts as a duplicate too. `white_lines`: a line of spaces is a
    line like any other, only empty lines are none.

    Source: Gopher table A1, at most 0.30.
    Reading: the first copy is no duplicate; lines are compared as they are, blank ones are no lines.
    Differs: Dolma and DCLM count the first copy too (`count_first: true`). For datatrove lines of spaces are lines, so
    they soon are duplicates (`white_lines: true`), and a newline at either end of the text adds an empty line.

    >>> duplicate_line_fraction(Page("ho\\nho\\nho\\nmerry"))
    0.5
    """
    lines = _lines(page, white_lines)
    return _part(sum(n for _, n in _repeats(lines, count_first)), len(lines))


def duplicate_paragraph_fraction(page: Page, *, count_first: bool = False) -> float:
    """Paragraphs that repeat an earlier one, as a fraction of paragraphs; 0 on a page without paragraphs.

    Source: Gopher table A1, at most 0.30.
    Reading: a paragraph ends at a blank line; the first copy is no duplicate.
    Differs: for datatrove a line of spaces does not end a paragraph. Dolma has no paragraph rule; DCLM counts the
    first copy too (`count_first: true`).

    >>> duplicate_paragraph_fraction(Page("ho\\n\\nho\\n\\nmerry\\nmerry"))
    0.3333333333333333
    """
    return _part(sum(n for _, n in _repeats(page.paragraphs, count_first)), len(page.paragraphs))


def duplicate_line_character_fraction(page: Page, *, count_first: bool = False, white_lines: bool = False) -> float:
    """Characters in lines that repeat an earlier one, as a fraction of all characters of the text.

    Source: Gopher table A1, at most 0.20.
    Reading: datatrove's: the denominator is the length of the text with its white space.
    Differs: Dolma and DCLM divide by the characters of words and count the first copy (`count_first: true`). Lines of
    spaces as for the fraction of lines (`white_lines: true`).

    >>> duplicate_line_character_fraction(Page("0123456789\\n0123456789"))
    0.47619047619047616
    """
    return _part(sum(len(line) * n for line, n in _repeats(_lines(page, white_lines), count_first)), len(page.text))


def duplicate_paragraph_character_fraction(page: Page, *, count_first: bool = False) -> float:
    """Characters in paragraphs that repeat an earlier one, as a fraction of all characters of the text.

    Source: Gopher table A1, at most 0.20.
    Reading, Differs: as for lines and paragraphs above.

    >>> duplicate_paragraph_character_fraction(Page("1234\\n\\n1234"))
    0.4
    """
    return _part(sum(len(block) * n for block, n in _repeats(page.paragraphs, count_first)), len(page.text))


def top_ngram_character_fraction(
    page: Page, *, n: int, min_count: int = 1, denominator: Denominator = "text", punctuation: bool = False
) -> float:
    """Characters of the most frequent n-gram of words, times its count, as a fraction of all characters of the text.

    Among equally frequent n-grams the first on the page is taken. An n-gram seen less than `min_count` times counts 0.
    `denominator`: "text" counts white space above and below, "words" counts characters of words only. `punctuation`:
    punctuation marks are words too.

    Source: Gopher table A1, at most 0.20, 0.18, 0.16 for n = 2, 3, 4.
    Reading: datatrove's: an n-gram is as long as its words joined by spaces; overlapping copies all count, so the
    fraction can pass 1; a single occurrence counts, so a very short page of long words can be dropped.
    Differs: RedPajama-V2 and DCLM want two occurrences (`min_count: 2`); they and Dolma count characters of words only
    (`denominator: words`). DCLM takes the longest among equals.

    >>> top_ngram_character_fraction(Page("a b a b a b xyz"), n=2)
    0.6
    """
    profile = profile_of(page, punctuation=punctuation)
    characters, count = profile.top(n)
    if count < min_count:
        return 0.0
    if denominator == "words":
        return _part(characters * count, profile.characters)
    return _part((characters + n - 1) * count, len(page.text))


def duplicate_ngram_character_fraction(
    page: Page,
    *,
    n: int,
    count_first: bool = False,
    denominator: Denominator = "text",
    punctuation: bool = False,
) -> float:
    """Characters of words in repeated n-grams, as a fraction of all characters of the text.

    `count_first`: every word inside any copy of a repeated n-gram counts, once. `denominator` and `punctuation` as for
    the top n-gram.

    Source: Gopher table A1, at most 0.15, 0.14, 0.13, 0.12, 0.11, 0.10 for n = 5 ... 10.
    Reading: datatrove's: the page is scanned from the left; an n-gram seen before counts the characters of its words
    (no spaces) and the scan goes on after it, otherwise it moves on by one word.
    Differs: DCLM and RedPajama-V2 count the first copy too and divide by the characters of words (`count_first: true`,
    `denominator: words`). Dolma divides repeated n-grams by all n-grams.

    >>> duplicate_ngram_character_fraction(Page("a b c a b c"), n=3)
    0.2727272727272727
    """
    profile = profile_of(page, punctuation=punctuation)
    characters = profile.covered(n) if count_first else profile.repeated(n)
    return _part(characters, len(page.text) if denominator == "text" else profile.characters)


def _lines(page: Page, white_lines: bool) -> list[str]:
    """The page's lines; with `white_lines` those of spaces too, whose characters `page.lines` lacks."""
    if white_lines and sum(map(len, page.lines)) + page.text.count("\n") < len(page.text):
        return list(filter(None, page.text.split("\n")))
    return page.lines


def _repeats(parts: Sequence[str], count_first: bool) -> list[tuple[str, int]]:
    """Each part seen more than once, with the number of its copies that count as duplicates."""
    if len(parts) < 2 or len(set(parts)) == len(parts):  # most pages; a set costs a third of the counts
        return []
    return [(part, seen if count_first else seen - 1) for part, seen in Counter(parts).items() if seen > 1]


def _part(numerator: int, denominator: int) -> float:
    return numerator / denominator if denominator else 0.0
