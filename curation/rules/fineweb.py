"""The measures that FineWeb added to Gopher and C4 (Penedo et al. 2024, arXiv 2406.17557, section 3.6).

Lines are split at newline, lines of white space left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import regex

from curation.page import Page

__all__ = [
    "duplicate_line_character_fraction",
    "line_punctuation_fraction",
    "newline_word_ratio",
    "short_line_fraction",
]


@cache
def terminal_punctuation() -> frozenset[str]:
    """Marks that end a sentence in any script: Unicode's property Sentence_Terminal and three Khmer signs.

    datatrove's table of 159 marks is this property of an older Unicode version plus the Khmer signs; the 16 marks that
    are here and not there belong to Balinese, Coptic, Tulu and other rare scripts or to vertical type. Quotes, the
    colon and the ellipsis character are not among them.

    >>> [mark in terminal_punctuation() for mark in '.?!\\u3002\\u0964\\u061f"\\u2019:\\u2026']
    [True, True, True, True, True, True, False, False, False, False]
    """
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))
    return frozenset((*regex.findall(r"\p{Sentence_Terminal}", every), "\u17d6", "\u17d9", "\u17da"))


def line_punctuation_fraction(page: Page, *, marks: Sequence[str] = (), strip: bool = True) -> float:
    """Lines that end in terminal punctuation, as a fraction of lines; 0 on a page without lines.

    `marks`: the marks that count, `terminal_punctuation()` when none are given. `strip`: white space at the end of a
    line is no part of it.

    Source: FineWeb 3.6, drops pages at 0.12 and below (10.14% of tokens).
    Reading: the last character before trailing white space. The code drops below 0.12, the paper at 0.12 too.
    Differs: datatrove does not strip the line (`strip: false`); in FineWeb C4's edit ran before, which does. A line
    that ends in a quote does not count, so a page of direct speech can be dropped.

    >>> line_punctuation_fraction(Page("Home\\nAbout us\\nThis is a sentence.\\nShe said: \\"Go.\\""))
    0.25
    """
    lines = [line.rstrip() for line in page.lines] if strip else page.lines
    if marks:
        ends = tuple(marks)
        ended = sum(line.endswith(ends) for line in lines)
    else:
        known = terminal_punctuation()  # 170 single characters: one look into a set, not 170 comparisons
        ended = sum(line[-1] in known for line in lines)
    return ended / len(lines) if lines else 0.0


def duplicate_line_character_fraction(page: Page) -> float:
    """Characters in lines that repeat an earlier one, as a fraction of all characters but newlines; 0 on an empty page.

    Source: FineWeb 3.6: drops at 0.1 and above (12.47% of tokens); its code, and the data set, at more than 0.01.
    Reading: the first copy does not count; lines are compared as they are.
    Differs: Gopher's measure of the same name divides by all characters, newlines too.

    >>> duplicate_line_character_fraction(Page("menu\\ntext\\nmenu\\n"))
    0.3333333333333333
    """
    if len(set(page.lines)) == len(page.lines):  # most pages; a set costs a third of the counts
        return 0.0
    length = len(page.text) - page.text.count("\n")
    repeated = sum(len(line) * (seen - 1) for line, seen in Counter(page.lines).items())
    return repeated / length


def short_line_fraction(page: Page, *, chars: int = 30) -> float:
    """Lines of at most `chars` code points, as a fraction of lines; 0 on a page without lines.

    Source: FineWeb 3.6, drops at 0.67 and above (3.73% of tokens).
    Reading: the code's: a line of exactly 30 characters is short.
    Differs: the paper says shorter than 30 characters (`chars: 29`).

    >>> short_line_fraction(Page("Home\\n" + 30 * "x" + "\\n" + 31 * "x"))
    0.6666666666666666
    """
    return sum(len(line) <= chars for line in page.lines) / len(page.lines) if page.lines else 0.0


def newline_word_ratio(page: Page, *, punctuation: bool = False) -> float:
    """Newlines divided by words; a page without words counts as one word.

    `punctuation`: punctuation marks are words too, as `curation.text.tokens` cuts them.

    Source: code of FineWeb, drops above 0.3 (not in the paper).
    Reading: every newline counts, those of blank lines too.
    Differs: datatrove counts marks as words (`punctuation: true`), so its ratios are lower, by about a tenth on prose.

    >>> newline_word_ratio(Page("one\\ntwo\\nthree four"))
    0.5
    """
    cut = page.token_cut if punctuation else page.word_cut
    return page.text.count("\n") / max(1, len(cut.starts))
