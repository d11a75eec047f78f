"""Unicode repair and lines of symbols: what is broken is mended, what is not broken stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Drop, Page
from curation.rewrite.symbols import break_lines
from curation.rewrite.unicode import repair


@pytest.mark.parametrize(
    "text",
    [
        "caf\u00e9 cr\u00e8me",
        "\u6211\u5011\u5b78\u7fd2",
        "\u0416\u0443\u043a",
        "na\u00efve \u201cquotes\u201d \u2014 yes",
    ],
)
def test_text_read_with_the_wrong_charset_comes_back(text):
    assert repair(Page(text.encode("utf-8").decode("windows-1252", "replace"))) == text or "\ufffd" in text.encode(
        "utf-8"
    ).decode("windows-1252", "replace")


@pytest.mark.parametrize(
    "text",
    [
        "plain text\r\nwith its line breaks",
        "\u201cquotes\u201d, \ufb01ne ligatures and \uff08full width\uff09\u3002",
        "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 \u0627\u0644\u0639\u0631\u0628\u064a\u0629 \ud55c\uad6d\uc5b4",
        "\U0001f600 emoji \u2764\ufe0f",
    ],
)
def test_text_that_is_not_broken_stays_as_it_is(text):
    assert repair(Page(text)) == text


def test_settings_ask_for_more():
    assert repair(Page("\u201cfine\u201d"), uncurl_quotes=True) == '"fine"'
    assert repair(Page("\uff21"), character_width=True) == "A"
    assert repair(Page("e\u0301"), normalization="NFC") == "\u00e9"


def test_page_of_control_characters_is_dropped_as_empty():
    assert repair(Page("\x00\x01")) == Drop("empty", 0)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n|\nb", "a\n\nb"),
        ("a\n| |\n||\n \t|\nb", "a\n\nb"),
        ("a | b\n| c |", "a | b\n| c |"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("|\na", "\na"),
    ],
)
def test_rows_of_bars_become_one_empty_line(text, left):
    assert break_lines(Page(text)) == left


def test_page_of_bars_is_dropped_as_empty():
    assert break_lines(Page("|\n||")) == Drop("empty", 0)


@settings(max_examples=100)
@given(st.text(alphabet="a| \n", max_size=40))
def test_breaking_lines_loses_bars_and_white_space_only(text):
    result = break_lines(Page(text))
    left = result if isinstance(result, str) else ""
    assert left.replace("|", "").split() == text.replace("|", "").split()
