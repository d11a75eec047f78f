"""Numbers for people, and counters of bounded size."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.report.counts import LENGTH_EDGES, SmallestHash, TopCounts, length_histogram, scramble
from curation.report.numbers import duration, exact, file_size, percent, short

UNITS = {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


@settings(max_examples=100)
@given(st.integers(-(10**15), 10**15))
def test_short_numbers_are_within_half_a_unit_of_their_third_digit(number):
    digits, _, letter = short(number).partition(" ")
    read_back = float(digits.replace(",", "")) * UNITS.get(letter, 1)
    assert abs(read_back - number) <= 0.00501 * abs(number)
    assert letter or read_back == number


@settings(max_examples=100)
@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_percent_says_all_or_nothing_only_where_it_is(part, whole):
    part = min(part, whole)
    assert (percent(part, whole) == "100.0 %") == (part == whole)
    assert (percent(part, whole) == "0.0 %") == (part == 0)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (exact(None), "\u2013"),
        (exact(1.5), "1.5"),
        (short(None), "\u2013"),
        (short(-12_345), "-12.3 k"),
        (short(99_950_000), "100 M"),
        (short(15 * 10**12), "15.0 T"),
        (duration(None), "\u2013"),
        (duration(3599.9), "1 h 0 min"),
        (file_size(999_999), "1 MB"),
        (file_size(84 * 10**12), "84 TB"),
    ],
)
def test_numbers_read_as_expected(said, expected):
    assert said == expected


def test_scramble_is_splitmix64():
    # First outputs of splitmix64 seeded with 0: the reference sequence of the generator's authors.
    state = np.array([0, 0x9E3779B97F4A7C15 - 2**64], dtype=np.int64)
    assert [hex(value) for value in scramble(state).tolist()] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4"]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 10**8), max_size=200))
def test_length_histogram_counts_every_text_once(lengths):
    chars = np.array(lengths, dtype=np.int64)
    expected, _ = np.histogram(np.clip(chars[chars > 0], None, LENGTH_EDGES[-1]), bins=LENGTH_EDGES)
    assert length_histogram(chars).tolist() == expected.tolist()
    assert length_histogram(chars).sum() == sum(length > 0 for length in lengths)


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=20), max_size=20), st.integers(2, 12))
def test_top_counts_are_exact_while_they_fit_and_never_off_by_more_than_they_say(batches, capacity):
    top, truth = TopCounts(capacity), Counter()
    for batch in batches:
        top.add(Counter(batch))
        truth.update(batch)
    found = dict(top.most_common(100))
    assert len(found) <= capacity
    assert all(truth[key] - top.undercount <= found.get(key, 0) <= truth[key] for key in truth)
    if len(truth) <= capacity:
        assert found == dict(truth)
        assert top.undercount == 0


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 99)), max_size=40), st.randoms(use_true_random=False))
def test_smallest_hash_does_not_depend_on_the_order_of_rows(rows, draw):
    shuffled = draw.sample(rows, len(rows))
    chosen = [SmallestHash(3), SmallestHash(3)]
    for sample, order in zip(chosen, (rows, shuffled), strict=True):
        for key, value in order:
            sample.offer(key, [(value,)])
    assert chosen[0].items() == chosen[1].items()
    assert dict(chosen[0].items()) == {k: sorted((v,) for x, v in rows if x == k)[:3] for k in {x for x, _ in rows}}
