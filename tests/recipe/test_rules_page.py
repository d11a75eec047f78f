"""docs/rules.md says what the code says."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from curation.conf import conf_folder
from curation.recipe.catalog import functions
from curation.recipe.load import load_recipe
from curation.recipe.rules_page import PAGE, rules_page, unit_of

ROOT = Path(__file__).resolve().parents[2]


def test_page_of_rules_is_up_to_date():
    assert (ROOT / PAGE).read_text(encoding="utf-8") == rules_page(), "stale: run `make docs`"


@pytest.mark.parametrize("measure", functions("keep_if"))
def test_every_measure_names_its_unit_and_its_source(measure):
    assert unit_of(measure)
    assert "Source:" in inspect.getdoc(functions("keep_if")[measure])


@pytest.mark.parametrize("path", sorted((conf_folder() / "rules").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_rule_list_builds_and_cites_a_source_at_its_head(path, tmp_path):
    recipe = tmp_path / "mine.yaml"
    verb = "measure" if path.stem == "redpajama2" else "keep_if"
    table = ", by_language: languages/fineweb2" if path.stem == "fineweb2" else ""
    recipe.write_text(
        "name: mine\nversion: 1\nsource: none\nstages:\n"
        f"  - language: {{keep_if: [{{language_score: {{min: 0}}}}]{table}}}\n"
        f"  - rules: {{{verb}: rules/{path.stem}{table}}}\n"
    )
    assert load_recipe(recipe).stages[1].every_rule
    head = path.read_text(encoding="utf-8").partition("\n-")[0]
    assert head.startswith("#") and ("http" in head or "arXiv" in head or "config" in head)
