"""Measures of the Llama 3 report: coverage by repeated n-grams, and divergence from a corpus."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import InputError
from curation.page import Page
from curation.rules.llama3 import duplicate_ngram_coverage_fraction, word_divergence


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a", "bc", "def"]), max_size=30), st.integers(1, 6))
def test_coverage_is_the_share_of_letters_in_repeated_ngrams(words, n):
    grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
    covered = {i + k for i, gram in enumerate(grams) if grams.count(gram) > 1 for k in range(n)}
    expected = sum(len(words[i]) for i in covered) / sum(map(len, words)) if words else 0.0
    assert duplicate_ngram_coverage_fraction(Page(" ".join(words)), n=n) == pytest.approx(expected)


def test_log_of_different_lines_is_covered_although_no_line_repeats():
    page = Page("\n".join(f"{i} error while reading the file from disk number {i}" for i in range(50)))
    assert len(set(page.lines)) == 50
    assert duplicate_ngram_coverage_fraction(page, n=5) > 0.7


def test_divergence_is_that_of_the_smoothed_distributions(tmp_path):
    counts = tmp_path / "counts.tsv"
    counts.write_text("the\t7\nsea\t1\n")
    total = 8 + 2 * 2  # and 2 of it for all other words
    assert word_divergence(Page("The the sea"), counts=str(counts)) == pytest.approx(
        2 / 3 * log((2 / 3) / (8 / total)) + 1 / 3 * log((1 / 3) / (2 / total))
    )
    assert word_divergence(Page(""), counts=str(counts)) == 0
    assert word_divergence(Page("xq zz vv"), counts=str(counts)) > word_divergence(
        Page("the sea the"), counts=str(counts)
    )


@pytest.mark.parametrize(("content", "sentence"), [("", "is empty"), ("the 7\n", "line 1"), ("the\tmany\n", "line 1")])
def test_file_of_another_form_is_an_error_that_names_the_line(tmp_path, content, sentence):
    counts = tmp_path / "counts.tsv"
    counts.write_text(content)
    with pytest.raises(InputError, match=sentence):
        word_divergence(Page("text"), counts=str(counts))


def test_missing_file_is_an_error():
    with pytest.raises(InputError, match="no file nowhere.tsv"):
        word_divergence(Page(""), counts="nowhere.tsv")
