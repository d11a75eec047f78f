"""Gopher's quality measures: what each counts, on the bound and beyond it, and against plain oracles."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import RecipeError
from curation.page import Page
from curation.rules import gopher_quality as gopher


@pytest.mark.parametrize("words", [0, 1, 49, 50, 100_001])
def test_word_count_counts_words(words):
    assert gopher.word_count(Page("word " * words)) == words


def test_marks_alone_are_no_words():
    assert gopher.word_count(Page("- - - \u2022 $ = (one) --- #")) == 1


def test_mean_word_length_is_a_mean_not_a_median():
    assert gopher.mean_word_length(Page("a a a " + "b" * 17)) == 5.0


def test_word_of_a_hundred_letters_raises_the_mean_over_ten():
    assert gopher.mean_word_length(Page("tiny " * 10 + "x" * 100)) > 10 >= gopher.mean_word_length(Page("tiny " * 10))


def test_one_hash_in_ten_words_is_exactly_on_the_bound():
    assert gopher.symbol_to_word_ratio(Page("#tag " + "word " * 9)) == 0.1
    assert gopher.symbol_to_word_ratio(Page("##tag " + "word " * 9)) > 0.1


def test_symbols_are_counted_each_on_its_own():
    page = Page("# one... two\u2026 three four")
    assert gopher.symbol_to_word_ratio(page, symbol="#") == 0.25
    assert gopher.symbol_to_word_ratio(page, symbol="ellipsis") == 0.5


def test_punctuation_widens_the_denominator_of_the_symbol_ratio():
    # four words, and the tokens # , .
    assert gopher.symbol_to_word_ratio(Page("# one, two three four."), punctuation=True) == pytest.approx(1 / 7)


def test_unknown_symbol_names_the_known_ones():
    with pytest.raises(RecipeError, match="ellipsis"):
        gopher.symbol_to_word_ratio(Page("a"), symbol="ellipses")


@pytest.mark.parametrize(
    ("text", "fraction"),
    [
        pytest.param("- a\n" * 9 + "prose", 0.9, id="on the bound"),
        pytest.param("- a\n" * 10 + "prose", 10 / 11, id="above the bound"),
        pytest.param("   \u2022 indented", 1.0, id="indented bullet"),
        pytest.param("- a\n\n- b\n", 2 / 3, id="blank line counts"),
        pytest.param("\u25cf a\n* b", 0.0, id="glyphs that datatrove does not know"),
    ],
)
def test_bullet_line_fraction(text, fraction):
    assert gopher.bullet_line_fraction(Page(text)) == fraction


def test_bullets_and_blank_lines_are_settings():
    assert gopher.bullet_line_fraction(Page("* a\n\n* b"), bullets=["*"], blank_lines=False) == 1.0


@pytest.mark.parametrize(
    ("text", "fraction"),
    [
        pytest.param("a...\nb\u2026  \nc ...\n" + "d\n" * 7, 0.3, id="on the bound, three forms"),
        pytest.param("a...\nb...\nc", 2 / 3, id="above the bound"),
        pytest.param("... a\nb..", 0.0, id="not at the end, or two dots"),
    ],
)
def test_ellipsis_line_fraction(text, fraction):
    assert gopher.ellipsis_line_fraction(Page(text)) == pytest.approx(fraction)


def test_endings_of_ellipsis_lines_are_a_setting():
    assert gopher.ellipsis_line_fraction(Page("Big news... read more\nEnd."), endings=["read more"]) == 0.5


def test_four_words_and_a_number_are_on_the_alphabetic_bound():
    assert gopher.alphabetic_word_fraction(Page("it is now about 1984")) == 0.8
    assert gopher.alphabetic_word_fraction(Page("it is now 12 1984")) < 0.8


def test_page_of_phone_numbers_has_few_alphabetic_words():
    assert gopher.alphabetic_word_fraction(Page("Call 555 0100 or 555 0199")) == pytest.approx(2 / 6)


def test_letters_of_any_script_are_alphabetic():
    assert (
        gopher.alphabetic_word_fraction(
            Page("\u6211\u7231\u4f60 \u043c\u0438\u0440 \u0928\u092e\u0938\u094d\u0924\u0947")
        )
        == 1.0
    )


@pytest.mark.parametrize(
    ("text", "letters", "tokens"),
    [
        pytest.param("a, b.", 2, 4, id="comma and stop"),
        pytest.param("3.5 1,000 e.g", 1, 3, id="marks inside numbers and words"),
        pytest.param("a/b well-known", 4, 6, id="slash and hyphen part words"),
        pytest.param("wait... what?!", 2, 5, id="three stops are one token"),
        pytest.param("\u201cna\u00efve\u201d \u2014 yes", 2, 5, id="typographic marks"),
        pytest.param("", 0, 0, id="empty"),
    ],
)
def test_alphabetic_tokens(text, letters, tokens):
    assert gopher.alphabetic_word_fraction(Page(text), punctuation=True) == (letters / tokens if tokens else 0)


def test_stop_words_are_distinct_and_case_counts():
    assert gopher.stop_word_count(Page("the the the The OF")) == 1
    assert gopher.stop_word_count(Page("the cat of")) == 2


def test_stop_words_by_occurrence_and_without_case():
    assert gopher.stop_word_count(Page("The the OF"), distinct=False) == 1
    assert gopher.stop_word_count(Page("The the OF"), distinct=False, ignore_case=True) == 3


def test_stop_words_of_another_language():
    assert gopher.stop_word_count(Page("der Hund und die Katze"), words=["der", "die", "und"]) == 3


SPELT_ALIKE = ["a", "b", "ab", "aab", "abc", "acc", "A", "\u00e4b", "\u4e2d"]
LISTED = st.lists(st.sampled_from([*SPELT_ALIKE, "ba", "two words", ""]), max_size=9)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(SPELT_ALIKE), max_size=30), LISTED)
def test_listed_words_are_those_of_a_set(words, listed):
    page = Page(" ".join(words))
    assert gopher.stop_word_count(page, words=listed) == len(set(words) & set(listed))
    assert gopher.stop_word_count(page, words=listed, distinct=False) == sum(word in set(listed) for word in words)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["the", "of", "The", "cat", "42", "a1", "#", "...", "-", "\u2026"]), max_size=40))
def test_measures_equal_a_count_token_by_token(tokens):
    page = Page(" ".join(tokens))
    words = [t for t in tokens if t[0].isalnum()]
    marks = len(tokens) - len(words)
    # equal marks in neighbouring tokens are parted by a space, so each is a token of its own
    letters = sum(any(c.isalpha() for c in w) for w in words)
    assert gopher.word_count(page) == len(words)
    assert gopher.symbol_to_word_ratio(page) == tokens.count("#") / max(1, len(words))
    dots = tokens.count("...") + tokens.count("\u2026")
    assert gopher.symbol_to_word_ratio(page, symbol="ellipsis", punctuation=True) == dots / max(1, len(tokens))
    assert gopher.alphabetic_word_fraction(page, punctuation=True) == (letters / (len(words) + marks) if tokens else 0)
    assert gopher.stop_word_count(page) == len({"the", "of"} & set(words))
