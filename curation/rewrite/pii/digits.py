"""Long runs of digits: the only places where card, social security and phone numbers can stand.

Looking for them once for all three, by a pattern that begins with a digit, costs about 4 ms a megabyte of prose.
"""

from __future__ import annotations

import re
from functools import lru_cache

DASHES = r"\-\u2010-\u2015\u2212\u30fc\uff0d"
GAP = rf" \u00a0\u202f\u3000.{DASHES}()/\uff08\uff09"
_RUN = re.compile(rf"\d(?<!\d\d)(?:[{GAP}]{{0,3}}\d){{6,}}")


@lru_cache(maxsize=2)  # the kinds ask one after the other about the same text, or what the one before left of it
def digit_runs(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each run of at least 7 digits with at most 3 spaces, dots, dashes, slashes, brackets between.

    >>> digit_runs("in 2024 call 555-0123, or (212) 555 0123")
    ((13, 21), (27, 40))
    """
    return tuple(match.span() for match in _RUN.finditer(text))
