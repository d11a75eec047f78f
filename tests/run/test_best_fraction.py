"""A whole run that scores and keeps the best third: exact share, books, manifest, the same however it is cut."""

from __future__ import annotations

import json

import pytest

from curation.document import named_values
from curation.quality.examples import Example
from curation.quality.learners import FastText
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Source
from curation.run.folder import read_json
from curation.run.run import run_recipe
from curation.run.what_if import what_if
from curation.sample.truth import read_truth
from tests.run.conftest import table

pytestmark = pytest.mark.spark

RECIPE = """
name: best_third
version: 1
source: test
stages:
  - text:    {{extract: resiliparse}}
  - quality: {{annotate: quality.fasttext, model: {model}, into: quality}}
  - best:    {{corpus: top_fraction, score: quality, keep_fraction: 0.3, scope: snapshot}}
"""


@pytest.fixture(scope="module")
def recipe(crawl, tmp_path_factory):
    """The recipe with a model that was trained on the crawl's own good and bad pages."""
    folder = tmp_path_factory.mktemp("best")
    pages = read_truth(crawl / "truth.jsonl").pages
    texts = [Example("\n".join(page.paragraphs), "", 1) for page in pages if page.paragraphs]
    texts += [Example(text, "", 0) for page in pages for text in page.boilerplate]
    FastText(epochs=10, learning_rate=0.5, dimensions=4).fit(texts, False, folder / "model.bin")
    (folder / "best.yaml").write_text(RECIPE.format(model=folder / "model.bin"))
    return folder / "best.yaml"


def scores(folder) -> dict[int, float]:
    parts = [folder.curated, *sorted(folder.root.glob("documents/pass-*/alive=false"))]
    rows = table(*parts)
    values = named_values(rows["scores"].combine_chunks(), "quality").to_pylist()
    return dict(zip(rows["doc_id"].to_pylist(), values, strict=True))


@pytest.fixture(scope="module")
def one(recipe, run_over, crawl, tmp_path_factory):
    return run_over(crawl, tmp_path_factory.mktemp("one") / "run", recipe=recipe)


def test_best_fraction_is_exact_and_the_books_and_the_manifest_say_so(one):
    manifest = read_json(one.folder.manifest)
    decision = manifest["decisions"]["best"]
    (stage,) = [s for s in one.funnel["stages"] if s["stage"] == "best"]
    assert stage["kept"] == sum(group["kept"] for group in decision["groups"].values())
    for group in decision["groups"].values():
        assert abs(group["kept"] - 0.3 * group["pages"]) <= 0.5
    assert [reason["reason"] for reason in stage["reasons"]] == ["best.below_threshold"]
    assert set(manifest["models"]) == {"quality.model"}
    dead = table(*sorted(one.folder.root.glob("documents/pass-*/alive=false"))).to_pylist()
    below = [row for row in dead if row["dropped_by"] == "best.below_threshold"]
    assert len(below) == stage["dropped"]
    lowest = {name.partition("/")[2]: group["threshold"] for name, group in decision["groups"].items()}
    assert all(float(row["dropped_value"]) <= lowest[row["snapshot"]] * 1.00001 for row in below)
    assert "best.below_threshold" in (one.folder.root / "report.html").read_text()


def test_scores_and_survivors_are_the_same_however_the_work_is_cut(one, recipe, run_over, crawl, tmp_path):
    other = run_over(crawl, tmp_path / "other", recipe=recipe, split_size=20_000, partitions=3)
    assert scores(other.folder) == scores(one.folder)
    assert table(other.folder.curated).equals(table(one.folder.curated))
    assert json.dumps(read_json(other.folder.manifest)["decisions"]) == json.dumps(
        read_json(one.folder.manifest)["decisions"]
    )


def test_annotate_run_drops_none_and_its_what_if_gives_the_real_funnel(one, recipe, spark, crawl, tmp_path):
    marked = run_recipe(lambda: spark, load_recipe(recipe, annotate=True), [Source(where=str(crawl))], tmp_path / "run")
    assert marked.funnel["stages"][-1]["dropped"] == 0
    funnels = (what_if(marked.folder, []).before, one.funnel["stages"])
    best = [next(stage for stage in funnel if stage["stage"] == "best") for funnel in funnels]
    assert best[0]["reasons"] == best[1]["reasons"]
    assert best[0]["kept"] == best[1]["kept"]
