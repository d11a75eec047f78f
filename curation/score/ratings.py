"""Ratings from 0 to 5, in FineWeb-Edu's manner: what a rater may answer, and how a score becomes a rating."""

from __future__ import annotations

import re

BEST = 5
_ANSWER = re.compile(r"rating\W{0,5}([0-9]+(?:\.[0-9]+)?)", re.IGNORECASE)


def round_rating(score: float) -> float:
    """The nearest whole rating, halves to the even one as Python rounds, within 0 to 5.

    Source: the card of FineWeb-Edu's classifier: clip, then round. A bound of 3 on the raw score keeps fewer pages.

    >>> [round_rating(score) for score in (-0.3, 2.4, 2.51, 7.0)]
    [0.0, 2.0, 3.0, 5.0]
    """
    return float(round(max(0.0, min(score, float(BEST)))))


def parse_rating(answer: object) -> float | None:
    """The rating in a rater's answer: a number, or a text that ends in `Rating: N`; None where it was left open.

    The last rating named counts, so that a rater may think aloud first. Raises ValueError on anything else.

    >>> parse_rating(3), parse_rating("Clear and complete.\\nRating: 4"), parse_rating(None)
    (3.0, 4.0, None)
    """
    if answer is None or answer == "":
        return None
    if isinstance(answer, str):
        named = _ANSWER.findall(answer)
        answer = named[-1] if named else answer.strip()
    if isinstance(answer, bool) or not isinstance(answer, (str, int, float)):
        raise ValueError(f"{answer!r} is no rating from 0 to {BEST}")
    try:
        rating = float(answer)
    except ValueError:
        raise ValueError(f"{answer!r} is no rating; answer with a number or end with 'Rating: N'") from None
    if not 0 <= rating <= BEST:
        raise ValueError(f"{answer!r} is not between 0 and {BEST}")
    return rating
