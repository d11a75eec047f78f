"""A run with stages that cut texts: books balance, texts are cut where they lie, and the notebook door agrees."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.dataset as ds
import pytest

from curation import load_recipe, on_documents
from curation.dedup.stages import CUTS
from tests.run.conftest import table

RECIPE = """
name: cutting
version: 1
source: none
stages:
  - copies:  {corpus: exact, by: text}
  - menus:   {corpus: lines, more_than: 3, min_chars: 12}
  - repeats: {corpus: substrings, length: 20}
  - enough:  {keep_if: [{chars: {min: 40}}]}
"""


def documents() -> list[dict]:
    """Pages under one of two menus, some with a passage that others have; a page of menu only, one of little more."""
    random = np.random.default_rng(3)
    words = ["".join(random.choice(list("abcdefgh\u00e9\u6c34"), size=6)) for _ in range(3000)]
    passage = " ".join(random.choice(words, 30))
    made = []
    for number in range(24):
        story = " ".join(random.choice(words, 40))
        told = f" {passage}." if number % 3 == 0 else "."
        made.append({"text": f"Home \U0001f3e0\nMenu {number % 2}\n{story}{told}\nThe end of {number}"})
    made += [{"text": text} for text in ("Home \U0001f3e0\n\nMenu 1", "Menu 1\nshort", passage, "nothing repeats here")]
    made.append(dict(made[0]))
    return [{"id": f"d{number}", **document} for number, document in enumerate(made)]


@pytest.mark.spark
def test_a_run_cuts_what_the_notebook_door_cuts_and_its_books_balance(run_over, tmp_path):
    (tmp_path / "cutting.yaml").write_text(RECIPE)
    source = tmp_path / "pages.jsonl"
    source.write_text("".join(json.dumps(document) + "\n" for document in documents()))
    result = run_over(source, tmp_path / "run", recipe=str(tmp_path / "cutting.yaml"), split_size=2_000)
    folder = result.folder
    assert len(folder.committed(0)) > 1, "the input is cut into units, or nothing is shown"
    dead = table(*sorted((folder.root / "documents").glob("pass-*/alive=false")))
    kept = table(folder.curated)

    text_of = {document["id"]: document["text"] for document in documents()}
    rows = [*kept.to_pylist(), *dead.to_pylist()]
    given = [{"doc_id": row["doc_id"], "text": text_of[row["record_id"]]} for row in rows]
    local = on_documents(load_recipe(str(tmp_path / "cutting.yaml")), given)
    for row, alone in zip(rows, local, strict=True):
        assert (row["dropped_by"], row["trail"]) == (alone["dropped_by"], alone["trail"])
        assert row["dropped_by"] is not None or row["text"] == alone["text"]

    fates = {row["record_id"]: row["dropped_by"] for row in rows}
    assert {fates["d0"], fates["d28"]} == {None, "copies.duplicate"}
    assert (fates["d24"], fates["d25"]) == ("menus.nothing_left", "menus.too_little_left")
    for row in kept.to_pylist():
        assert "Home" not in row["text"] and "Menu" not in row["text"]
    passage = text_of["d26"]
    assert sum(passage in row["text"] for row in kept.to_pylist()) == 1

    stages = {entry["stage"]: entry for entry in result.funnel["stages"]}
    cuts = ds.dataset(folder.cuts("menus")).to_table()
    assert cuts.schema.names == CUTS.names and set(cuts["stage"].to_pylist()) == {"menus"}
    assert stages["menus"]["chars_trimmed"] > 0 and stages["repeats"]["chars_trimmed"] > 0
    assert [stages[name]["kind"] for name in ("copies", "menus", "repeats", "enough")] == [*["corpus"] * 3, "page"]
