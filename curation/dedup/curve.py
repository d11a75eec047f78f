"""The S-curve of MinHash banding: how likely a pair of given Jaccard similarity becomes a candidate; the best bands.

probability = 1 - (1 - s^rows)^bands        Source: Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.4.2
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

_MOST_NODES = (
    512  # of the quadrature: above 1,023 hashes it is no longer exact, the error stays far below the choice's grain
)


def candidate_probability(similarity: ArrayLike, bands: int, rows: int) -> np.ndarray:
    """Probability that a pair of Jaccard `similarity` (0 to 1, a number or an array) shares at least one band.

    >>> candidate_probability([0.7, 0.75, 0.8, 0.85], 14, 8).round(3).tolist()
    [0.565, 0.772, 0.924, 0.988]
    """
    return 1.0 - (1.0 - np.asarray(similarity, dtype=float) ** rows) ** bands


def threshold(bands: int, rows: int) -> float:
    """The nominal threshold (1/bands)^(1/rows), near the steepest point of the curve.

    >>> round(threshold(14, 8), 2)
    0.72
    """
    return (1.0 / bands) ** (1.0 / rows)


def missed_area(at: float, bands: int, rows: int) -> float:
    """Integral of 1 - probability from `at` to 1: pairs above the threshold that no band catches."""
    nodes, weights = _quadrature(at, 1.0, bands * rows)
    return float(weights @ (1.0 - candidate_probability(nodes, bands, rows)))


def false_area(at: float, bands: int, rows: int) -> float:
    """Integral of the probability from 0 to `at`: pairs below the threshold that become candidates."""
    nodes, weights = _quadrature(0.0, at, bands * rows)
    return float(weights @ candidate_probability(nodes, bands, rows))


def best_bands_rows(at: float, hashes: int, *, missed_weight: float = 0.5) -> tuple[int, int]:
    """(bands, rows), bands x rows <= `hashes`, that minimise the weighted sum of missed and false area at a threshold.

    `missed_weight` (0 to 1) is the price of a missed pair, its complement that of a false one. The criterion is
    datasketch's, so the choice is too.

    >>> best_bands_rows(0.8, 128)
    (9, 13)
    """
    if not 0.0 < at < 1.0:
        raise ValueError(f"threshold {at} must lie between 0 and 1, both excluded")
    if hashes < 1:
        raise ValueError(f"hashes {hashes} must be at least 1")

    def error(choice: tuple[int, int]) -> float:
        return missed_weight * missed_area(at, *choice) + (1.0 - missed_weight) * false_area(at, *choice)

    choices = [(bands, rows) for bands in range(1, hashes + 1) for rows in range(1, hashes // bands + 1)]
    return min(choices, key=error)


def count_interval(pairs: int, probability: float, confidence: float = 0.99) -> tuple[int, int]:
    """The fewest and most candidates to expect among `pairs` independent pairs: central binomial interval.

    >>> count_interval(1000, 0.5)
    (459, 541)
    """
    from scipy.stats import binom  # half a second to import

    low, high = binom.interval(confidence, pairs, probability)
    return int(low), int(high)


def _quadrature(low: float, high: float, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [low, high]; exact, for the curve is a polynomial of degree bands x rows."""
    nodes, weights = _legendre(min(degree // 2 + 1, _MOST_NODES))
    return low + (high - low) * (nodes + 1) / 2, weights * (high - low) / 2


@cache
def _legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(count)
