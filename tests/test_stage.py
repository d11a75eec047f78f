"""Page stages: fates, trails, and an exception that costs one page."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import ModelError
from curation.page import Drop, Page
from curation.stage import Rule, annotate, extract, keep_if, rewrite, run_stages


def chars(page):
    return len(page.text)


def test_first_failing_rule_gives_the_fate_and_its_value():
    stage = keep_if("size", [Rule("long", chars, "chars", min=3), Rule("short", chars, "chars", max=1)])
    pages = [Page("ab"), Page("abcd")]
    stage.run(pages)
    assert [(p.dropped_by, p.dropped_value) for p in pages] == [("size.long", "2"), ("size.short", "4")]


@pytest.mark.parametrize(
    ("value", "passes"), [(2.9, False), (3, True), (5, True), (5.1, False), (math.nan, False)], ids=str
)
def test_bounds_are_inclusive_and_nan_fails(value, passes):
    assert Rule("r", chars, "chars", min=3, max=5).passes(value) is passes


def test_allowed_values():
    rule = Rule("r", chars, "language", allowed=("en", "de"))
    assert rule.passes("de")
    assert not rule.passes("fr")
    assert rule.bound == "in en, de"


def test_exception_costs_its_page_only_and_is_recorded():
    def fragile(page):
        if page.text == "bad":
            raise KeyError("no such thing")
        return 1

    pages = [Page("good"), Page("bad"), Page("fine")]
    keep_if("check", [Rule("r", fragile, "x", min=0)]).run(pages)
    assert [p.dropped_by for p in pages] == [None, "check.error", None]
    assert pages[1].error == "KeyError: 'no such thing'"


def test_broken_batch_of_a_model_is_scored_page_by_page():
    def score(pages):
        if any(p.text == "bad" for p in pages):
            raise ValueError("cannot score")
        return [(0.5,) for _ in pages]

    pages = [Page("good"), Page("bad")]
    annotate("quality", score, ["quality"]).run(pages)
    assert pages[0].scores == {"quality": 0.5}
    assert pages[1].dropped_by == "quality.error"


def test_edit_that_refuses_drops_with_its_own_rule():
    stage = rewrite("c4", lambda page: Drop("lorem_ipsum", 1) if "lorem" in page.text else page.text.upper())
    pages = [Page("lorem"), Page("fine")]
    stage.run(pages)
    assert (pages[0].dropped_by, pages[0].dropped_value, pages[0].text) == ("c4.lorem_ipsum", "1", "lorem")
    assert pages[1].text == "FINE"


def test_extraction_leaves_text_sources_alone_and_drops_pages_without_text():
    pages = [Page(html="<p>x</p>"), Page("already text"), Page(html="")]
    extract("main_text", lambda html: "x" if html else "").run(pages)
    assert [(p.text, p.dropped_by) for p in pages] == [("x", None), ("already text", None), ("", "main_text.no_text")]


def test_new_text_forgets_words_cut_from_the_old():
    page = Page("one two")
    assert page.words == ["one", "two"]
    page.text = "three"
    assert page.words == ["three"]


@given(st.lists(st.text(max_size=12), max_size=20))
def test_trail_balances_pages_and_characters(texts):
    stages = [
        rewrite("upper", lambda p: p.text.replace("a", "")),
        keep_if("size", [Rule("long", chars, "chars", min=2)]),
        rewrite("double", lambda p: p.text + p.text),
    ]
    pages = [Page(text) for text in texts]
    for page in pages:
        page.trail = [page.chars]
    run_stages(stages, pages)
    for page in pages:
        assert len(page.trail) == (4 if page.alive else 2)
        assert page.trail[0] >= page.trail[1] >= 0
        if page.alive:
            assert page.trail[3] == 2 * page.trail[2] == len(page.text)


def test_missing_model_fails_the_task_and_not_the_page():
    def score(pages):
        raise ModelError("model 'x' is nowhere")

    with pytest.raises(ModelError):
        annotate("quality", score, ["quality"]).run([Page("a")])
