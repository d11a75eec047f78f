"""Bounds by language in whole runs: an annotate run answers for them as for other bounds, and signals are stored."""

from __future__ import annotations

import pytest

from curation.recipe.load import load_recipe
from curation.recipe.run_files import Source
from curation.run.run import run_recipe
from curation.run.what_if import what_if
from tests.run.conftest import table

pytestmark = pytest.mark.spark
RECIPE = """
name: mine
version: 1
source: none
stages:
  - visible:   {measure: [{html.visible_character_count: {}}]}
  - main_text: {extract: resiliparse}
  - language:  {annotate: language.fasttext, into: [language, language_score]}
  - wanted:
      keep_if:
        - characters.letter_count: {name: too_short_to_label, min: 20}
        - language_score: {}
        - gopher_quality.word_count: {min: 50}
      by_language:
        eng: {labels: [en], language_score: {min: 0.5}, word_count: {min: 200}}
        zho: {labels: [zh], language_score: {min: 0.5}}
"""


def test_annotate_run_knows_the_funnel_of_bounds_by_language(spark, crawl, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(RECIPE)
    sources, moved = [Source(where=str(crawl))], ["wanted.eng.word_count.min=400"]
    annotated = run_recipe(lambda: spark, load_recipe(path, annotate=True), sources, tmp_path / "annotated")
    real = run_recipe(lambda: spark, load_recipe(path, moved), sources, tmp_path / "real")
    answer = what_if(annotated.folder, moved)
    expected = real.funnel["stages"][-1]
    assert {key: answer.after[-1][key] for key in ("kept", "reasons")} == {
        key: expected[key] for key in ("kept", "reasons")
    }
    assert answer.before != answer.after
    reasons = {reason["reason"] for reason in expected["reasons"]}
    assert {"wanted.unsupported_language", "wanted.word_count"} <= reasons
    kept = table(real.folder.curated)
    assert set(kept["language"].to_pylist()) == {"en", "zh"}
    assert all(dict(signals)["visible_character_count"] > 0 for signals in _pairs(kept))


def _pairs(kept):
    for signals in kept["signals"].to_pylist():
        yield [(pair["key"], pair["value"]) if isinstance(pair, dict) else pair for pair in signals]
