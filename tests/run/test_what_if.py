"""An annotate run keeps every value; its what-if gives the funnels that real runs with those bounds give."""

from __future__ import annotations

import pytest

from curation.errors import InputError, RecipeError
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Source
from curation.run.run import run_recipe
from curation.run.what_if import what_if
from tests.run.conftest import table

pytestmark = pytest.mark.spark
MOVED = ["gopher_quality.word_count.min=200", "gopher_repetition.top_2gram_character_fraction.max=0.1",
         "wanted_language.language.in=[en, de]"]  # fmt: skip
# Columns are rules too: language and its score are bounds on columns, the others on measures.


@pytest.fixture(scope="module")
def annotated(spark, crawl, tmp_path_factory):
    out = tmp_path_factory.mktemp("annotated") / "run"
    return run_recipe(lambda: spark, load_recipe("sample", annotate=True), [Source(where=str(crawl))], out)


def counts(funnel):
    keys = ("stage", "pages_in", "kept", "dropped", "failed", "chars_in", "chars_out", "chars_dropped", "reasons")
    return [{key: entry[key] for key in keys} for entry in funnel]


def test_annotate_run_drops_nothing_by_rule_and_stores_every_value(annotated):
    kept = table(annotated.folder.curated)
    by_rule = [
        s for s in annotated.funnel["stages"] if s["stage"].startswith(("gopher", "wanted", "exact", "near", "url"))
    ]
    assert all(stage["dropped"] == 0 for stage in by_rule)
    recipe = load_recipe("sample")
    expected = {
        f"{stage.name}.{rule.name}"
        for stage in recipe.stages
        for rule in getattr(stage, "rules", ())
        if rule.allowed is None
    }
    for signals in kept["signals"].to_pylist():
        assert expected <= {pair["key"] for pair in signals}


def test_what_if_without_change_is_the_funnel_of_the_real_run(annotated, finished):
    answer = what_if(annotated.folder, [])
    assert counts(answer.before) == counts(finished.funnel["stages"])
    assert answer.before == answer.after


def test_what_if_with_moved_bounds_is_the_funnel_of_a_real_run_with_them(annotated, run_over, crawl, tmp_path):
    real = run_over(crawl, tmp_path / "run", overrides=[*MOVED, "tokens.validation=0"])
    answer = what_if(annotated.folder, MOVED)
    assert counts(answer.after) == counts(real.funnel["stages"])
    assert counts(answer.after) != counts(answer.before)


def test_what_if_moves_bounds_only(annotated, finished):
    with pytest.raises(RecipeError, match="need a new run"):
        what_if(annotated.folder, ["near_duplicates.bands=20"])
    with pytest.raises(RecipeError, match="did you mean 'word_count'"):
        what_if(annotated.folder, ["gopher_quality.word_cout.min=3"])
    with pytest.raises(InputError, match="--annotate"):
        what_if(finished.folder, [])
