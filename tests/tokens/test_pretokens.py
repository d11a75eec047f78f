"""Cutting of long runs, and the choice of a pattern."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import TokenizerError
from curation.tokens.pretokens import PATTERNS, choose_pattern, cut_long_runs

TEXTS = st.text(st.sampled_from("ab \n!\u0301\u4e2d1"), max_size=60)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 9))
def test_parts_join_to_the_text_and_no_run_is_longer_than_the_limit(text, limit):
    parts = cut_long_runs(text, limit)
    assert "".join(parts) == text
    longest = max((len(run) for part in parts for run in regex.findall(r"\s+|\S+", part)), default=0)
    assert longest <= limit


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 9))
def test_text_without_a_long_run_is_one_part(text, limit):
    longest = max((len(run) for run in regex.findall(r"\s+|\S+", text)), default=0)
    assert (len(cut_long_runs(text, limit)) == 1) == (longest <= limit)


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_cuts_digits_as_it_says(name):
    digits = regex.findall(PATTERNS[name].regex, "1234567")
    assert (
        digits
        == {"single": list("1234567"), "up_to_three": ["123", "456", "7"], "any": ["1234567"]}[PATTERNS[name].digits]
    )


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_loses_no_character(name):
    text = "Don't  stop\r\n\n 3 caf\u00e9s \u0928\u092e\u0938\u094d\u0924\u0947 \u2764\ufe0f!!\t <|x|> I'LL  "
    assert "".join(regex.findall(PATTERNS[name].regex, text)) == text


def test_unknown_pattern_is_refused_with_the_closest_name():
    with pytest.raises(TokenizerError, match="did you mean 'llama3'"):
        choose_pattern("lama3", split_digits=False)


@pytest.mark.parametrize(("name", "split_digits"), [("llama3", True), ("gpt2", True), ("qwen2", False)])
def test_pattern_that_cuts_digits_otherwise_is_refused(name, split_digits):
    with pytest.raises(TokenizerError, match="split_digits"):
        choose_pattern(name, split_digits)
