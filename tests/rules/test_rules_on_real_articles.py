"""The rule files on hand-checked real articles: rules meant to remove junk must leave articles alone."""

from __future__ import annotations

import gzip
import json
import time

import pytest
from rule_files import dropping_rules

from curation.page import Page
from curation.rewrite import pii
from curation.rules import gopher_repetition

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def articles(real_data) -> list[Page]:
    """English articles of at least 100 words, as people (or a checked parser) marked them in the page."""
    with gzip.open(real_data / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pages = [Page(row["gold_text"], url=row["url"]) for row in rows if row["lang"] == "en"]
    return [page for page in pages if len(page.words) >= 100]


@pytest.mark.parametrize(
    ("file", "share"),
    [("gopher_quality", 0.9), ("gopher_repetition", 0.95), ("fineweb_quality", 0.9), ("refinedweb_url", 1.0)],
)
def test_articles_pass(articles, file, share):
    passed = sum(not dropping_rules(file, page) for page in articles)
    assert passed >= share * len(articles) > 100


def test_masking_real_articles_twice_changes_nothing(articles):
    for page in articles:
        once, _ = pii.mask_text(page.text)
        assert pii.mask_text(once) == (once, {})


def test_nine_ngram_sizes_cost_less_than_three_milliseconds_an_article(articles):
    gopher_repetition.duplicate_ngram_character_fraction(articles[0], n=10)  # compiles
    start = time.perf_counter()
    for page in articles:
        for n in (2, 3, 4):
            gopher_repetition.top_ngram_character_fraction(page, n=n)
        for n in range(5, 11):
            gopher_repetition.duplicate_ngram_character_fraction(page, n=n)
    assert (time.perf_counter() - start) / len(articles) < 0.003  # about 0.3 ms when nothing else runs
