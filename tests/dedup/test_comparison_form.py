"""The comparison form in plain Python: what it folds, and that folding twice changes nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.form import comparison_form, folding_tables, form_words


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param("", "", id="empty"),
        pytest.param(" \t\n\u00a0\u2003", "", id="only-space"),
        pytest.param("!?$\u20ac\u2014\U0001f600", "", id="only-punctuation-and-symbols"),
        pytest.param("Stra\u00dfe \u00c9T\u00c9 na\u00efve", "stra\u00dfe ete naive", id="case-and-accents"),
        pytest.param("\u1f44\u03c1\u03bf\u03c2 \u039f\u03a3", "\u03bf\u03c1\u03bf\u03c3 \u03bf\u03c3", id="sigma"),
        pytest.param("co\u00adope\u200brate \ufeffnow", "cooperate now", id="format-characters"),
        pytest.param("12 3.14 1,200 v1.2.3 mp3", "0 0 0 0 v0 0 mp0", id="numbers"),
        pytest.param("12. Then .5 and 7..8", "0 then 0 and 0 0", id="dots-that-are-no-decimal-point"),
        pytest.param("1\u00ad2.\u200b3", "0", id="number-across-format-characters"),
        pytest.param("\u0661\u0662\u066b\u0663 \uff11\uff0e\uff15 x\u00b2", "0 0 0 x0", id="digits-of-other-scripts"),
        pytest.param("\uff21\uff42 \ufb01n \u2168", "ab fin ix", id="compatibility-forms"),
        pytest.param("don't e-mail a_b", "don t e mail a b", id="punctuation-parts-words"),
        pytest.param("a\x00b\x1fc\u2028d", "a b c d", id="controls"),
    ],
)  # fmt: skip
def test_form_of(text, form):
    assert comparison_form(text) == form


@given(st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_form_of_a_form_is_itself(text):
    form = comparison_form(text)
    assert comparison_form(form) == form
    assert form == form.strip() and "  " not in form


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("\u6211\u7231 Spark\u3002", ["\u6211", "\u7231", "spark"], id="chinese-and-latin"),
        pytest.param("\u30c7\u30fc\u30bf", ["\u30c6", "\u30fc", "\u30bf"], id="kana-lose-the-voicing-mark"),
        pytest.param("\u0e20\u0e32\u0e29\u0e32x", ["\u0e20", "\u0e32", "\u0e29", "\u0e32", "x"], id="thai"),
        pytest.param("\u1019\u103c\u1014\u103a a", ["\u1019\u103c", "\u1014", "a"], id="myanmar-keeps-spacing-marks"),
        pytest.param("\ud55c\uae00 a", ["\u1112\u1161\u11ab\u1100\u1173\u11af", "a"], id="hangul-by-space"),
    ],
)
def test_words_of_the_form(text, words):
    assert form_words(text) == words


def test_every_code_point_is_in_the_table():
    tables = folding_tables()
    assert len(tables.pages) * 256 == 0x110000
    assert len(tables.entries) == 256 * (int(tables.pages.max()) + 1)


@given(st.text(alphabet="aB1.,- \n", max_size=40))
@settings(max_examples=100, deadline=None)
def test_on_ascii_the_form_is_three_substitutions(text):
    expected = re.sub(r"[0-9]+(\.[0-9]+)?", "0", text.lower())
    expected = re.sub(r"[^a-z0-9]+", " ", expected).strip()
    assert comparison_form(text) == expected
