"""Broken real pages through both engines: the worker lives on, and each page has text or a fate."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.mutated_pages import ENGINES, FATES, MUTATIONS, fate_of, mutated, real_html

PAGES = 120  # of the benchmark's 10,000


@pytest.mark.real
def test_broken_real_page_has_text_or_a_fate_in_every_engine(real_data):
    real = real_html(real_data)
    assert len(real) > 2_000
    tried, fates = Counter(), Counter()
    for mutation, html in mutated(real[::7], PAGES, seed=7):
        tried[mutation] += 1
        fates.update(fate_of(stage, html) for stage in ENGINES.values())
    assert set(tried) == set(MUTATIONS) and min(tried.values()) >= PAGES // len(MUTATIONS)
    assert set(fates) <= set(FATES)
    assert fates["text"] > PAGES


def test_mutations_are_the_same_for_the_same_seed_and_do_break_the_page():
    page = "<html><body>" + "<p>Some text of a page</p>" * 400 + "</body></html>"
    first, second = (list(mutated([page], 12, seed=3)) for _ in range(2))
    assert first == second
    assert sum(html != page for _, html in first) >= 10
