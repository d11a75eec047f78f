"""Words, lines, paragraphs, sentences: one definition, total and linear."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation import text as cut

UNSPACED_NAMES = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "HIRAGANA",
    "KATAKANA",
    "THAI",
    "LAO ",
    "KHMER",
    "MYANMAR",
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  \n\t", []),
        ("It's 42, isn't it?", ["It's", "42", "isn't", "it"]),
        ("l\u2019homme d'affaires", ["l\u2019homme", "d'affaires"]),
        ("'quoted'", ["quoted"]),
        ("snake_case", ["snake", "case"]),
        ("na\u00efve caf\u00e9", ["na\u00efve", "caf\u00e9"]),
        ("cafe\u0301", ["cafe\u0301"]),
        ("co\u00adoperate", ["co\u00adoperate"]),
        ("\u6211\u7231\u5317\u4eac\u3002", list("\u6211\u7231\u5317\u4eac")),
        ("Spark\u662f\u5f15\u64ce", ["Spark", "\u662f", "\u5f15", "\u64ce"]),
        ("\u30b3\u30fc\u30d2\u30fc", ["\u30b3", "\u30fc", "\u30d2", "\u30fc"]),
        ("\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48", ["\u0e17\u0e35\u0e48", "\u0e19\u0e35\u0e48"]),
        ("\ud55c\uad6d\uc5b4 \ubb38\uc7a5", ["\ud55c\uad6d\uc5b4", "\ubb38\uc7a5"]),
        ("\u0645\u0631\u060c \u0639\u0645", ["\u0645\u0631", "\u0639\u0645"]),
        ("\U0001f600\U0001f600 ok", ["ok"]),
    ],
    ids=repr,
)  # fmt: skip
def test_words(text, words):
    assert cut.words(text) == words


def words_oracle(text):
    """Character by character, by Unicode names and categories; without the joiners inside words."""
    found, current = [], ""
    for char in text:
        category, name = unicodedata.category(char), unicodedata.name(char, "")
        inside = category[0] in "LMN"
        alone = inside and name.startswith(UNSPACED_NAMES)
        if alone and category[0] != "M":
            if current:
                found.append(current)
            current = ""
            found.append(char)
        elif inside:
            current += char
        elif current:
            found.append(current)
            current = ""
    return [*found, current] if current else found


@given(st.text(st.sampled_from("ab\u00e9Z09 .,\n-\u6211\u3042\u30a2\u0e01\u0434\u05d0\u0639"), max_size=60))
def test_words_equal_an_oracle_that_reads_character_by_character(text):
    assert cut.words(text) == words_oracle(text)


@given(st.text(max_size=200))
def test_no_letter_or_digit_is_lost_between_words(text):
    kept = sum(unicodedata.category(c)[0] in "LN" for word in cut.words(text) for c in word)
    assigned = sum(unicodedata.category(c)[0] in "LN" for c in text)
    assert (
        kept >= assigned * 0.99 or abs(kept - assigned) <= 2
    )  # Unicode tables of two versions differ by newest letters


def test_lines_leave_blank_ones_out_and_keep_the_rest_as_it_is():
    assert cut.lines("a\n \n\n  b \nc\n") == ["a", "  b ", "c"]
    assert cut.lines("") == []


def test_paragraphs_part_at_blank_lines():
    assert cut.paragraphs("a\nb\n \nc\n\n\n\nd") == ["a\nb", "c", "d"]
    assert cut.paragraphs("\n\n") == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('He said "go." Then he left.', ['He said "go."', "Then he left."]),
        ("Mr. Smith met Dr. Who.", ["Mr. Smith met Dr. Who."]),
        ("It costs 3.50 euros. Cheap.", ["It costs 3.50 euros.", "Cheap."]),
        ("A heading\nA sentence.", ["A heading", "A sentence."]),
        ("\u4f60\u597d\u3002\u518d\u89c1\uff01", ["\u4f60\u597d\u3002", "\u518d\u89c1\uff01"]),
        ("\u0647\u0644\u061f \u0646\u0639\u0645.", ["\u0647\u0644\u061f", "\u0646\u0639\u0645."]),
        ("Wait... what?", ["Wait...", "what?"]),
    ],
    ids=repr,
)
def test_sentences(text, sentences):
    assert cut.sentences(text) == sentences


@given(st.text(max_size=200))
def test_sentences_keep_every_character_that_is_no_space(text):
    def squeeze(s):
        return "".join(s.split())

    assert squeeze("".join(cut.sentences(text))) == squeeze(text)


@given(
    st.lists(
        st.text(st.sampled_from("aB.?!\u3002\uff01 )\n\u2019"), max_size=12) | st.sampled_from(["", " "]), max_size=6
    ),
    st.integers(-1, 8),
)
def test_counting_sentences_is_cutting_them_up_to_a_bound(parts, at_most):
    whole = sum(len(cut.sentences(part)) for part in parts)
    assert cut.count_sentences(parts, at_most=at_most) == max(0, min(whole, at_most))


@given(st.text(st.sampled_from("aB1' -\u4e2d\u0e01\u0e35\u00e9"), max_size=20), st.integers(-1, 8))
def test_asking_for_enough_words_is_cutting_them(text, count):
    assert cut.has_words(text, count) == (len(cut.words(text)) >= count)
