"""Shares of kinds of characters, against Python's own Unicode tables, and NeMo Curator's measures on lines."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Page
from curation.rules import characters, nemo


def share(text, belongs):
    return sum(map(belongs, text)) / len(text)


# Latin, Greek, Arabic, Han, Kana, Thai and marks: classes that did not change between versions of Unicode.
LETTERS = st.characters(codec="utf-8", max_codepoint=0x24FF, categories=["L", "M", "N", "P", "S", "Z"])


@settings(max_examples=100)
@given(st.text(LETTERS, min_size=1, max_size=50).filter(lambda t: all(unicodedata.name(c, "") for c in t)))
def test_shares_are_those_of_the_unicode_categories(text):
    page = Page(text)
    category = unicodedata.category
    assert characters.punctuation_fraction(page) == share(text, lambda c: category(c)[0] == "P")
    assert characters.digit_fraction(page) == share(text, lambda c: category(c) == "Nd")
    assert characters.uppercase_fraction(page) == share(text, lambda c: category(c) == "Lu")
    assert characters.letter_count(page) == sum(category(c)[0] == "L" for c in text)
    assert characters.non_alphanumeric_fraction(page) == pytest.approx(
        share(text, lambda c: category(c)[0] not in "LMN")
    )
    assert characters.special_character_fraction(page) == share(
        text, lambda c: category(c)[0] in "PSZC" or category(c) == "Nd"
    )


@pytest.mark.parametrize(
    ("measure", "text", "value"),
    [
        ("white_space_fraction", "\t\n\r\x08 abcde", 0.5),
        ("parenthesis_fraction", "(a)\uff08b\uff09c", 4 / 7),
        ("url_character_fraction", "http://a.b \nxwww.a", 10 / 18),
        ("url_character_fraction", "<https://a.b>", 11 / 13),
        ("url_character_fraction", "a.b", 0),
    ],
)
def test_share_of(measure, text, value):
    assert getattr(characters, measure)(Page(text)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("measure", "text", "value"),
    [
        ("boilerplate_paragraph_fraction", "", 0),
        ("boilerplate_paragraph_fraction", "Our Privacy Policy\n\nProse.\n\nMore.\n\nTerms of use", 0.5),
        ("boilerplate_paragraph_fraction", "Prose.\n\nLorem Ipsum dolor", 1),
        ("unended_sentence_fraction", "", 1),
        ("unended_sentence_fraction", "Home\nHe said: 'no.'\n\u4ed6\u8bf4\u3002\nMenu", 0.5),
        ("longest_word_length", "", 0),
        ("longest_word_length", "a " + "x" * 1001, 1001),
    ],
)
def test_nemo_measure(measure, text, value):
    assert getattr(nemo, measure)(Page(text)) == value
