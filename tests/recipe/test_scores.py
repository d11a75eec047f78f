"""Recipes that score and then decide on scores: names are checked before anything runs."""

from __future__ import annotations

import pytest

from curation.errors import ModelError, RecipeError, ResumeError
from curation.notebook import explain, on_documents
from curation.page import Page
from curation.quality.examples import Example
from curation.quality.learners import FastText
from curation.recipe.load import load_recipe
from curation.run.folder import RunFolder
from curation.run.manifest import describe, open_folder
from curation.run.models import ready_models

HEAD = "name: x\nversion: 1\nsource: test\nstages:\n"
SCORED = "  - quality: {{annotate: quality.fasttext, model: {model}, into: quality}}\n"
GOOD, BAD = "the river rose in spring", "buy cheap pills now"


@pytest.fixture
def model(tmp_path) -> str:
    examples = [Example(f"{GOOD} {n}", "", 1) for n in range(20)] + [Example(f"{BAD} {n}", "", 0) for n in range(20)]
    FastText(epochs=40, learning_rate=0.5, dimensions=4).fit(examples, False, tmp_path / "m.bin")
    return str(tmp_path / "m.bin")


def recipe_of(tmp_path, stages: str):
    (tmp_path / "x.yaml").write_text(HEAD + stages)
    return load_recipe(tmp_path / "x.yaml")


def test_bound_on_a_score_decides_and_is_explained(tmp_path, model):
    recipe = recipe_of(tmp_path, SCORED.format(model=model) + "  - good: {keep_if: [{scores.quality: {min: 0.5}}]}\n")
    good, bad = on_documents(recipe, [{"text": GOOD}, {"text": BAD}])
    assert (good["dropped_by"], bad["dropped_by"]) == (None, "good.quality")
    assert float(bad["dropped_value"]) == bad["scores"]["quality"] < 0.5 < good["scores"]["quality"]
    assert [(f.rule, f.passed) for f in explain(recipe, Page(BAD))] == [("scores", None), ("quality", False)]


def test_best_fraction_of_documents_in_memory(tmp_path, model):
    best = "  - best: {corpus: top_fraction, score: quality, keep_fraction: 0.25}\n"
    documents = [{"text": f"{GOOD} {BAD * (n > 0)} {n}"} for n in range(4)]
    found = on_documents(recipe_of(tmp_path, SCORED.format(model=model) + best), documents)
    assert [d["dropped_by"] for d in found] == [None] + ["best.below_threshold"] * 3
    assert float(found[1]["dropped_value"]) == pytest.approx(found[1]["scores"]["quality"], rel=1e-5)


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        ("{keep_if: [{scores.qualty: {min: 0.5}}]}", "writes the score 'qualty'; did you mean 'quality'?"),
        ("{keep_if: [{scores.quality: {min: 0.5, words: 3}}]}", "unknown setting 'words'"),
        ("{corpus: top_fraction, score: q, keep_fraction: 0.1}", "writes the score 'q'"),
        ("{corpus: minhash, keep: best_score, score: q}", "writes the score 'q'"),
        ("{corpus: top_fraction, score: quality}", "setting 'keep_fraction' is missing"),
        ("{corpus: top_fraction, score: quality, keep_fraction: 10}", "above 0 and at most 1"),
        ("{annotate: quality.fasttext, into: q}", "setting 'model' is missing"),
        ("{annotate: quality.fasttext, model: m, into: [a, b]}", "fills 1 column, into names 2"),
    ],
    ids=["rule", "setting", "fraction", "best copy", "missing", "percent", "model", "columns"],
)
def test_mistake_about_scores_is_named(tmp_path, stage, sentence):
    with pytest.raises(RecipeError) as caught:
        recipe_of(tmp_path, SCORED.format(model="m.bin") + f"  - one: {stage}\n")
    assert any(sentence in mistake for mistake in caught.value.mistakes), caught.value.mistakes


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("openhermes_reddit_eli5_vs_rw_v2_bigram_200k_train.bin", "fetch it from .*fasttext-oh-eli5"),
        ("mine.bin", "train one: train-quality"),
    ],
    ids=["published", "own"],
)
def test_missing_model_is_told_before_the_run_with_the_way_to_get_it(tmp_path, name, sentence):
    with pytest.raises(ModelError, match=sentence):
        ready_models(recipe_of(tmp_path, SCORED.format(model=name)))


def test_file_of_the_wrong_kind_is_told_before_the_run(tmp_path):
    (tmp_path / "m.bin").write_text("no model")
    with pytest.raises(ModelError, match="is no fastText model"):
        ready_models(recipe_of(tmp_path, SCORED.format(model=tmp_path / "m.bin")))


def test_run_is_not_continued_with_another_model(tmp_path, model):
    recipe, folder = recipe_of(tmp_path, SCORED.format(model=model)), RunFolder(tmp_path / "run")
    before = ready_models(recipe)
    open_folder(folder, describe(recipe, [], before), [], resume=False)
    assert open_folder(folder, describe(recipe, [], ready_models(recipe)), [], resume=True) == []
    FastText(dimensions=4).fit([Example("a", "", 1), Example("b", "", 0)], False, tmp_path / "m.bin")
    with pytest.raises(ResumeError, match=r"another model or list for quality\.model"):
        open_folder(folder, describe(recipe, [], ready_models(recipe)), [], resume=True)


def test_run_is_not_continued_with_another_list(tmp_path):
    """Hosts that opted out meanwhile would be missing from its second half only, or the other way round."""
    (tmp_path / "hosts").write_text("a.example\n")
    rules = (
        f"[{{opt_out.listed_host_count: {{entries: {tmp_path}/hosts, max: 0}}}}, {{url.soft_word_count: {{max: 1}}}}]"
    )
    recipe, folder = recipe_of(tmp_path, f"  - lists: {{keep_if: {rules}}}\n"), RunFolder(tmp_path / "run")
    before = ready_models(recipe)
    assert sorted(before) == ["lists.listed_host_count.entries", "lists.soft_word_count.words"]
    open_folder(folder, describe(recipe, [], before), [], resume=False)
    assert open_folder(folder, describe(recipe, [], ready_models(recipe)), [], resume=True) == []
    (tmp_path / "hosts").write_text("a.example\nb.example\n")
    with pytest.raises(ResumeError, match=r"another model or list for lists\.listed_host_count\.entries"):
        open_folder(folder, describe(recipe, [], ready_models(recipe)), [], resume=True)
