"""Near copies lie where they say they lie."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from word_oracle import oracle_jaccard, oracle_words

from curation.sample.author import LANGUAGES, Author, topics
from curation.sample.near import near_copy
from curation.text import words

_EDITED = ("near_copy_95", "near_copy_90", "near_copy_85", "near_copy_below")


def _article(language: str, seed: int, topic: int = 0):
    return Author(language, topics(language)[topic], random.Random(seed)).article()


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(LANGUAGES), st.integers(0, 10_000), st.sampled_from([0.95, 0.9, 0.85, 0.6, 0.45]))
def test_a_near_copy_lies_at_its_target_and_states_its_true_index(language, seed, target):
    article = _article(language, seed)
    copy, index = near_copy(article, target, random.Random(seed), words(_article(language, seed + 1, 1).text))
    assert index == pytest.approx(oracle_jaccard(article.text, copy.text), abs=1e-12)
    assert index == pytest.approx(target, abs=0.03)
    assert len(oracle_words(copy.text)) == len(oracle_words(article.text))


def test_stated_indices_of_the_crawl_equal_an_independent_computation(crawl):
    pages = {page.record_id: page for page in crawl.pages}
    copies = [page for page in crawl.pages if page.original]
    assert len(copies) == 78
    for page in copies:
        one, other = ("\n".join((p.title, *p.paragraphs)) for p in (page, pages[page.original]))
        assert page.jaccard == pytest.approx(oracle_jaccard(one, other), abs=1e-12)


def test_copies_lie_on_the_side_of_the_threshold_that_their_role_names(crawl):
    by_role = {role: [page.jaccard for page in crawl.of(role)] for role in ("exact_copy", "recrawl_same", *_EDITED)}
    assert set(by_role["exact_copy"]) == set(by_role["recrawl_same"]) == {1.0}
    assert all(value > 0.8 for role in _EDITED[:3] for value in by_role[role])
    assert all(value < 0.5 for value in by_role["near_copy_below"])


def test_copies_share_snapshot_but_not_host_and_recrawls_share_host_but_not_snapshot(crawl):
    pages = {page.record_id: page for page in crawl.pages}
    for page in (page for page in crawl.pages if page.original):
        same_host = page.url.split("/")[2] == pages[page.original].url.split("/")[2]
        same_snapshot = page.snapshot == pages[page.original].snapshot
        assert (same_host, same_snapshot) == ((True, False) if page.role.startswith("recrawl") else (False, True))
