"""The articles: natural enough for the rules, in the language they claim, and unlike each other."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest
from word_oracle import oracle_words

from curation.errors import ModelError
from curation.models import find_model
from curation.sample.author import LANGUAGES, Article, Author, prose, topics

_STOP_WORDS = {"the", "be", "to", "of", "and", "that", "have", "with"}  # Gopher, appendix A.1


def _articles(language: str, count: int) -> list[Article]:
    about = topics(language)
    return [Author(language, about[n % len(about)], random.Random(f"{language} {n}")).article() for n in range(count)]


def _grams(article: Article) -> set[tuple[str, ...]]:
    row = oracle_words(article.text)
    return {tuple(row[at : at + 5]) for at in range(len(row) - 4)}


@pytest.mark.parametrize(("language", "count"), [("en", 120), *((each, 16) for each in LANGUAGES[1:])])
def test_two_articles_share_less_than_three_tenths_of_their_shingles(language, count):
    grams = [_grams(article) for article in _articles(language, count)]
    assert max(len(a & b) / len(a | b) for a, b in combinations(grams, 2)) < 0.3


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_slot_of_every_language_has_a_list(language):
    lists = prose(language)
    for topic in topics(language):
        for values in (lists["sentences"], lists[f"{topic}.title"]):
            for slot in {slot for value in values for slot in re.findall(r"\{(\w+)\}", value)}:
                assert f"{topic}.{slot}" in lists or slot in lists, f"{language}: {slot} about {topic}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_brace_is_left_in_an_article(language):
    assert not any("{" in article.text or "}" in article.text for article in _articles(language, 10))


def test_english_articles_have_150_to_600_words():
    assert all(150 <= len(oracle_words(article.text)) <= 600 for article in _articles("en", 60))


def test_english_articles_pass_gopher_c4_and_fineweb_by_construction():
    for article in _articles("en", 60):
        row = oracle_words(article.text)
        assert len(_STOP_WORDS & set(row)) >= 2
        assert 3 <= sum(map(len, row)) / len(row) <= 10
        assert all(paragraph.endswith((".", '"')) for paragraph in article.paragraphs)
        assert len(set(article.paragraphs)) == len(article.paragraphs)
        sentences = [s for s in re.split(r"(?<=\.)\s", " ".join(article.paragraphs)) if len(s.split()) >= 3]
        assert len(sentences) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_fasttext_names_the_language(language):
    fasttext = pytest.importorskip("fasttext")
    try:
        file = find_model("lid.176.ftz")
    except ModelError as error:
        pytest.skip(str(error))
    model = fasttext.load_model(str(file))
    for article in _articles(language, 12):
        (label,), (score,) = model.predict(article.text.replace("\n", " "))
        assert label == f"__label__{language}"
        assert score > 0.65
