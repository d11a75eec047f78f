"""Hostile text: every measure and every edit has an answer, and takes time in proportion to the length."""

from __future__ import annotations

import inspect
import math
import time
from functools import partial

import pytest

from curation.page import Drop, Page
from curation.recipe.catalog import functions, settings_of
from curation.recipe.rules_page import UNITS, unit_of

BIDI = "\u202e\u2066\u200f"  # right-to-left override, isolate, mark
ZWJ_FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
HOSTILE = {
    "empty": "",
    "blank": " \t\n" * 50,
    "emoji run": ZWJ_FAMILY * 3_000,
    "10,000 question marks": "?" * 10_000,
    "bidirectional controls": f"abc{BIDI}def " * 2_000,
    "NUL bytes": "a\x00b " * 5_000,
    "unpaired surrogates": "a\ud800b\udc00 " * 5_000,
    "deep nesting": "([{<" * 5_000 + "x" + ">}])" * 5_000,
    "one long word": "a" * 30_000,
    "long word and stop": ". " + "a" * 59_000,
    "one long line": "the sea and the wind. " * 1_500,
    "dots and slashes": "a.b/c:d@e.f" * 2_000,
    "combining marks": "e" + "\u0301" * 20_000,
    "newlines": "\n" * 20_000,
    "digits": "1.1" * 7_000,
    "almost mojibake": "\u00c3\u00a2\u00e2\u20ac" * 5_000,
    "unended entity": "&" * 20_000,
}
HTML_MEASURES = ("html.visible_character_count", "html.link_density")  # of the HTML, tested below


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Values for the settings that have no default."""
    folder = tmp_path_factory.mktemp("lists")
    (folder / "en").write_text("rude\nvery rude\n")
    (folder / "adult").mkdir()
    (folder / "adult" / "domains").write_text("adult.example\n")
    counts = folder / "counts.tsv"
    counts.write_text("the\t5\n")
    return {"n": 5, "folder": str(folder), "counts": str(counts), "words": "url_hard_words", "categories": ["adult"]}


def bound(function, given):
    required = [s.name for s in settings_of(function).values() if s.default is inspect.Parameter.empty]
    return partial(function, **{name: given[name] for name in required})


@pytest.mark.parametrize("measure", functions("keep_if"))
def test_measure_has_a_finite_value_of_its_unit(measure, given):
    for kind, text in HOSTILE.items():
        value = bound(functions("keep_if")[measure], given)(Page(text, language="en"))
        assert math.isfinite(value) and value >= 0, kind
        if unit_of(measure) in (UNITS["count"], UNITS["length"]) and "mean" not in measure and "median" not in measure:
            assert value == int(value), kind


@pytest.mark.parametrize("edit", functions("rewrite"))
def test_edit_gives_text_or_a_reason(edit, given):
    for kind, text in HOSTILE.items():
        result = bound(functions("rewrite")[edit], given)(Page(text))
        assert isinstance(result, (str, Drop)), kind


LINEAR_SECONDS = 0.02  # for 120,000 characters: what is not linear takes longer, one step for each pair being minutes


@pytest.mark.parametrize("name", [*functions("keep_if"), *functions("rewrite")])
def test_twice_the_text_takes_less_than_three_times_as_long(name, given):
    function = bound({**functions("keep_if"), **functions("rewrite")}[name], given)
    for kind in (
        "emoji run",
        "one long word",
        "long word and stop",
        "one long line",
        "dots and slashes",
        "deep nesting",
        "almost mojibake",
    ):
        text = (HOSTILE[kind] * 8)[:60_000]
        twice = _seconds(function, text * 2)
        ratios = (_seconds(function, text * 2) / _seconds(function, text) for _ in range(10))
        assert twice < LINEAR_SECONDS or any(ratio < 3 for ratio in ratios), kind


def _seconds(function, text):
    page = Page(text + " ", language="en", url="https://example.org/")  # a new text, so nothing is remembered
    start = time.process_time()
    function(page)
    return time.process_time() - start


def test_a_line_of_10_megabytes_passes_every_rule_of_fineweb_in_seconds():
    from curation.recipe.load import load_recipe

    page = Page("The keeper had his tea and wrote down the wind. " * 210_000, url="https://example.org/")
    start = time.process_time()
    for stage in load_recipe("fineweb").stages:
        for rule in getattr(stage, "rules", ()):
            if rule.source not in ("language", "language_score"):
                rule.measure(page)
    assert time.process_time() - start < 30  # about 7 s of processor time


@pytest.mark.parametrize("html", ["", "<", "<a href=x>" * 3_000, "<div>" * 3_000 + "x", "<a href='/x'>\x00\udc00</a>"])
@pytest.mark.parametrize("measure", HTML_MEASURES)
def test_measure_of_the_html_has_a_value_on_broken_markup(measure, html):
    assert functions("keep_if")[measure](Page(html=html)) >= 0
