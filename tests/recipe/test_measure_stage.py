"""The verb `measure`: values become signals, nothing is dropped, and HTML is measured while it is there."""

from __future__ import annotations

import numpy as np
import pytest

from curation.document import from_batch, to_batch
from curation.errors import InputError, RecipeError
from curation.page import Page
from curation.recipe.load import load_recipe
from curation.stage import run_stages

HEAD = "name: mine\nversion: 1\nsource: none\nstages:\n"
VISIBLE = "{measure: [{html.visible_character_count: {}}]}"
KEPT = "{keep_if: [{html.kept_text_fraction: {min: 0.5}}]}"
EXTRACT = "{extract: resiliparse}"


def load(tmp_path, *stages):
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + "".join(f"  - stage_{i}: {stage}\n" for i, stage in enumerate(stages)))
    return load_recipe(path)


def test_values_become_signals_under_the_name_of_the_rule(tmp_path):
    recipe = load(tmp_path, "{measure: [{gopher_quality.word_count: {name: words}}, {chars: {}}]}")
    page = Page("two words")
    run_stages(recipe.stages, [page])
    assert page.alive
    assert page.signals == {"words": 2.0, "chars": 9.0}


def test_every_redpajama_signal_is_stored_also_for_an_empty_page():
    stage = next(s for s in load_recipe("redpajama2").stages if s.name == "signals")
    pages = [Page("The keeper had his tea. It was cold.", language_score=0.9), Page("")]
    stage.run(pages)
    assert [len(page.signals) for page in pages] == [31, 31]
    assert {name for name in pages[0].signals if not name.startswith(("rps_", "ccnet_"))} == set()


def test_missing_list_fails_the_task_and_not_every_page(tmp_path):
    stage = load(tmp_path, "{measure: [{c4.bad_word_count: {folder: /nowhere}}]}").stages[0]
    with pytest.raises(InputError, match="/nowhere"):
        stage.run([Page("text")])


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        (["{measure: [{gopher_quality.word_count: {min: 3}}]}"], "has a bound"),
        (["{measure: [{url: {}}]}"], "is no number"),
        (["{measure: rules/redpajama3}"], "did you mean 'rules/redpajama2'"),
        (["{measure: 3}"], "takes rules/NAME"),
        (["{measure: [{chars: {}}], into: [x]}"], "unknown setting 'into'"),
        ([EXTRACT, VISIBLE], "needs the HTML"),
        ([EXTRACT, KEPT], "needs a stage"),
        ([VISIBLE, KEPT, EXTRACT], "needs a stage"),
    ],
)
def test_mistake_is_named(tmp_path, stages, sentence):
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, *stages)
    assert any(sentence in mistake for mistake in caught.value.mistakes), caught.value.mistakes


def test_page_of_boilerplate_is_told_from_a_page_of_content(tmp_path):
    recipe = load(tmp_path, VISIBLE, "{keep_if: [{html.link_density: {max: 0.5}}]}", EXTRACT, KEPT)
    article = "<p>" + "The keeper of the light had to be awake before dawn. " * 20 + "</p>"
    links = "<nav>" + "<a href='/x'>Another page of this site</a> " * 60 + "</nav>"
    frame = "<nav>" + "Our offices are open today. " * 120 + "</nav>"
    pages = [
        Page(html=f"<body>{article}</body>"),
        Page(html=f"<body>{links}</body>"),
        Page(html=f"<body>{frame}{article}</body>"),
        Page("a text without HTML"),
    ]
    run_stages(recipe.stages, pages)
    assert [page.dropped_by for page in pages] == [None, "stage_1.link_density", "stage_3.kept_text_fraction", None]


@pytest.mark.parametrize("bound", [0.65, 0.1, 0.9])
def test_a_language_score_at_its_bound_passes_before_a_corpus_stage_and_behind_it(tmp_path, bound):
    """The column has 32 bits: rows that say 0.65 passed `min: 0.65` before they were written and failed it after."""
    (stage,) = load(tmp_path, f"{{keep_if: [{{language_score: {{min: {bound}, max: {bound}}}}}]}}").stages
    page = Page("text", language_score=bound)
    for pages in ([page], from_batch(to_batch([page]))):
        stage.run(pages)
        assert pages[0].alive
    below = Page("text", language_score=float(np.nextafter(np.float32(bound), np.float32(0))))
    stage.run([below])
    assert not below.alive
