"""Pairs of known similarity, and how often MinHash finds them: on the S-curve, for words and for characters."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from curation.dedup.bands import band_keys
from curation.dedup.curve import candidate_probability
from curation.dedup.edited import count_interval_of, edited_to
from curation.dedup.form import comparison_form, form_words
from curation.dedup.kernel import signatures

BANDS_ROWS = ((14, 8), (20, 13), (9, 13), (25, 5))


def shingles(text: str, ngram: int, unit: str) -> set:
    pieces = form_words(text) if unit == "word" else comparison_form(text)
    return {tuple(pieces[k : k + ngram]) for k in range(len(pieces) - ngram + 1)}


@pytest.mark.parametrize(("unit", "ngram"), [("word", 5), ("char", 24)])
@pytest.mark.parametrize("target", [0.5, 0.8, 0.95])
def test_an_edited_text_is_as_similar_as_it_says_and_near_to_what_was_asked(make_text, random, unit, ngram, target):
    text = make_text(400)
    edited, true = edited_to(text, target, random, ngram=ngram, unit=unit)
    one, other = shingles(text, ngram, unit), shingles(edited, ngram, unit)
    assert true == pytest.approx(len(one & other) / len(one | other))
    assert true == pytest.approx(target, abs=0.015)


def test_a_text_too_short_to_be_edited_is_refused(random):
    with pytest.raises(ValueError, match="a text of 1 shingles is too short"):
        edited_to("one two three four five", 0.8, random)


def test_the_interval_of_unequal_chances_is_that_of_a_simulation(random):
    chances = random.random(300)
    low, high = count_interval_of(chances.tolist(), 0.9)
    counts = (random.random((20_000, 300)) < chances).sum(axis=1)
    assert abs(np.quantile(counts, 0.05) - low) <= 1 and abs(np.quantile(counts, 0.95) - high) <= 1


@pytest.mark.real
def test_candidates_among_edited_real_articles_are_as_many_as_the_curve_says(real_data):
    with gzip.open(real_data / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["gold_text"] for line in file]
    texts = [text for text in texts if 60 <= len(text.split()) <= 800][:150]
    outside, cells = [], 0
    for unit, ngram in (("word", 5), ("char", 24)):
        for target in (0.5, 0.7, 0.8, 0.9):
            random = np.random.default_rng(round(100 * target))
            edited, true = zip(*(edited_to(t, target, random, ngram=ngram, unit=unit) for t in texts), strict=True)
            left, right = (
                signatures(pa.array(side, pa.large_string()), ngram=ngram, hashes=260, unit=unit).values
                for side in (texts, list(edited))
            )
            for bands, rows in BANDS_ROWS:
                found = (band_keys(left, bands, rows) == band_keys(right, bands, rows)).any(axis=1).sum()
                low, high = count_interval_of(candidate_probability(true, bands, rows).tolist(), 0.99)
                cells += 1
                if not low <= found <= high:
                    outside.append((unit, target, bands, rows, int(found), low, high))
    assert len(texts) == 150 and cells == 32
    assert len(outside) <= binom.ppf(0.999, cells, 0.01), outside
