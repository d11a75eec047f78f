"""Mixtures by name: in recipes and in files, with changes, other names and another budget."""

from __future__ import annotations

import pytest

from curation.errors import RecipeError
from curation.recipe.load import load_recipe, rebuild_recipe
from curation.recipe.mixtures import load_mixture

HEAD = """name: mine
version: 1
source: none
stages: [{text: {extract: trafilatura}}]
tokens: {tokenizer: {train: {vocab_size: 1000}}, sequence_length: 64}
"""


def recipe(tmp_path, text, *overrides):
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + text)
    return load_recipe(path, overrides)


def test_a_recipe_names_a_preset(tmp_path):
    found = recipe(tmp_path, "mixture: llama1\n")
    assert found.mixture == load_mixture("llama1").settings
    assert rebuild_recipe(found.resolved).mixture == found.mixture


def test_a_preset_takes_changes_and_overrides(tmp_path):
    text = "mixture: {preset: llama1, budget_tokens: 1_000_000}\n"
    assert recipe(tmp_path, text).mixture.budget_tokens == 1_000_000
    assert recipe(tmp_path, text, "mixture.max_epochs=2").mixture.max_epochs == 2
    assert recipe(tmp_path, "mixture: llama1\n", "mixture.budget_tokens=5").mixture.budget_tokens == 5
    assert recipe(tmp_path, "mixture: llama1\n", "mixture=llama3").mixture.sources["code"] == 0.17


def test_sources_of_a_preset_take_the_names_they_have_here(tmp_path):
    found = recipe(tmp_path, "mixture: {preset: olmo2, names: {dclm: web, math: maths}}\n").mixture
    assert "web" in found.phases[0].sources and "dclm" not in found.phases[0].sources
    assert found.limits["maths"].synthetic


def test_a_new_budget_scales_the_phases(tmp_path):
    found = recipe(tmp_path, "mixture: {preset: olmo2, budget_tokens: 395_000}\n").mixture
    assert [phase.budget_tokens for phase in found.phases] == [390_000, 5_000]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mixture: lama1", "no preset 'lama1'; did you mean 'llama1'"),
        ("mixture: {preset: llama1, names: {githb: code}}", "no source 'githb'; did you mean 'github'"),
        ("mixture: {preset: llama1, names: code}", "must be a mapping"),
        ("mixture: {preset: llama1, max_epoch: 2}", "did you mean 'max_epochs'"),
        ("mixture: {preset: llama1, sources: {web: 0.4}}", "shares must sum to 1"),
        ("mixture: {limits: {web: {synthetic: true}}}", "needs a max_share"),
        ("mixture: {phases: [{name: a, budget_tokens: 5, source: sizes}]}", "did you mean 'sources'"),
    ],
)
def test_wrong_mixture_is_refused_with_a_sentence(tmp_path, text, sentence):
    with pytest.raises(RecipeError, match=sentence):
        recipe(tmp_path, text + "\n")


def test_a_file_holds_a_mixture_or_is_one(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("sources: {web: 0.5, wiki: 0.5}\n")
    assert load_mixture(path).settings.sources == {"web": 0.5, "wiki": 0.5}
    path.write_text("mixture: {sources: {web: 1.0}}\ntokens: {web: 5}\n")
    assert load_mixture(path, {"budget_tokens": 9}).settings.budget_tokens == 9
    assert load_mixture(path).tokens == {"web": 5}


@pytest.mark.parametrize(
    ("name", "sentence"), [("lama1", "did you mean 'llama1'"), ("none.yaml", "no such file")], ids=["name", "path"]
)
def test_mixture_that_is_not_there_is_refused(name, sentence):
    with pytest.raises(RecipeError, match=sentence):
        load_mixture(name)
