"""Words with places: the compiled walk against the patterns of `curation.text`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from curation.dedup.placed_words import placed_words
from curation.text import words

HARD = (
    "aZ9'\u2019\u00ad\u200c\u200d \t\n.,!\"()\u300c\u300d\u3002\u6211\u30ab\u30fc\u0e01\u0e34\u0e33\u0301\ufe0f\u2764"
)
HARD += "\U0001f600\u0c95\u0ccd\u1000\u103b\u00e9\u0130\u0663\u20e3"


def placed(text: str):
    return placed_words(np.frombuffer(text.encode(), dtype=np.uint8))


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from(HARD) | st.characters(exclude_categories=["Cs"]), max_size=60))
@example("don''t o'clock' '90s")
@example("\u0e01\u0e34\u0e01\u0e34\u0301x\u0e34\u6211\u0301")
@example("")
def test_words_and_starts_are_those_of_the_text_module(text):
    found = placed(text)
    expected, at = words(text), 0
    assert len(found.hashes) == len(expected)
    for word, start, end in zip(expected, found.starts, found.ends, strict=True):
        assert text[start:].startswith(word) and not words(text[at:start])
        assert end >= start + len(word) and words(text[start:end]) == [word]
        at = end


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        pytest.param('He said "no." Then', 'no." ', id="closing-marks-and-blank"),
        pytest.param("said no (maybe)", "no ", id="not-the-bracket-that-opens"),
        pytest.param("said no.\nNext", "no.", id="not-the-line-break"),
        pytest.param("the dogs' bone", "dogs' ", id="apostrophe-at-the-end"),
        pytest.param("\u6211\u3002\u300c\u7231", "\u6211\u3002", id="chinese-stop-not-the-quote-that-opens"),
    ],
)
def test_the_end_of_a_word_takes_in_what_belongs_to_it(text, piece):
    found = placed(text)
    assert piece in [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]


def test_hashes_tell_case_digits_and_letters_apart_and_nothing_else():
    texts = ["word", "Word", "w0rd", "w1rd", "wo\u0301rd"]
    hashes = [placed(text).hashes[0] for text in texts]
    assert len(set(hashes)) == len(texts)
    assert placed("a, word!").hashes[1] == hashes[0]
