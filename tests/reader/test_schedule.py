"""Turns of the sources against exact fractions; orders by hash."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.reader.order import mix, order_of, reversed_bits
from curation.reader.schedule import Schedule


@settings(max_examples=150)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 30), st.randoms())
def test_turns_are_in_order_of_the_moments_wherever_one_begins(rows, count, random):
    moments = sorted((Fraction(2 * j + 1, 2 * n), i, j) for i, n in enumerate(rows) for j in range(n))
    expected = [(i, j) for _, i, j in moments]
    schedule = Schedule(rows)
    for first in [0, schedule.total - 1, random.randrange(schedule.total)]:
        source, row = schedule.turns(first, count)
        assert list(zip(source.tolist(), row.tolist(), strict=True)) == expected[first : first + count]


@pytest.mark.parametrize("rows", [[7 * 10**12, 3, 10**9], [10**14, 10**14 - 1], [2**50]], ids=str)
def test_parts_of_a_long_run_join_without_a_gap(rows):
    schedule = Schedule(rows)
    for first in (0, schedule.total // 3, schedule.total - 1000):
        source, row = schedule.turns(first, 1000)
        again = [schedule.turns(first + at, size) for at, size in ((0, 1), (1, 499), (500, 500))]
        assert (np.concatenate([one for one, _ in again]) == source).all()
        assert (np.concatenate([one for _, one in again]) == row).all()
        for number in range(len(rows)):
            taken = row[source == number]
            assert (np.diff(taken) == 1).all()
            if len(taken):  # to within one row of its share of the run before
                assert (
                    abs(taken[0] - first * (rows[number] / schedule.total))
                    <= 1 + len(source) * rows[number] / schedule.total
                )


def test_last_turns_are_cut_at_the_end():
    source, row = Schedule([2, 1]).turns(1, 100)
    assert (source.tolist(), row.tolist()) == ([1, 0], [0, 1])


@pytest.mark.parametrize("shares", [[0.67, 0.23, 0.1], [0.9899, 0.01, 0.0001], [1.0]], ids=str)
def test_shares_hold_within_a_thousandth_over_a_million_rows(shares):
    rows = [round(share * 3 * 10**9) for share in shares]
    for first in (0, 10**9 + 1):
        source, _ = Schedule(rows).turns(first, 10**6)
        assert np.abs(np.bincount(source, minlength=len(rows)) / 10**6 - shares).max() < 1e-5


@settings(max_examples=50)
@given(st.integers(0, 200), st.lists(st.integers(-(2**70), 2**70), max_size=4))
def test_order_is_a_permutation_fixed_by_its_key(count, key):
    order = order_of(count, *key)
    assert sorted(order.tolist()) == list(range(count))
    assert (order == order_of(count, *key)).all()


def test_hash_is_splitmix64():
    """First outputs of the reference implementation for seed 0 (https://prng.di.unimi.it/splitmix64.c)."""
    states = np.array([0, 0x9E3779B97F4A7C15], dtype=np.uint64)
    assert [hex(value) for value in mix(states)] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4"]


def test_order_does_not_change_with_versions():
    assert order_of(6, 1, 2).tolist() == [1, 3, 2, 4, 5, 0]


def test_reversed_bits_give_each_of_a_power_of_two_ranks_a_run_of_its_own():
    lanes = np.argsort(reversed_bits(np.arange(1024), 10))
    for world in (2, 8, 64):
        runs = (lanes % world).reshape(world, -1)
        assert (runs == runs[:, :1]).all() and sorted(runs[:, 0].tolist()) == list(range(world))
