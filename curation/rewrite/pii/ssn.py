"""Social security numbers of the United States."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.rewrite.pii.cue_words import SSN_CUE
from curation.rewrite.pii.digits import digit_runs
from curation.rewrite.pii.spans import LETTER, Span, last_match

SSN = "<SSN>"

# Never given out: area 000, 666 and 900 to 999, group 00, serial 0000.
# Source: https://www.ssa.gov/employer/randomization.html and /employer/stateweb.htm
_NUMBER = re.compile(
    rf"[0-9](?<![{LETTER}0-9_$#/+.,\-\u2010-\u2015][0-9])(?<![0-9][ \u00a0][0-9])[0-9]{{2}}"
    rf"([ \u00a0\-\u2010-\u2013]?)[0-9]{{2}}\1[0-9]{{4}}(?![{LETTER}0-9_%/]|[.,:\-\u2010-\u2015][0-9{LETTER}])"
)
_BEHIND = 2  # characters after a run of digits that the pattern looks at
_DASHES = "-\u2010\u2011\u2012\u2013"


def social_security_numbers(text: str) -> Iterator[Span]:
    """US social security numbers: 3-2-4 digits with hyphens; with spaces or nothing between only after a word for it.

    A word such as "part", "SKU" or "order" before the number, nearer than one for it, says that it is none.

    >>> [span[:3] for span in social_security_numbers("SSN 536-22-8726, part 536-22-8726, 000-12-3456")]
    [(4, 15, '<SSN>')]
    """
    for match in (match for low, high in digit_runs(text) for match in _NUMBER.finditer(text, low, high + _BEHIND)):
        digits = re.sub(r"[^0-9]", "", match.group())
        if digits[0] == "9" or digits[:3] in ("000", "666") or digits[3:5] == "00" or digits[5:] == "0000":
            continue
        cue = last_match(SSN_CUE, text, match.start())
        named = cue is not None and cue.lastgroup == "yes"
        refused = cue is not None and cue.lastgroup == "no"
        if named or (match.group(1) in tuple(_DASHES) and not refused):
            yield Span(match.start(), match.end(), SSN, digits)
