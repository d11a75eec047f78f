"""Measures of C4 and mC4 on whole pages (Raffel et al. 2020, arXiv 1910.10683; Xue et al. 2021, arXiv 2010.11934).

C4's rules on lines are an edit, `curation.rewrite.c4`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import regex

from curation.errors import InputError
from curation.page import Page
from curation.rules.word_lists import read_list

__all__ = ["bad_word_count", "long_line_count"]

# Entries that C4's code takes off the lists: they are usual words, or parts of usual words.
ALLOWED = {"ja": ("sm", "\u30b0\u30ed", "\u5973\u306e\u5b50"), "zh": ("\u6027",)}
WITHOUT_SPACES = ("ja", "th", "zh")


def long_line_count(page: Page, *, chars: int = 200) -> int:
    """Number of lines of at least `chars` code points.

    Source: mC4, section 3.1: a page needs 3 such lines; it takes the place of C4's rule on terminal punctuation.

    >>> long_line_count(Page("x" * 200 + "\\nshort"))
    1
    """
    return sum(len(line) >= chars for line in page.lines)


def bad_word_count(page: Page, *, folder: str) -> int:
    """Occurrences of words or phrases of a list for the page's language; 0 in a language that has no list.

    `folder`: holds one file for each language, named by its label (`en`, `de`), one entry a line: the layout of
    https://github.com/LDNOOBW/List-of-Dirty-Naughty-Obscene-and-Otherwise-Bad-Words, which C4 used. No such list comes
    with the project. The language must have been identified before.

    Source: C4, section 2.2, and its code, drops at 1; mC4 too. datatrove can keep a share of such pages.
    Reading: case folded, between characters that are no word characters; anywhere in Japanese, Thai and Chinese; the
    entries that C4's code allows are left out.
    Raises InputError if the folder is missing or holds no file.
    """
    pattern = _pattern(folder, page.language)
    return sum(1 for _ in pattern.finditer(page.text.lower())) if pattern else 0


@cache
def _pattern(folder: str, language: str) -> regex.Pattern | None:
    """One alternation for all entries, longest first. `regex` compiles a named list to a set, so time is linear."""
    root = Path(folder)
    if not root.is_dir() or not any(path.is_file() for path in root.iterdir()):
        raise InputError(f"bad words: {folder} is no folder with a file for each language, such as {folder}/en")
    if not language or not (root / language).is_file():
        return None
    entries = [entry for entry in read_list(str(root / language)) if entry not in ALLOWED.get(language, ())]
    if not entries:
        return None
    if language in WITHOUT_SPACES:
        return regex.compile(r"\L<entries>", entries=entries)
    return regex.compile(r"(?<!\w)\L<entries>(?!\w)", entries=entries)
