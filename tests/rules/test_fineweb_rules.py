"""FineWeb's own measures on their bounds, and what counts as terminal punctuation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Page
from curation.rules import fineweb


def test_three_of_twentyfive_lines_are_on_the_punctuation_bound():
    assert fineweb.line_punctuation_fraction(Page("\n".join(["A sentence."] * 3 + ["Link"] * 22))) == 0.12
    assert fineweb.line_punctuation_fraction(Page("\n".join(["A sentence."] * 2 + ["Link"] * 23))) < 0.12


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("Stop.", True),
        ("Really?", True),
        ("Stop.  ", True),
        ("\u7ed3\u675f\u3002", True),
        ("\u0938\u092e\u093e\u092a\u094d\u0924\u0964", True),
        ("\u0647\u0644\u061f", True),
        ("Said she: \u201cGo.\u201d", False),
        ('Said he: "Go."', False),
        ("Ingredients:", False),
        ("more\u2026", False),
        ("one, ", False),
    ],
)
def test_terminal_punctuation_holds_no_quote_colon_or_ellipsis_character(line, ends):
    assert fineweb.line_punctuation_fraction(Page(line)) == float(ends)


def test_marks_are_a_setting():
    assert fineweb.line_punctuation_fraction(Page('He said "Go."\nMenu'), marks=['"']) == 0.5


def test_table_of_marks_is_the_size_that_unicode_says():
    marks = fineweb.terminal_punctuation()
    assert len(marks) == len(set(marks)) >= 159
    assert all(len(mark) == 1 for mark in marks)


def test_one_percent_of_duplicate_characters_is_on_the_bound():
    page = Page("x\nx\n" + "y" * 98)
    assert fineweb.duplicate_line_character_fraction(page) == 0.01
    assert fineweb.duplicate_line_character_fraction(Page("xx\nxx\n" + "y" * 98)) > 0.01


def test_repeated_menu_is_caught_by_duplicate_characters():
    menu = "Home\nNews\nSport\n"
    assert fineweb.duplicate_line_character_fraction(Page(menu + "An article of some length.\n" + menu)) == 13 / 52


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["", "  ", "x", "yy", "zzz"]), max_size=15))
def test_duplicate_characters_equal_a_scan_for_earlier_copies(lines):
    solid = [line for line in lines if line.strip()]
    copies = sum(len(line) for i, line in enumerate(solid) if line in solid[:i])
    expected = copies / max(1, sum(map(len, lines)))
    assert fineweb.duplicate_line_character_fraction(Page("\n".join(lines))) == expected


def test_line_of_thirty_characters_is_short_and_thirtyone_is_not():
    assert fineweb.short_line_fraction(Page("x" * 30 + "\n" + "x" * 31)) == 0.5
    assert fineweb.short_line_fraction(Page("x" * 30 + "\n" + "x" * 31), chars=29) == 0.0


def test_shopping_list_is_caught_by_short_lines_and_newlines():
    page = Page("milk\neggs\nbread\ncheese\n")
    assert fineweb.short_line_fraction(page) == 1.0
    assert fineweb.newline_word_ratio(page) == 1.0


def test_three_newlines_in_ten_words_are_on_the_bound():
    assert fineweb.newline_word_ratio(Page("a b c\nd e f\ng h i\nj")) == 0.3
    assert fineweb.newline_word_ratio(Page("a b c\nd e f\ng h i\n\nj")) > 0.3


def test_newlines_without_a_word_still_give_a_number():
    assert fineweb.newline_word_ratio(Page("\n\n")) == 2.0


def test_line_that_ends_in_white_space_does_not_end_in_punctuation_for_datatrove():
    page = Page("It ends. \nIt ends.")
    assert fineweb.line_punctuation_fraction(page) == 1.0
    assert fineweb.line_punctuation_fraction(page, strip=False) == 0.5


def test_marks_count_as_words_where_asked_for():
    page = Page("one,\ntwo.")
    assert fineweb.newline_word_ratio(page) == 1 / 2
    assert fineweb.newline_word_ratio(page, punctuation=True) == 1 / 4
