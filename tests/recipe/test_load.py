"""Recipes: what ships loads, what is wrong is named in full, and overrides reach what they name."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import RecipeError
from curation.recipe.load import load_recipe, rebuild_recipe, recipe_names
from curation.stage import PageStage

HEAD = "name: mine\nversion: 1\nsource: none\n"


def write(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return path


def mistakes_of(tmp_path, text):
    with pytest.raises(RecipeError) as caught:
        load_recipe(write(tmp_path, text))
    return caught.value.mistakes


@pytest.mark.parametrize("name", recipe_names())
def test_shipped_recipe_loads_and_names_its_source(name):
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.source and recipe.stages
    assert len(recipe.stage_hashes()) == len(recipe.stages)


def test_misspelt_stage_verb_rule_and_setting_are_all_named_with_suggestions(tmp_path):
    mistakes = mistakes_of(
        tmp_path,
        HEAD
        + """
stages:
  - text: {extract: trafilatur}
  - rules: {keep_if: [{gopher_quality.word_cont: {min: 50}}]}
  - dups: {corpus: minhash, band: 14}
""",
    )
    assert len(mistakes) == 3
    for misspelt, meant in (("trafilatur", "trafilatura"), ("word_cont", "word_count"), ("band", "bands")):
        assert any(misspelt in m and f"did you mean '{meant}'" in m.replace("gopher_quality.", "") for m in mistakes)


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        ("{keep_iff: rules/gopher_quality}", "did you mean 'keep_if'"),
        ("{extract: trafilatura, rewrite: c4.page}", "a stage has one verb"),
        ("{keep_if: rules/gopher_qualty}", "did you mean 'rules/gopher_quality'"),
        ("{keep_if: rules/gopher_quality, without: [word_cout]}", "did you mean 'word_count'"),
        ("{keep_if: [{langage: {in: [en]}}]}", "did you mean 'language'"),
        ("{keep_if: [{language: {in: [no]}}]}", 'write "no" in quotes'),
        ("{keep_if: [{language_score: {min: 1e-4}}]}", "write 1.0e-4"),
        ("{keep_if: [{language_score: {min: 0.9, max: 0.1}}]}", "no page could pass"),
        ("{keep_if: [{language_score: {}}]}", "no bound"),
        ("{keep_if: [{gopher_quality.word_count: {mn: 3, max: 5}}]}", "did you mean 'min'"),
        (
            "{keep_if: [{gopher_quality.word_count: {min: 3}}, {gopher_quality.word_count: {min: 5}}]}",
            "its own `name:`",
        ),
        ("{corpus: minhash, rows: 8.5}", "valid integer"),
        ("{corpus: minhash, scope: galaxy}", "galaxy"),
        ("{corpus: minhash, bands: 0}", "bands"),
        ("{annotate: language.fasttext}", "into must name the columns"),
        ("{annotate: language.fasttext, into: [language]}", "fills 2 columns"),
        ("{rewrite: c4.page, into: [x]}", "belongs to annotate"),
        ("[1, 2]", "must be `- name:"),
    ],
)
def test_mistake_in_a_stage_is_named(tmp_path, stage, sentence):
    mistakes = mistakes_of(tmp_path, f"{HEAD}stages:\n  - one: {stage}\n")
    assert any(sentence in m for m in mistakes), mistakes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- a\n- b\n", "is not a mapping"),
        (HEAD + "stages: []\n", "must be a list"),
        (HEAD + "stage: []\n", "did you mean 'stages'"),
        ("name: a\nname: b\n", "stands twice, in lines 1 and 2"),
        ("name: !!python/object/apply:os.system ['true']\n", "could not determine a constructor"),
        ("name: [unclosed\n", "line 2"),
        (HEAD + "audit_fraction: 2\nstages:\n  - t: {extract: trafilatura}\n", "audit_fraction"),
        (HEAD + "stages:\n  - read: {extract: trafilatura}\n", "stage 'read' has a name that runs use"),
        (HEAD + "stages:\n  - validation_clusters: {corpus: minhash}\n", "has a name that runs use"),
        (HEAD + "stages:\n  - t: {extract: trafilatura}\n  - t: {extract: resiliparse}\n", "own name"),
        (HEAD + "stages:\n  - t: {extract: trafilatura}\ntokens: {tokeniser: {}}\n", "did you mean 'tokenizer'"),
        (HEAD + "stages:\n  - t: {extract: trafilatura}\nmixture: {sources: sizes}\n", "needs a tokens section"),
        (HEAD.replace("version: 1", "version: one") + "stages:\n  - t: {extract: trafilatura}\n", "whole number"),
    ],
)
def test_mistake_in_the_file_is_named(tmp_path, text, sentence):
    assert any(sentence in m for m in mistakes_of(tmp_path, text))


def test_unknown_recipe_name_gets_a_suggestion():
    with pytest.raises(RecipeError, match="did you mean 'fineweb'"):
        load_recipe("finweb")


def test_overrides_change_settings_bounds_and_sections():
    plain = load_recipe("fineweb")
    changed = load_recipe(
        "fineweb",
        ["near_duplicates.bands=20", "gopher_quality.word_count.min=30", "tokens.sequence_length=1024"],
    )
    quality = next(stage for stage in changed.stages if stage.name == "gopher_quality")
    assert next(rule for rule in quality.rules if rule.name == "word_count").min == 30
    assert changed.tokens.sequence_length == 1024
    assert plain.hash != changed.hash
    before, after = plain.stage_hashes(), changed.stage_hashes()
    assert before[:5] == after[:5]  # url .. gopher_repetition are untouched
    assert all(a != b for a, b in zip(before[5:], after[5:], strict=True))


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("near_duplicates.band=3", "did you mean 'bands'"),
        ("gopher_qualit.word_count.min=3", "did you mean 'gopher_quality'"),
        ("gopher_quality.word_cout.min=3", "did you mean 'word_count'"),
        ("near_duplicates.bands", "write it as key.path=value"),
        ("near_duplicates.bands=[", "no YAML"),
        ("near_duplicates=3", "no setting of it"),
    ],
)
def test_wrong_override_is_named(override, sentence):
    with pytest.raises(RecipeError, match="mistake") as caught:
        load_recipe("fineweb", [override])
    assert sentence in str(caught.value)


def test_recipe_stored_in_a_run_is_the_same_recipe():
    recipe = load_recipe("fineweb", ["near_duplicates.bands=20"])
    again = rebuild_recipe(recipe.resolved)
    assert again.hash == recipe.hash
    assert [s.name for s in again.stages] == [s.name for s in recipe.stages]


def test_without_takes_a_rule_off_an_included_list(tmp_path):
    path = write(tmp_path, HEAD + "stages:\n  - q: {keep_if: rules/gopher_quality, without: [stop_word_count]}\n")
    stage = load_recipe(path).stages[0]
    assert isinstance(stage, PageStage)
    assert "stop_word_count" not in [rule.name for rule in stage.rules]
    assert "word_count" in [rule.name for rule in stage.rules]


def test_a_path_is_a_file_and_a_name_is_a_shipped_recipe_whatever_lies_in_the_folder(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    text = HEAD + "stages:\n  - main_text: {extract: trafilatura}\n"
    for name in ("fineweb.yaml", "mine.yaml", "mine"):
        (tmp_path / name).write_text(text)
    assert load_recipe("fineweb").name == "fineweb" and "the file here is fineweb.yaml" in caplog.text
    for path in ("fineweb.yaml", "./mine", "./mine.yaml", str(tmp_path / "mine")):
        assert load_recipe(path).name == "mine"
    with pytest.raises(RecipeError, match=r"no recipe of this name; .*; for the file give \./mine"):
        load_recipe("mine")
    (tmp_path / "folder.yaml").mkdir()
    for path, why in (("folder.yaml", "is a folder"), ("./fineweb", "no such file"), ("x/fineweb", "no such file")):
        with pytest.raises(RecipeError, match=f"{why}; give the path of a YAML file"):
            load_recipe(path)


@pytest.mark.parametrize("overrides", ["near_duplicates.bands=20", {"near_duplicates.bands": 20}, [5]])
def test_overrides_that_are_no_list_of_texts_are_refused_as_one_mistake(overrides):
    with pytest.raises(RecipeError, match="overrides must be a list such as") as caught:
        load_recipe("fineweb", overrides)
    assert len(caught.value.mistakes) == 1


def test_a_text_where_a_list_belongs_is_told_how_to_write_one():
    with pytest.raises(RecipeError, match=r"in is 'en,de'; input should be a list, such as \[a, b\]"):
        load_recipe("fineweb", ["english.language.in=en,de"])


def test_check_prints_long_settings_in_full_also_where_there_is_no_terminal():
    told = "".join(CliRunner().invoke(app, ["check", "fineweb"]).output.replace("│", " ").split())
    assert "compare_sizes:[16000,32000,50257,64000,128000]},engine:auto}" in told
