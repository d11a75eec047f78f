"""Measures of NeMo Curator's heuristic filters that no other module has (its English pipeline).

Its measures on kinds of characters are in `characters`; its share of unique lines or paragraphs is 1 minus Gopher's
share of duplicates (`gopher_repetition`), and its share of words is `gopher_quality`.
"""

from __future__ import annotations

from collections.abc import Sequence

from curation.page import Page

__all__ = ["boilerplate_paragraph_fraction", "longest_word_length", "unended_sentence_fraction"]

BOILERPLATE = (
    "terms of use",
    "privacy policy",
    "cookie policy",
    "uses cookies",
    "use of cookies",
    "use cookies",
    "privacy overview",
    "privacy & cookies policy",
    "privacy and cookies policy",
)
END_MARKS = (".", "?", "!", '"', "'", "\u3002", "\uff01", "\uff1f", "\u0964", "\u061f", "\u06d4")


def boilerplate_paragraph_fraction(page: Page, *, phrases: Sequence[str] = BOILERPLATE) -> float:
    """Paragraphs that speak of cookies, terms of use or privacy, as a fraction; 1 where "lorem ipsum" stands.

    Source: NeMo Curator, at most 0.4, after C4's policy phrases.
    Reading: case is folded. 0 on a page without paragraphs.
    Differs: NeMo Curator also lists the long sentences of one cookie dialogue, which hold these phrases.

    >>> boilerplate_paragraph_fraction(Page("We use cookies.\\n\\nThe keeper had his tea."))
    0.5
    """
    blocks = [block.lower() for block in page.paragraphs]
    if any("lorem ipsum" in block for block in blocks):
        return 1.0
    return sum(any(phrase in block for phrase in phrases) for block in blocks) / len(blocks) if blocks else 0.0


def unended_sentence_fraction(page: Page, *, marks: Sequence[str] = END_MARKS) -> float:
    """Lines that do not end in a mark that ends a sentence, as a fraction of lines; 1 on a page without lines.

    Source: NeMo Curator, "sentences without end mark", at most 0.85.
    Reading: what it calls a sentence is a line.
    Differs: its marks are . ? ! and the two straight quotes; the stops of other scripts are added here.

    >>> unended_sentence_fraction(Page("Home\\nThis is a sentence."))
    0.5
    """
    ends = tuple(marks)
    return sum(not line.rstrip().endswith(ends) for line in page.lines) / len(page.lines) if page.lines else 1.0


def longest_word_length(page: Page) -> int:
    """Length in code points of the longest run without white space; 0 on an empty page.

    Source: NeMo Curator, at most 1,000, after C4: what catches minified scripts.
    Differs: a Chinese paragraph is one such run: take the rule out for scripts without spaces.

    >>> longest_word_length(Page("a bc def."))
    4
    """
    return max(map(len, page.text.split()), default=0)
