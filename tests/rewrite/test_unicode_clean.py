"""Cleaning: characters that are no text go, line breaks become one, everything else stays."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Drop, Page
from curation.rewrite.unicode import clean

anything = st.text(st.characters() | st.sampled_from("\r\n\t\x00\x0b\x0c\x85\u2028\ufeff\ud83d\ude00 "), max_size=30)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        pytest.param("a\x00b\x1bc\x7fd", "abcd", id="controls"),
        pytest.param("a\tb\nc", "a\tb\nc", id="tab and newline stay"),
        pytest.param("a\r\nb\rc\x0cd\u2029e\x85f", "a\nb\nc\nd\ne\nf", id="line breaks"),
        pytest.param("a\r\x00\nb", "a\nb", id="control inside a line break"),
        pytest.param("\ufeffa\ufeffb", "ab", id="byte order marks"),
        pytest.param("a\ud800b\udc00c\ud800", "abc", id="lone surrogates"),
        pytest.param("\ud83d\ude00", "\U0001f600", id="pair of surrogates"),
        pytest.param("a\u200db \u00adc", "a\u200db \u00adc", id="joiner and soft hyphen stay"),
    ],
)
def test_clean(text, cleaned):
    assert clean(Page(text)) == cleaned


@pytest.mark.parametrize("text", ["", "\x00\ufeff", " \r\n "], ids=["empty", "only controls", "only space"])
def test_page_with_nothing_left_is_dropped(text):
    result = clean(Page(text))
    assert isinstance(result, Drop)
    assert result.rule == "empty"


@settings(max_examples=100, deadline=None)
@given(anything)
def test_cleaned_text_is_encodable_and_knows_one_line_break(text):
    result = clean(Page("x" + text))
    assert result.encode("utf-8").decode("utf-8") == result
    assert result.splitlines() == result.removesuffix("\n").split("\n")
    assert {c for c in result if unicodedata.category(c) == "Cc"} <= {"\n", "\t"}
    assert clean(Page(result)) == result


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufeff\ufffe"), min_size=1)
)
def test_text_without_such_characters_stays(text):
    assert clean(Page("x" + text)) == "x" + text
