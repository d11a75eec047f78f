"""Pairs of known similarity: a text, and the same text with words replaced until the two are as similar as wanted.

For measuring how often a setting finds pairs of a given similarity, in tests, benchmarks and notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from curation.dedup.kernel import Unit, shingle_hashes

_WORD = re.compile(r"\w+")


def edited_to(
    text: str, jaccard: float, random: np.random.Generator, *, ngram: int = 5, unit: Unit = "word"
) -> tuple[str, float]:
    """`text` with single words replaced by made ones until its Jaccard similarity to the text is nearest to `jaccard`.

    Returns the edited text and the true similarity. Replaced places are drawn at random; their number is found by
    bisection, because the similarity falls with each. Raises ValueError for a text of fewer than 20 shingles, which
    cannot come near to most similarities.
    """
    before = np.unique(shingle_hashes(text, ngram, unit))
    if len(before) < 20:
        raise ValueError(f"a text of {len(before)} shingles is too short to be edited to a similarity of {jaccard}")
    words = list(_WORD.finditer(text))
    places = random.permutation(len(words))
    made = [f"{''.join(map(chr, random.integers(97, 123, 7)))}" for _ in words]

    def similarity(count: int) -> float:
        return _similarity(before, np.unique(shingle_hashes(_replaced(text, words, places[:count], made), ngram, unit)))

    low, high = 0, len(words)  # similarity(low) >= jaccard > similarity(high), or there are no more words
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if similarity(middle) >= jaccard else (low, middle)
    count = min((low, high), key=lambda one: abs(similarity(one) - jaccard))
    return _replaced(text, words, places[:count], made), similarity(count)


def count_interval_of(probabilities: Sequence[float], confidence: float = 0.99) -> tuple[int, int]:
    """The fewest and most successes to expect of independent trials of these probabilities: central interval.

    As `curve.count_interval`, for pairs that are not equally similar. Exact (the distribution is built up trial by
    trial, quadratic in their number).

    >>> count_interval_of([0.5] * 1000)
    (459, 541)
    """
    chance = np.ones(1)
    for probability in probabilities:
        chance = np.append(chance * (1 - probability), 0.0) + np.append(0.0, chance * probability)
    below = np.cumsum(chance)
    tail = (1 - confidence) / 2
    return int(np.searchsorted(below, tail)), int(np.searchsorted(below, 1 - tail))


def _similarity(one: np.ndarray, other: np.ndarray) -> float:
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


def _replaced(text: str, words: list[re.Match], places: np.ndarray, made: list[str]) -> str:
    parts, at = [], 0
    for place in np.sort(places).tolist():
        parts += [text[at : words[place].start()], made[place]]
        at = words[place].end()
    return "".join([*parts, text[at:]])
