"""The verb `decontaminate` in a recipe: what it becomes, and what is refused."""

from __future__ import annotations

import pytest

from curation.errors import InputError, RecipeError
from curation.notebook import on_documents
from curation.recipe.load import load_recipe
from curation.recipe.run_files import read_paths
from curation.run.plan import cut_into_segments
from curation.stage import keep_if

RECIPE = "name: r\nversion: 1\nsource: test\nstages:\n  - clean: {%s}\n"


@pytest.fixture
def recipe_of(tmp_path):
    def recipe_of(body):
        path = tmp_path / "r.yaml"
        path.write_text(RECIPE % body)
        return load_recipe(path)

    return recipe_of


def test_defaults_are_those_of_the_papers(recipe_of):
    (stage,) = recipe_of("decontaminate: gpt3, benchmarks: {quiz: [question, answer]}").stages
    assert (stage.ngram, stage.around, stage.shortest_piece, stage.most_pieces) == (13, 200, 201, 10)
    assert stage.max_documents == 10 and stage.benchmarks == {"quiz": ("question", "answer")}
    (stage,) = recipe_of("decontaminate: coverage, max_coverage: 0.7, benchmarks: {quiz: [question]}").stages
    assert (stage.ngram, stage.max_documents, stage.max_coverage) == (8, 10, 0.7)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        pytest.param("decontaminate: gtp3, benchmarks: {q: [a]}", "knows no 'gtp3'; did you mean 'gpt3'", id="mode"),
        pytest.param("decontaminate: gpt3", "setting 'benchmarks' is missing", id="nothing-to-look-for"),
        pytest.param("decontaminate: gpt3, benchmarks: {q: []}", "names no field of q", id="no-field"),
        pytest.param("decontaminate: gpt3, benchmarks: {q: question}", "setting 'benchmarks'", id="field-as-text"),
        pytest.param("decontaminate: coverage, benchmarks: {q: [a]}", "'max_coverage' is missing", id="no-bound"),
        pytest.param(
            "decontaminate: coverage, max_coverage: 0.0, benchmarks: {q: [a]}", "share above 0", id="bound-of-zero"
        ),
        pytest.param("decontaminate: gpt3, ngram: 0, benchmarks: {q: [a]}", "ngram is 0", id="no-words"),
        pytest.param("decontaminate: gpt3, bands: 3, benchmarks: {q: [a]}", "unknown setting 'bands'", id="unknown"),
    ],
)
def test_mistakes_are_told_at_load(recipe_of, body, sentence):
    with pytest.raises(RecipeError, match=sentence):
        recipe_of(body)


def test_whatever_follows_a_stage_that_cuts_gets_a_pass_of_its_own(stage_of):
    cutting, dropping = stage_of("gpt3"), stage_of("ngram_drop")
    shape = [
        (len(s.page_stages), [c.mode for c in s.corpus_stages])
        for s in cut_into_segments([dropping, cutting, dropping, keep_if("a", [])])
    ]
    assert shape == [(0, ["ngram_drop", "gpt3"]), (0, ["ngram_drop"]), (1, [])]


def test_recipe_and_folder_of_benchmarks_go_together(recipe_of, tmp_path):
    with pytest.raises(InputError, match="--benchmarks"):
        on_documents(recipe_of("decontaminate: gpt3, benchmarks: {quiz: [question]}"), [{"text": "a"}])
    with pytest.raises(InputError, match="has no decontaminate stage"):
        on_documents(load_recipe("text"), [{"text": "a"}], tmp_path)


def test_notebook_cuts_and_drops_as_a_run_does(recipe_of, corpus, tmp_path):
    folder = corpus.write_benchmark(tmp_path / "benchmarks")
    documents = [{"text": corpus.texts[n]} for n in (0, 2)] + [{"text": corpus.questions[3]}]
    recipe = recipe_of("decontaminate: gpt3, benchmarks: {quiz: [question]}")
    cut, clean, gone = on_documents(recipe, documents, folder)
    assert len(cut["text"]) < len(documents[0]["text"]) and cut["trail"] == [
        len(documents[0]["text"]),
        len(cut["text"]),
    ]
    assert clean["text"] == documents[1]["text"] and clean["dropped_by"] is None
    assert (gone["dropped_by"], gone["dropped_value"]) == ("clean.nothing_left", "0")


def test_paths_file_may_name_the_folder(tmp_path):
    path = tmp_path / "paths.yaml"
    path.write_text("inputs: [{where: crawl}]\nout: run\nbenchmarks: tests\n")
    assert read_paths(str(path)).benchmarks == "tests"
