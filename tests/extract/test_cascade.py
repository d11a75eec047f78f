"""The cascade gives up only what the recipe could not keep, says by which rule, and changes no other page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation import explain, load_recipe
from curation.document import in_sample
from curation.errors import RecipeError, SetUpError
from curation.extract.cascade import AUDIT_DRAW, rehearse, with_cascade
from curation.extract.guard import ExtractionFailed
from curation.page import Page
from curation.rules.gopher_quality import word_count
from curation.stage import Rule, annotate, extract, keep_if, run_stages

TOLD = {
    "EN": ("en", 0.97),
    "EN?": ("en", 0.30),
    "EN??": ("en", 0.50),
    "DE": ("de", 0.96),
    "DE?": ("de", 0.55),
    "XX": ("is", 0.7),
}


def score(pages):
    """The first word of a text says its language and how sure the model is; "BAD" breaks it."""
    if any(page.text.startswith("BAD") for page in pages):
        raise ValueError("cannot score")
    return [TOLD.get(page.text.split(" ")[0], ("und", 0.0)) for page in pages]


def later(words=3, minimum=0.65):
    return [
        annotate("language", score, ["language", "language_score"]),
        keep_if(
            "english",
            [
                Rule("language", lambda page: page.language, "language", allowed=("en",)),
                Rule("language_score", lambda page: page.language_score, "language_score", min=minimum),
            ],
        ),
        keep_if("quality", [Rule("word_count", word_count, "gopher_quality.word_count", min=words, max=10)]),
    ]


def cascade(stages, loosen=0.6, audit=0.0, visible=lambda html: html, engine=lambda html: html.partition("|")[0]):
    """The "HTML" of these tests is its own visible text; its main text is what stands before the bar."""
    return with_cascade(extract("main_text", engine), rehearse(stages, loosen), audit, visible)


def fate(html, **settings):
    page = Page(html=html)
    cascade(later(), **settings).run([page])
    return page.dropped_by, page.dropped_value


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("EN one two", (None, None)),
        ("EN one", ("main_text.cascade_word_count", "2")),
        ("DE one two", ("main_text.cascade_language", "de 0.960")),
        ("DE? one two", (None, None)),  # English may still have 0.45 of 0.39 asked for
        ("EN? one two", ("main_text.cascade_language_score", "0.3")),
        ("EN?? one two", (None, None)),
        ("", ("main_text.no_text", None)),  # nothing visible is no evidence: the other parser may see more
        ("neither one two", (None, None)),  # the model knows nothing: no reason to give the page up
    ],
    ids=["good", "too short", "other language", "other, unsure", "too unsure", "unsure", "nothing", "undetermined"],
)
def test_page_is_given_up_by_the_bound_that_its_visible_text_cannot_reach(html, expected):
    assert fate(html) == expected


def test_page_given_up_keeps_its_visible_text_and_language_for_the_report():
    page = Page(html="DE one two|menu")
    cascade(later()).run([page])
    assert (page.text, page.html, page.language) == ("DE one two|menu", None, "de")
    assert page.language_score == pytest.approx(0.96)


def test_without_a_threshold_the_best_label_decides():
    stages = [later()[0], keep_if("english", [later()[1].rules[0]])]
    pages = [Page(html="DE one two"), Page(html="DE? one two")]
    cascade(stages).run(pages)
    assert [page.dropped_by for page in pages] == ["main_text.cascade_language", None]


def test_bounds_by_language_give_up_what_no_listed_language_can_be():
    least = {"en": 0.9, "de": 0.6}
    own = {
        k: [Rule("language_score", lambda page: page.language_score, "language_score", min=v)] for k, v in least.items()
    }
    stages = [later()[0], keep_if("wanted", [], own)]
    pages = [Page(html=f"{told} one two") for told in ("EN??", "DE?", "EN?", "XX", "DE")]
    cascade(stages).run(pages)
    # "EN??": 0.5 is below 0.54, but German may still have 0.5 of 0.36. "XX": Icelandic, 0.7.
    assert [page.dropped_by for page in pages] == [None, None, None, "main_text.cascade_unsupported_language", None]


def test_bounds_behind_a_corpus_stage_decide_nothing():
    early = ["main_text.cascade=true", "quality.word_count.min=100000"]
    recipe = load_recipe("fineweb2", early)
    page = Page(html=GERMAN, url="https://example.org/")
    run_stages(recipe.stages[:3], [page])
    assert page.alive and page.language == "de"


def test_upper_bounds_and_rules_without_a_model_in_the_recipe_are_no_reason():
    assert rehearse(later()[1:2], 0.6).reasons == ()
    assert fate("EN " + "word " * 20) == (None, None)


texts = st.lists(st.sampled_from([*TOLD, "one", "two", "|", "three"]), max_size=14).map(" ".join)


@given(st.lists(texts, max_size=12), st.integers(0, 5), st.floats(0.1, 1))
def test_survivors_and_texts_are_those_of_the_plain_recipe_where_the_label_does_not_depend_on_menus(
    htmls, words, least
):
    stages = later(words, least)
    plain, fast = ([Page(html=html) for html in htmls] for _ in range(2))
    run_stages([extract("main_text", lambda html: html.partition("|")[0]), *stages], plain)
    run_stages([cascade(stages, loosen=1.0), *stages], fast)
    label = [html.split(" ")[0] for html in htmls]
    for before, after, told in zip(plain, fast, label, strict=True):
        if told in TOLD:  # visible and main text begin alike
            assert (before.dropped_by is None) == (after.dropped_by is None)
            if before.dropped_by is None or ".cascade_" not in after.dropped_by:
                assert (before.text, before.dropped_by, before.trail) == (after.text, after.dropped_by, after.trail)


def test_audited_pages_go_the_whole_way_and_say_what_would_have_been_their_fate():
    pages = [Page(html="DE one two", doc_id=n) for n in range(400)]
    cascade(later(), audit=0.25).run(pages)
    audited = [page for page in pages if page.alive]
    assert [page.doc_id for page in audited] == [n for n in range(400) if in_sample(n, 0.25, AUDIT_DRAW)]
    assert 60 < len(audited) < 140
    assert {(page.text, page.notes["cascade"]) for page in audited} == {("DE one two", "language")}


def test_page_that_the_cheap_parser_cannot_take_goes_to_the_engine_and_says_so():
    def visible(html):
        raise ExtractionFailed("timeout", "took more than 30 s")

    page = Page(html="DE one two|menu")
    cascade(later(), visible=visible).run([page])
    assert (page.text, page.dropped_by) == ("DE one two", None)
    assert page.notes == {"visible_text": "timeout: took more than 30 s"}


def test_model_or_measure_that_breaks_on_visible_text_leaves_the_page_to_the_engine():
    def fragile(page):
        raise KeyError("no such thing")

    pages = [Page(html="BAD"), Page(html="DE one two")]  # too short a text, but nothing is decided on it
    cascade(later()).run(pages)
    assert [page.dropped_by for page in pages] == [None, "main_text.cascade_language"]
    page = Page(html="EN one two")
    cascade([keep_if("q", [Rule("n", fragile, "gopher_quality.word_count", min=1)])]).run([page])
    assert page.alive
    assert page.notes == {"cascade_error": "n: KeyError: 'no such thing'"}


def test_lack_of_a_model_fails_the_task():
    def missing(page):
        raise SetUpError("no word list")

    with pytest.raises(SetUpError):
        cascade([keep_if("q", [Rule("n", missing, "gopher_quality.word_count", min=1)])]).run([Page(html="x")])


def test_pages_that_come_with_text_pass():
    page = Page("two words")
    cascade(later()).run([page])
    assert page.alive


RECIPE = """
name: mine
version: 1
source: none
stages:
  - main_text: {{extract: trafilatura, cascade: {cascade}}}
  - short:     {{keep_if: [{rule}]}}
"""
GERMAN = "<article>" + "<p>Der Hafen lag still, und niemand in der Stadt wusste, warum das Schiff nicht kam.</p>" * 9
WORDS = "{gopher_quality.word_count: {min: 50}}"


@pytest.mark.parametrize(
    ("cascade", "rule", "sentence"),
    [
        ("{loosn: 0.5}", WORDS, "did you mean 'loosen'"),
        ("{audit: 2}", WORDS, "cascade.audit"),
        ("maybe", WORDS, "must be a mapping"),
        ("true", "{language: {in: [en]}}", "no later stage has a bound"),
    ],
    ids=["misspelt", "no share", "no switch", "nothing to decide on"],
)
def test_mistake_in_the_setting_is_named(tmp_path, cascade, rule, sentence):
    path = tmp_path / "mine.yaml"
    path.write_text(RECIPE.format(cascade=cascade, rule=rule))
    with pytest.raises(RecipeError) as caught:
        load_recipe(path)
    assert any(sentence in mistake for mistake in caught.value.mistakes)


@pytest.mark.parametrize(
    ("overrides", "given_up"),
    [([], True), (["main_text.cascade=false"], False), (["main_text.cascade={audit: 1}"], False)],
    ids=["on", "off", "all audited"],
)
def test_switch_and_audit_are_settings_of_the_recipe(overrides, given_up):
    page = Page(html=GERMAN, url="https://example.org/")
    stages = load_recipe("fineweb", overrides).stages[:4]
    run_stages(stages, [page])
    assert page.dropped_by == ("main_text.cascade_language" if given_up else "english.language")


def test_explain_tells_the_cascade_apart_and_goes_on():
    found = {(f.stage, f.rule): f for f in explain(load_recipe("fineweb"), Page(html=GERMAN))}
    assert found["main_text", "cascade_language"].passed is False
    assert found["main_text", "characters"].passed is None
    assert found["gopher_quality", "word_count"].value > 100


def test_annotate_run_gives_no_page_up():
    page = Page(html=GERMAN, url="https://example.org/")
    stages = load_recipe("fineweb", annotate=True).stages[:6]
    run_stages(stages, [page])
    assert page.alive
    assert page.signals["gopher_quality.word_count"] > 100
