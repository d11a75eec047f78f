"""data-juicer's repetition measures, against its definition on plain counters."""

from __future__ import annotations

from collections import Counter
from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Page
from curation.rules.data_juicer import character_repetition_fraction, flagged_word_fraction, word_repetition_fraction


def character_oracle(text, n):
    counts = sorted(Counter(text[i : i + n] for i in range(len(text) - n + 1)).values(), reverse=True)
    top = min(isqrt(len(counts)), sum(count > 1 for count in counts))
    return sum(counts[:top]) / sum(counts) if counts else 0.0


def word_oracle(words, n):
    counts = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    return sum(c for c in counts.values() if c > 1) / counts.total() if counts else 0.0


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab \u6211\U0001f600", max_size=60), st.integers(1, 10))
def test_character_repetition_equals_the_definition(text, n):
    assert character_repetition_fraction(Page(text), n=n) == pytest.approx(character_oracle(text, n))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a", "bc", "d"]), max_size=40), st.integers(1, 10))
def test_word_repetition_equals_the_definition(words, n):
    assert word_repetition_fraction(Page(" ".join(words)), n=n) == pytest.approx(word_oracle(words, n))


def test_flagged_words_come_from_the_users_list(tmp_path):
    listed = tmp_path / "words"
    listed.write_text("# mine\nCasino\n")
    assert flagged_word_fraction(Page("CASINO casinos casino bar"), words=str(listed)) == 0.5
    assert flagged_word_fraction(Page(""), words=str(listed)) == 0
