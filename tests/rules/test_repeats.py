"""Runs of a repeated n-gram, against the definition tried at every position."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Page
from curation.rules.repeats import longest_run_count


def oracle(tokens, min_period, max_period):
    most = 1 if tokens else 0
    for period in range(min_period, max_period + 1):
        for start in range(len(tokens) - period + 1):
            piece, times = tokens[start : start + period], 1
            while tokens[start + times * period : start + (times + 1) * period] == piece:
                times += 1
            most = max(most, times)
    return most


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=40), st.integers(1, 3), st.integers(1, 13))
def test_longest_run_equals_the_definition(tokens, min_period, max_period):
    page = Page(" ".join(tokens))
    assert longest_run_count(page, min_period=min_period, max_period=max_period) == oracle(
        tokens, min_period, max_period
    )


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("", 0),
        ("one two three", 1),
        ("!" * 32, 32),
        ("\u54c8" * 33, 33),
        ("buy now! " * 31 + "buy", 31),
        ("one two three four five six seven eight nine ten eleven twelve thirteen " * 32, 32),
        ("a b c d e f g h i j k l m n " * 32, 1),  # period 14
    ],
    ids=["empty", "prose", "marks", "laughter in Chinese", "part of a copy", "period 13", "period 14"],
)
def test_run_is_counted_in_whole_copies_up_to_period_13(text, times):
    assert longest_run_count(Page(text)) == times
