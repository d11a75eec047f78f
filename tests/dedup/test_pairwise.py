"""The matrix of true similarities against sets of tuples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.pairwise import jaccard_matrix

WORDS = st.lists(st.sampled_from(["ash", "oak", "elm", "fir"]), max_size=12).map(" ".join)


@given(st.lists(WORDS, max_size=6), st.integers(1, 4))
def test_it_equals_brute_force(texts, ngram):
    sets = [{tuple(w[k : k + ngram]) for k in range(len(w) - ngram + 1)} for w in map(str.split, texts)]
    expected = [[len(a & b) / len(a | b) if a or b else 0.0 for b in sets] for a in sets]
    assert jaccard_matrix(texts, ngram) == pytest.approx(np.reshape(expected, (len(texts), len(texts))))


def test_no_text_gives_an_empty_matrix():
    assert jaccard_matrix([]).shape == (0, 0)
