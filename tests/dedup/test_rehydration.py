"""Rehydration: copies by cluster size, by FineWeb2's table and by what later filters removed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.rehydration import Fate, copies_by_removal, copies_of

fates = st.dictionaries(
    st.integers(1, 2000),
    st.tuples(st.integers(1, 1000), st.floats(0, 1)).map(lambda pair: Fate(pair[0], int(pair[0] * pair[1]))),
    min_size=1,
    max_size=30,
)


@given(fates, st.integers(1, 10))
@settings(max_examples=100, deadline=None)
def test_copies_lie_between_one_and_most_and_fall_with_the_rate_of_removal(fates, most):
    copies = copies_by_removal(fates, most)
    sizes = sorted(fates)
    rates = []
    for place in range(len(sizes)):
        near = [fates[size] for size in sizes[max(0, place - 2) : place + 3]]
        rates.append(sum(fate.removed for fate in near) / sum(fate.entered for fate in near))
    assert all(1 <= copies[size] <= most for size in sizes)
    ordered = sorted(zip(rates, (copies[size] for size in sizes), strict=True))
    assert all(one[1] >= other[1] for one, other in zip(ordered, ordered[1:], strict=False) if one[0] < other[0])
    overall = sum(fate.removed for fate in fates.values()) / sum(fate.entered for fate in fates.values())
    assert all(copies[size] == 1 for size, rate in zip(sizes, rates, strict=True) if rate > overall)
    if min(rates) < overall:
        assert copies[sizes[rates.index(min(rates))]] == most


def test_each_document_gets_the_copies_of_its_size():
    kept = np.array([1, 1, 3, 200, 5000])
    assert copies_of(kept, np.array([1, 1])).tolist() == [1, 1, 3, 8, 1]
    many = np.repeat([1, 2, 3, 4, 5, 50, 60, 70, 80, 90], 10)
    gone = np.repeat([1, 2, 3, 4, 5], 30)
    copies = copies_of(many, gone, by="removal", most=10)
    assert copies[many == 1].tolist() == [1] * 10 and copies[many == 90].tolist() == [10] * 10


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="by is 'luck'; choose one of size, removal"):
        copies_of(np.array([1]), np.array([1]), by="luck")
