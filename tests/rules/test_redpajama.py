"""Quality signals of RedPajama-V2, on a text counted by hand."""

from __future__ import annotations

from math import log

import pytest

from curation.page import Page
from curation.rules import redpajama

TEXT = "\u2022 The sea, the SEA... {x}\nIt's cold! 42\n\nlorem ipsum"
# normalised: "\u2022 the sea the sea x\nits cold 42\n\nlorem ipsum": 10 words, the bullet is none; 4 lines
# raw tokens: \u2022 The sea , the SEA ... { x } It ' s cold ! 42 lorem ipsum: 18


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("sentence_count", 3),
        ("word_count", 10),
        ("mean_word_length", (4 * 3 + 1 + 3 + 4 + 2 + 5 + 5) / 10),
        ("unique_word_fraction", 0.8),
        ("unigram_entropy", 2 * 0.2 * log(5) + 6 * 0.1 * log(10)),
        ("symbol_to_word_ratio", 1 / 18),
        ("no_letter_word_fraction", 8 / 18),
        ("all_caps_word_fraction", 1 / 18),
        ("stop_word_fraction", 1 / 18),
        ("curly_bracket_fraction", 2 / len(TEXT)),
        ("line_count", 4),
        ("terminal_punctuation_line_fraction", 0),
        ("bullet_line_fraction", 0.25),
        ("javascript_line_mean", 0),
        ("line_word_mean", (6 + 3 + 0 + 2) / 4),
        ("line_digit_fraction", 2 / 11 / 4),
    ],
)
def test_signal_is_the_one_counted_by_hand(measure, value):
    assert getattr(redpajama, measure)(Page(TEXT)) == pytest.approx(value)


def test_ngram_signals_fold_case_and_count_words_only():
    assert redpajama.top_ngram_fraction(Page("A b, a B c d e f"), n=2) == 0.5
    assert redpajama.top_ngram_fraction(Page("a b c d"), n=2) == 0
    assert redpajama.duplicate_ngram_fraction(Page("One two, three ONE two"), n=2) == pytest.approx(12 / 17)


def test_lorem_ipsum_and_javascript_are_found_in_any_case():
    assert redpajama.lorem_ipsum_fraction(Page("Lorem, ipsum")) == 1 / 11
    assert redpajama.javascript_line_mean(Page("JavaScript javascript\nno")) == 1


def test_signals_do_not_remember_the_page_before():
    first, second = Page("one two three"), Page("four")
    assert [redpajama.word_count(p) for p in (first, second, first)] == [3, 1, 3]


@pytest.mark.parametrize("measure", redpajama.__all__)
def test_signal_is_0_on_an_empty_page(measure):
    settings = {"n": 5} if "ngram" in measure else {}
    assert getattr(redpajama, measure)(Page(""), **settings) == 0
