"""Runs of a repeated n-gram: the check of OLMo 2 against pages that make training losses spike (arXiv 2501.00656)."""

from __future__ import annotations

import numpy as np
import regex

from curation import text as cut
from curation.compiled import compiled
from curation.page import Page

__all__ = ["longest_run_count"]

# A token here: a word (a letter with its marks in scripts without spaces), or one mark of any other kind.
_TOKEN = regex.compile(
    rf"(?V1)[[{cut.UNSPACED}]&&[\p{{L}}\p{{N}}]]\p{{M}}*+|[[\p{{L}}\p{{M}}\p{{N}}]--[{cut.UNSPACED}]]++|\S"
)


def longest_run_count(page: Page, *, min_period: int = 1, max_period: int = 13) -> int:
    """How often, at most, a sequence of `min_period` to `max_period` tokens stands in a row; 0 without tokens.

    Source: OLMo 2, section 3.1, and OLMo-core's instance filter: 32 times or more is out, periods 1 to 13. Dolma v1.6
    drops at a repetition score of 100, in pieces of 100,000 characters.
    Reading: whole copies count; part of another one at the end of the run does not. Tokens are words and single marks.
    Differs: OLMo looks at tokens of its tokenizer, within one training sequence, and never tells runs of 2 from none.

    >>> longest_run_count(Page("go " * 40 + "home"))
    40
    >>> longest_run_count(Page("a b, a b, a b, a"))
    3
    """
    numbers: dict[str, int] = {}
    ids = np.array([numbers.setdefault(token, len(numbers)) for token in _TOKEN.findall(page.text)], np.int32)
    return int(_longest_run(ids, min_period, max_period)) if len(ids) else 0


@compiled
def _longest_run(ids, min_period, max_period):
    """Most whole copies in a row over all periods: a streak of s tokens equal to those p before makes s // p + 1."""
    most = 1
    for period in range(min_period, max_period + 1):
        streak = 0
        for i in range(period, len(ids)):
            streak = streak + 1 if ids[i] == ids[i - period] else 0
            most = max(most, streak // period + 1)
    return most
