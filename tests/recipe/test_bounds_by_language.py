"""Bounds by language: the right rules meet each page, and nothing in a table is wrong or lost in silence."""

from __future__ import annotations

import pytest

from curation.errors import RecipeError
from curation.notebook import explain
from curation.page import Page
from curation.recipe.load import load_recipe, rebuild_recipe

HEAD = "name: mine\nversion: 1\nsource: none\nstages:\n"
STAGE = """  - wanted:
      keep_if:
        - characters.letter_count: {name: too_short_to_label, min: 5}
        - language_score: {}
        - gopher_quality.word_count: {max: 100}
      by_language:
        deu: {labels: [de, deu_Latn], language_score: {min: 0.8}}
        fra: {labels: [fr], language_score: {min: 0.6}, word_count: {min: 2}}
"""


@pytest.fixture
def recipe(tmp_path):
    def load(text, overrides=()):
        path = tmp_path / "mine.yaml"
        path.write_text(HEAD + text)
        return load_recipe(path, overrides)

    return load


@pytest.mark.parametrize(
    ("text", "language", "score", "fate"),
    [
        ("Guten Tag", "de", 0.8, None),
        ("Guten Tag", "deu_Latn", 0.9, None),
        ("Guten Tag", "de", 0.79, "wanted.language_score"),
        ("Bonjour", "fr", 0.79, "wanted.word_count"),
        ("Bonjour madame", "fr", 0.79, None),
        ("bonjour " * 101, "fr", 0.79, "wanted.word_count"),
        ("Good day", "en", 1.0, "wanted.unsupported_language"),
        ("Go!", "en", 1.0, "wanted.too_short_to_label"),
        ("Los!", "de", 1.0, "wanted.too_short_to_label"),
        ("Good day", "", 0.0, "wanted.unsupported_language"),
    ],
)
def test_page_meets_the_rules_of_its_language(recipe, text, language, score, fate):
    page = Page(text, language=language, language_score=score)
    recipe(STAGE).stages[0].run([page])
    assert page.dropped_by == fate
    assert fate != "wanted.unsupported_language" or page.dropped_value == language


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("word_count: {min: 2}", "word_cout: {min: 2}", "did you mean 'word_count'"),
        ("word_count: {min: 2}", "word_count: {mn: 2}", "did you mean 'min'"),
        ("word_count: {min: 2}", "word_count: 2", "write {min: ..., max: ...}"),
        ("language_score: {min: 0.8}", "language_score: {}", "language 'deu': rule 'language_score': no bound"),
        ("labels: [fr], ", "", "needs labels"),
        ("labels: [fr]", "labels: [no]", 'write "no" in quotes'),
        ("labels: [fr]", "labels: [de]", "label 'de' already belongs to 'deu'"),
        ("by_language:", "by_languag:", "unknown setting 'by_languag'"),
        (STAGE[STAGE.index("by_language") :], "by_language: languages/finweb2\n", "did you mean 'languages/fineweb2'"),
        (STAGE[STAGE.index("by_language") :], "by_language: {}\n", "takes languages/NAME"),
    ],
)
def test_mistake_in_a_table_is_named(recipe, old, new, sentence):
    assert old in STAGE
    with pytest.raises(RecipeError) as caught:
        recipe(STAGE.replace(old, new))
    assert any(sentence in mistake for mistake in caught.value.mistakes), caught.value.mistakes


def test_mistake_of_the_rule_list_is_told_once_and_not_for_each_language(recipe):
    with pytest.raises(RecipeError) as caught:
        recipe(
            STAGE.replace("gopher_quality.word_count", "gopher_quality.word_cont").replace(
                ", word_count:", ", word_cont:"
            )
        )
    assert len(caught.value.mistakes) == 1


def test_override_changes_one_language(recipe):
    stage = recipe(STAGE, ["wanted.fra.word_count.min=5"]).stages[0]
    assert [rule.min for rule in stage.rules_for("fr")] == [5, 0.6, 5]
    assert [rule.min for rule in stage.rules_for("de")] == [5, 0.8, None]
    with pytest.raises(RecipeError, match="did you mean 'word_count'"):
        recipe(STAGE, ["wanted.fra.word_cont.min=5"])


@pytest.mark.parametrize("rule", ["[word_count: {}]", "word_count", "{word_count: 5}", "{}", "3"])
def test_rule_that_is_no_mapping_is_a_mistake_beside_a_table(recipe, rule):
    with pytest.raises(RecipeError, match="a rule is `measure: {min: .., max: ..}`"):
        recipe(STAGE.replace("keep_if:", f"keep_if: [{rule}]\n      unread:", 1))


TWO = """  - first:
      keep_if: [{language_score: {}}]
      by_language: {deu: &deu {labels: [de], language_score: {min: 0.8}, word_count: {min: 5}}}
  - second:
      keep_if: [{gopher_quality.word_count: {}}]
      by_language: {deu: *deu}
"""


def test_stage_hash_depends_on_its_own_part_of_the_table_only(recipe):
    few, many = recipe(TWO), recipe(TWO.replace("min: 5", "min: 50"))
    assert few.stage_hashes()[0] == many.stage_hashes()[0]
    assert few.stage_hashes()[1] != many.stage_hashes()[1]


def test_recipe_stored_in_a_run_keeps_its_table():
    recipe = load_recipe("fineweb2")
    again = rebuild_recipe(recipe.resolved)
    assert again.hash == recipe.hash
    assert again.stages[3].rules_for("de")[1].min == 0.821


def test_explanation_names_the_language_that_is_not_listed(recipe):
    found = explain(recipe(STAGE), Page("Good day", language="en"))
    assert [(f.rule, f.passed) for f in found] == [("too_short_to_label", True), ("unsupported_language", False)]
