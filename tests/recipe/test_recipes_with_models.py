"""Recipes whose model does not come with the project say what is missing, before anything runs."""

from __future__ import annotations

import pytest

from curation.errors import ModelError
from curation.models import find_model
from curation.recipe.load import load_recipe
from curation.run.models import ready_models


@pytest.mark.parametrize(
    ("recipe", "model", "where"),
    [
        ("fineweb_edu", "fineweb-edu-classifier", "huggingface.co/HuggingFaceFW/fineweb-edu-classifier"),
        ("dclm_baseline", "openhermes_reddit_eli5_vs_rw_v2_bigram_200k_train.bin", "mlfoundations/fasttext-oh-eli5"),
    ],
)
def test_recipe_without_its_model_names_the_file_and_where_to_get_it(recipe, model, where, monkeypatch, tmp_path):
    find_model("lid.176.ftz")
    monkeypatch.setenv("CURATION_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match=model) as caught:
        ready_models(load_recipe(recipe))
    assert where in str(caught.value)
    assert "curate train-quality" in str(caught.value)


@pytest.mark.parametrize(("recipe", "base"), [("fineweb_edu", "fineweb"), ("dclm_baseline", "dclm")])
def test_recipe_is_its_base_up_to_the_classifier(recipe, base):
    shared = len(load_recipe(base).stages) - (base == "fineweb")  # fineweb masks after it
    assert load_recipe(recipe).stage_hashes()[:shared] == load_recipe(base).stage_hashes()[:shared]
