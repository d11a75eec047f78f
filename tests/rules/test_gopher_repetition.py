"""Gopher's repetition measures against an independent version on strings, and on the texts they were made for."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Page
from curation.rules import gopher_repetition as repetition
from curation.rules import ngrams

SIZES = range(1, 11)
few_words = st.lists(st.sampled_from(["a", "bb", "ccc", "d1", "Eel"]), max_size=60)


def grams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def top_by_strings(words: list[str], n: int) -> tuple[int, int]:
    """Characters without spaces and count of the most frequent n-gram, the first among equals."""
    found = Counter(grams(words, n)).most_common(1)
    return (len("".join(found[0][0])), found[0][1]) if found else (0, 0)


def repeated_by_strings(words: list[str], n: int) -> int:
    seen, characters, at = set(), 0, 0
    while at + n <= len(words):
        gram = tuple(words[at : at + n])
        if gram in seen:
            characters += sum(map(len, gram))
            at += n
        else:
            seen.add(gram)
            at += 1
    return characters


def covered_by_strings(words: list[str], n: int) -> int:
    counts = Counter(grams(words, n))
    inside = {i + k for i, gram in enumerate(grams(words, n)) if counts[gram] > 1 for k in range(n)}
    return sum(len(words[i]) for i in inside)


@settings(max_examples=100, deadline=None)
@given(few_words)
def test_ngram_measures_equal_those_on_strings(words):
    text = " ".join(words)
    page, letters = Page(text), sum(map(len, words))
    for n in SIZES:
        characters, count = top_by_strings(words, n)
        joined = characters + (n - 1 if count else 0)
        repeated, covered = repeated_by_strings(words, n), covered_by_strings(words, n)
        of_text, of_words = max(1, len(text)), max(1, letters)
        assert repetition.top_ngram_character_fraction(page, n=n) == joined * count / of_text
        assert repetition.top_ngram_character_fraction(page, n=n, denominator="words") == characters * count / of_words
        assert repetition.duplicate_ngram_character_fraction(page, n=n) == repeated / of_text
        assert (
            repetition.duplicate_ngram_character_fraction(page, n=n, count_first=True, denominator="words")
            == covered / of_words
        )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "ab", "ba", "a1", "\u00e9", "e", "\u4e00", "aa"]), max_size=40))
def test_equal_words_have_equal_numbers_in_order_of_appearance(words):
    page = Page(" ".join(words))
    first_seen = {word: number for number, word in enumerate(dict.fromkeys(words))}
    assert ngrams.number_pieces(page.codes, page.word_cut).tolist() == [first_seen[word] for word in words]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["", "x", "yy", "zzz zzz"]), max_size=12), st.booleans())
def test_line_measures_equal_a_scan_for_earlier_copies(lines, count_first):
    page = Page("\n".join(lines))
    solid = [line for line in lines if line]
    copies = [a for i, a in enumerate(solid) if a in solid[:i] or (count_first and a in solid[i + 1 :])]
    assert repetition.duplicate_line_fraction(page, count_first=count_first) == len(copies) / max(1, len(solid))
    assert repetition.duplicate_line_character_fraction(page, count_first=count_first) == sum(map(len, copies)) / max(
        1, len(page.text)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["", "x", "  ", "\t", " y"]), max_size=12))
def test_lines_of_spaces_are_lines_where_asked_for(lines):
    page = Page("\n".join(lines))
    solid = [line for line in lines if line]
    copies = [a for i, a in enumerate(solid) if a in solid[:i]]
    assert repetition.duplicate_line_fraction(page, white_lines=True) == len(copies) / max(1, len(solid))
    characters = sum(map(len, copies)) / max(1, len(page.text))
    assert repetition.duplicate_line_character_fraction(page, white_lines=True) == characters


def test_marks_part_ngrams_where_asked_for():
    page = Page("a b c, a b c; a b c")
    assert repetition.duplicate_ngram_character_fraction(page, n=3) == 6 / 19
    assert repetition.duplicate_ngram_character_fraction(page, n=3, punctuation=True) == 6 / 19
    assert repetition.duplicate_ngram_character_fraction(page, n=4) == 4 / 19
    assert repetition.duplicate_ngram_character_fraction(page, n=4, punctuation=True) == 0.0
    assert repetition.top_ngram_character_fraction(page, n=2, punctuation=True) == 9 / 19


def test_three_of_ten_lines_are_on_the_bound():
    assert repetition.duplicate_line_fraction(Page("\n".join("aaaabcdefg"))) == 0.3
    assert repetition.duplicate_line_fraction(Page("\n".join("aaaaabcdef"))) > 0.3


def test_blank_lines_are_not_duplicate_lines():
    assert repetition.duplicate_line_fraction(Page("one\n\n\n\ntwo\n\n\n\nthree")) == 0.0


def test_refrain_is_a_duplicate_paragraph():
    refrain = "We all live in a yellow submarine,\nyellow submarine, yellow submarine."
    song = Page(f"In the town\n\n{refrain}\n\nSo we sailed\n\n{refrain}")
    assert repetition.duplicate_paragraph_fraction(song) == 0.25
    assert repetition.duplicate_paragraph_fraction(song, count_first=True) == 0.5
    assert repetition.duplicate_paragraph_character_fraction(song) == len(refrain) / len(song.text)


def test_page_of_one_phrase_is_caught_by_top_ngrams():
    page = Page("buy cheap shoes " * 30)
    assert repetition.top_ngram_character_fraction(page, n=2) > 0.20
    assert repetition.top_ngram_character_fraction(page, n=3) > 0.18


def test_top_ngram_on_its_bound():
    # "ab cd" twice: 2 * 5 of 50 characters
    page = Page("ab cd ef ab cd gh " + "x" * 32)
    assert len(page.text) == 50
    assert repetition.top_ngram_character_fraction(page, n=2) == 0.20


def test_single_occurrence_counts_unless_two_are_asked_for():
    page = Page("incomprehensibilities notwithstanding")
    assert repetition.top_ngram_character_fraction(page, n=2) == 1.0
    assert repetition.top_ngram_character_fraction(page, n=2, min_count=2) == 0.0


def test_overlapping_copies_of_a_top_ngram_all_count():
    assert repetition.top_ngram_character_fraction(Page("ho ho ho ho"), n=2) == pytest.approx(15 / 11)


def test_scan_jumps_over_a_repeat_it_counted():
    # nine words: the first three and one more are new, then two repeats without overlap
    assert repetition.duplicate_ngram_character_fraction(Page("a a a a a a a a a"), n=3) == 6 / 17


def test_log_of_one_message_is_caught_by_duplicate_ngrams():
    log = Page("\n".join(f"request {i} timed out after thirty seconds and was tried again" for i in range(20)))
    bounds = dict(zip(range(5, 11), [0.15, 0.14, 0.13, 0.12, 0.11, 0.10], strict=True))
    caught = [n for n, bound in bounds.items() if repetition.duplicate_ngram_character_fraction(log, n=n) > bound]
    assert caught == list(bounds)
    assert repetition.duplicate_line_fraction(log) == 0.0


@pytest.mark.parametrize("n", [2, 5, 10])
def test_page_shorter_than_the_ngram_has_none(n):
    page = Page("word " * (n - 1))
    assert repetition.top_ngram_character_fraction(page, n=n) == 0.0
    assert repetition.duplicate_ngram_character_fraction(page, n=n, count_first=True) == 0.0


def test_changed_text_gets_a_new_profile():
    page = Page("a b a b")
    before = repetition.duplicate_ngram_character_fraction(page, n=2)
    page.text = "a b c d"
    assert before > 0 == repetition.duplicate_ngram_character_fraction(page, n=2)


@pytest.mark.parametrize("vocabulary", [1, 1_000, 10**9], ids=["one word", "thousand words", "all different"])
def test_time_is_linear_whatever_the_words(vocabulary):
    def seconds(count: int) -> float:
        page = Page(" ".join(f"w{i * i % vocabulary}" for i in range(count)))
        page.words  # noqa: B018  (cutting is not what is timed)
        start = time.perf_counter()
        repetition.duplicate_ngram_character_fraction(page, n=10)
        return time.perf_counter() - start

    seconds(10)  # compiles
    small, large = min(seconds(20_000) for _ in range(3)), min(seconds(200_000) for _ in range(2))
    assert large < 40 * small + 0.1
