"""A page of which one engine keeps too little is given to the other, and says so."""

from __future__ import annotations

import pytest

from curation import load_recipe
from curation.errors import RecipeError
from curation.extract import fallback
from curation.extract.guard import ExtractionFailed
from curation.page import Page
from curation.stage import extract


@pytest.fixture
def pages_of(monkeypatch):
    """Runs a stage whose engine finds `first`, whose other engine finds `second`, on pages of 100 visible letters."""

    def run(first, second, below=0.5):
        monkeypatch.setattr(fallback, "visible_text", lambda html: "v " * 100)
        monkeypatch.setitem(fallback.OTHER, "trafilatura", ("resiliparse", second))
        page = Page(html="<p>x")
        extract("main_text", lambda html: first, fallback.with_fallback("trafilatura", below)).run([page])
        return page

    return run


@pytest.mark.parametrize(
    ("first", "second", "text", "note"),
    [
        ("f" * 50, "s" * 90, "f" * 50, None),
        ("f" * 49, "s" * 90, "s" * 90, "resiliparse"),
        ("f" * 49, "s" * 49, "f" * 49, None),
        ("", "s", "s", "resiliparse"),
        ("", "", "", None),
    ],
    ids=["on the bound", "below", "other finds no more", "nothing", "both nothing"],
)
def test_other_engine_is_taken_below_the_share_where_it_finds_more(pages_of, first, second, text, note):
    page = pages_of(first, lambda html: second)
    assert (page.text, page.notes.get("main_text")) == (text, note)
    assert page.dropped_by == (None if text else "main_text.no_text")


def test_white_space_does_not_count(pages_of):
    assert pages_of("f" * 49 + " \n" * 50, lambda html: "s" * 50).text == "s" * 50


def test_failure_of_the_second_look_leaves_the_first_text(pages_of):
    def hang(html):
        raise ExtractionFailed("timeout", "took more than 30 s")

    page = pages_of("f" * 10, hang)
    assert (page.text, page.notes) == ("f" * 10, {"fallback": "timeout: took more than 30 s"})


def test_article_under_a_misleading_class_name_is_found_the_other_way(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("name: m\nversion: 1\nsource: none\nstages:\n  - t: {extract: resiliparse, fallback_below: 0.3}\n")
    lost = "<p>The whole town was at the harbour, and nobody there would have missed that day for the world.</p>" * 8
    page = Page(html=f"<body><p>Start</p><div class='sidebar widget'>{lost}</div></body>")
    load_recipe(path).stages[0].run([page])
    assert page.notes.get("main_text") == "trafilatura"
    assert "harbour" in page.text


def test_share_outside_0_to_1_is_a_mistake(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("name: m\nversion: 1\nsource: none\nstages:\n  - t: {extract: trafilatura, fallback_below: 5}\n")
    with pytest.raises(RecipeError, match="fallback_below"):
        load_recipe(path)
