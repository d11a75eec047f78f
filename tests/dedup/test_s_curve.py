"""The S-curve against scipy's quadrature, datasketch's choice, and pairs of known similarity through the kernel."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from datasketch.lsh import _optimal_param
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from curation.dedup.bands import band_keys
from curation.dedup.curve import (
    best_bands_rows,
    candidate_probability,
    count_interval,
    false_area,
    missed_area,
    threshold,
)
from curation.dedup.kernel import signatures

SETUPS = [pytest.param(14, 8, id="fineweb"), pytest.param(20, 13, id="nemo"), pytest.param(450, 20, id="lee")]


@pytest.mark.parametrize(("bands", "rows"), SETUPS)
@pytest.mark.parametrize("at", [0.3, 0.8])
def test_areas_equal_quadrature(bands, rows, at):
    above, _ = quad(lambda s: (1 - s**rows) ** bands, at, 1, points=[threshold(bands, rows)], limit=200)
    below, _ = quad(lambda s: 1 - (1 - s**rows) ** bands, 0, at, limit=200)
    assert missed_area(at, bands, rows) == pytest.approx(above, abs=1e-7)
    assert false_area(at, bands, rows) == pytest.approx(below, abs=1e-7)


@pytest.mark.parametrize("hashes", [64, 112])
@pytest.mark.parametrize("at", [0.5, 0.75, 0.9])
def test_best_bands_and_rows_are_those_of_datasketch(at, hashes):
    assert best_bands_rows(at, hashes) == _optimal_param(at, hashes, 0.5, 0.5)


def test_a_dearer_miss_lowers_the_threshold():
    careful = best_bands_rows(0.8, 112, missed_weight=0.9)
    assert threshold(*careful) < threshold(*best_bands_rows(0.8, 112, missed_weight=0.1))


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 50), st.integers(1, 20))
@settings(max_examples=50)
def test_more_similar_pairs_are_likelier_candidates(one, other, bands, rows):
    low, high = sorted([one, other])
    assert 0 <= candidate_probability(low, bands, rows) <= candidate_probability(high, bands, rows) <= 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: best_bands_rows(1.0, 100), "threshold 1.0 must lie between 0 and 1", id="threshold"),
        pytest.param(lambda: best_bands_rows(0.5, 0), "hashes 0 must be at least 1", id="hashes"),
    ],
)
def test_impossible_wishes_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("shared", [70, 75, 80, 85], ids=lambda shared: f"jaccard-0.{shared}")
def test_candidate_rate_of_pairs_of_known_jaccard_is_on_the_curve(shared):
    pairs, union = 2000, 100
    left, right = [], []
    for pair in range(pairs):  # single words as shingles, all different: the Jaccard similarity is exactly shared / 100
        words = [f"w{'abcdefghij'[pair // 1000]}{_letters(pair)}{_letters(k)}" for k in range(union)]
        half = shared + (union - shared) // 2
        left.append(" ".join(words[:half]))
        right.append(" ".join(words[:shared] + words[half:]))
    values = signatures(pa.array(left + right), ngram=1).values
    keys = band_keys(values, 14, 8)
    candidates = int((keys[:pairs] == keys[pairs:]).any(axis=1).sum())
    low, high = count_interval(pairs, float(candidate_probability(shared / 100, 14, 8)), confidence=0.99)
    assert low <= candidates <= high
    equal = np.mean(values[:pairs] == values[pairs:])
    assert equal == pytest.approx(shared / 100, abs=2.6 * 0.5 / np.sqrt(pairs * 112))


def _letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))
