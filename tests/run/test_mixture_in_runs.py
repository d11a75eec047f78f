"""A run whose mixture cannot be reached is complete but for it; one that names an unknown source never starts."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import MixtureError
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Source
from curation.run.run import run_recipe

RECIPE = """
name: mixing
version: 1
source: none
stages:
  - copies: {corpus: exact, by: text}
tokens: {tokenizer: {train: {vocab_size: 300}}, sequence_length: 64, validation: 0}
"""


@pytest.fixture
def pages(tmp_path):
    lines = (json.dumps({"text": f"Story {number} of many. " * 20}) for number in range(60))
    (tmp_path / "pages.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path / "pages.jsonl"


def recipe(tmp_path, mixture):
    path = tmp_path / "mixing.yaml"
    path.write_text(RECIPE + f"mixture: {mixture}\n")
    return str(path)


@pytest.mark.spark
def test_a_budget_out_of_reach_costs_the_mixture_only(run_over, pages, tmp_path):
    out = tmp_path / "run"
    with pytest.raises(MixtureError, match="tokens are missing.*Everything else of the run is written") as caught:
        run_over(pages, out, recipe=recipe(tmp_path, "{budget_tokens: 1_000_000_000, sources: {web: 1.0}}"))
    assert f"curate mix solve FILE --run {out}" in str(caught.value)
    for name in ("manifest.json", "funnel.json", "report.html", "tokens/summary.json"):
        assert (out / name).is_file()
    assert not (out / "mixture.json").exists()

    own = tmp_path / "own.yaml"
    own.write_text("sources: {web: 1.0}\n")
    done = CliRunner().invoke(app, ["mix", "solve", str(own), "--run", str(out), "--out", str(out / "mixture.json")])
    assert done.exit_code == 0, done.output
    tokens = json.loads((out / "tokens" / "summary.json").read_text())["tokens"]["web"]["train"]
    assert json.loads((out / "mixture.json").read_text())["sources"]["web"]["tokens"] == tokens


def test_a_mixture_of_unknown_sources_stops_before_spark(pages, tmp_path):
    def never():
        raise AssertionError("Spark was started")

    wrong = load_recipe(recipe(tmp_path, "{sources: {web: 0.5, wikki: 0.5}}"))
    with pytest.raises(MixtureError, match="the mixture names 'wikki'"):
        run_recipe(never, wrong, [Source(where=str(pages), source="web")], tmp_path / "run")
    assert not (tmp_path / "run").exists()
