"""The compiled scan against n-grams as tuples of words in plain Python, and words against their places in the text."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.decontaminate.scan import all_grams, gram_set, grams_in
from curation.dedup.form import form_words, spanned_words

TEXTS = st.lists(st.text(alphabet="ab 1.,\n\u6211\u0301\u00ad\u1019\u103c", max_size=40), min_size=1, max_size=6)


def tuples_of(text, ngram):
    words = form_words(text)
    return [tuple(words[k : k + ngram]) for k in range(len(words) - ngram + 1)]


@given(TEXTS, st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_ngrams_are_those_of_plain_python_and_equal_hash_means_equal_words(texts, ngram):
    found = all_grams(pa.array(texts), ngram)
    expected = [
        (row, place, gram) for row, text in enumerate(texts) for place, gram in enumerate(tuples_of(text, ngram))
    ]
    assert list(zip(found.rows, found.places, strict=True)) == [(row, place) for row, place, _ in expected]
    assert found.words.tolist() == [len(form_words(text)) for text in texts]
    hash_of = dict(zip((gram for _, _, gram in expected), found.grams.tolist(), strict=True))
    assert [hash_of[gram] for _, _, gram in expected] == found.grams.tolist()
    assert len(set(hash_of.values())) == len(hash_of)


@given(TEXTS, TEXTS, st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_only_ngrams_of_the_set_are_found(wanted, texts, ngram):
    known = {gram for text in wanted for gram in tuples_of(text, ngram)}
    found = grams_in(pa.array(texts), ngram, gram_set(all_grams(pa.array(wanted), ngram).grams))
    expected = [
        (r, p) for r, text in enumerate(texts) for p, gram in enumerate(tuples_of(text, ngram)) if gram in known
    ]
    assert list(zip(found.rows.tolist(), found.places.tolist(), strict=True)) == expected


def test_long_text_is_scanned_across_the_borders_of_its_pieces():
    words = [f"w{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(9_000)]
    text = " ".join(words)
    found = grams_in(pa.array([text]), 13, gram_set(all_grams(pa.array([text]), 13).grams))
    assert found.places.tolist() == list(range(9_000 - 12))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_nulls_and_slices_are_read_as_they_stand(kind):
    texts = pa.array(["x", "a b c", None, "b c"], kind)[1:]
    found = all_grams(texts, 2)
    assert (found.rows.tolist(), found.words.tolist()) == ([0, 0, 2], [3, 0, 2])


@given(st.text(max_size=60) | st.text(alphabet="ab1. ,\u00ad\u0301\ufb01\u6211\u1019\u103c", max_size=60))
@settings(max_examples=100, deadline=None)
def test_spanned_words_are_the_words_of_the_form_each_in_its_place(text):
    words, starts, ends = spanned_words(text)
    assert words == form_words(text)
    assert starts == sorted(starts) and all(start < end for start, end in zip(starts, ends, strict=True))
    for word, start, end in zip(words, starts, ends, strict=True):
        assert word in form_words(text[start:end])
