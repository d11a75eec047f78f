"""A run against an earlier one, sizes of clusters on what survived, and what is made of them afterwards."""

from __future__ import annotations

import json
import random

import pyarrow.parquet as pq
import pytest

from curation.dedup.sweep import Setting, sweep
from curation.document import named_values
from curation.errors import InputError
from curation.read.inputs import list_inputs
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Source
from curation.run.earlier import check_earlier
from curation.run.folder import read_json
from curation.run.rehydrate import rehydrate
from curation.run.run import run_recipe
from curation.run.stored import from_run, sampled_pairs
from curation.run.what_if import what_if
from tests.run.conftest import table

RECIPE = """
name: near
version: 1
source: none
stages:
  - near:   {corpus: minhash, scope: global, keep: first}
  - enough: {keep_if: [{chars: {min: 600}}]}
"""


def stories(count: int) -> list[str]:
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdefghij", k=6)) for _ in range(2000)]
    return [" ".join(draw.choices(words, k=90 + 10 * (n % 3))) for n in range(count)]


def write(path, texts: list[str], day: int) -> None:
    rows = [{"id": f"{path.stem}-{n}", "text": text, "date": f"2024-01-{day:02}"} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.spark
def test_what_an_earlier_run_has_seen_goes_and_cluster_sizes_become_copies(spark, run_over, tmp_path):
    (tmp_path / "near.yaml").write_text(RECIPE)
    recipe = str(tmp_path / "near.yaml")
    texts = stories(30)
    write(tmp_path / "one.jsonl", [*texts[:20], *(text + " again" for text in texts[:6])], day=1)
    write(tmp_path / "two.jsonl", [*(text + " once more" for text in texts[3:9]), *texts[20:], texts[25]], day=2)
    one = run_over(tmp_path / "one.jsonl", tmp_path / "one", recipe=recipe).folder
    two = run_over(tmp_path / "two.jsonl", tmp_path / "two", recipe=recipe, against=[tmp_path / "one"]).folder

    dead = table(two.dead(1))
    gone = [row["record_id"] for row in dead.to_pylist() if row["dropped_by"] == "near.duplicate"]
    assert sorted(gone) == ["two-0", "two-1", "two-16", "two-2", "two-3", "two-4", "two-5"]
    kept_of = {f"of {doc_id}" for doc_id in table(one.curated)["doc_id"].to_pylist()}
    assert {row["dropped_value"] for row in dead.to_pylist() if row["record_id"] in gone[:6]} <= kept_of | {
        f"of {doc_id}" for doc_id in table(two.curated)["doc_id"].to_pylist()
    }
    sizes = named_values(table(two.curated)["signals"].combine_chunks(), "near.cluster_size").to_pylist()
    assert [size for size in sizes if size] == [2.0]

    weights = pq.read_table(rehydrate(one, "near")).to_pylist()
    curated = dict(zip(*(table(one.curated)[name].to_pylist() for name in ("doc_id", "record_id")), strict=True))
    copies = {curated[row["doc_id"]]: row["copies"] for row in weights}
    copied = {f"one-{n}" for n in (*range(6), *range(20, 26))}
    assert copies == {name: 2 if name in copied else 1 for name in curated.values()} and len(copies) == 20
    with pytest.raises(InputError, match="no corpus stage 'nea'; it has near"):
        rehydrate(one, "nea")

    annotate = load_recipe(recipe, annotate=True)
    all_values = run_recipe(
        lambda: spark, annotate, [Source(where=str(tmp_path / "two.jsonl"))], tmp_path / "all", against=[one.root]
    )
    (_, near, enough) = what_if(all_values.folder, []).before
    real = read_json(two.funnel)["stages"]
    assert [near["dropped"], enough["pages_in"], enough["kept"]] == [7, real[2]["pages_in"], real[2]["kept"]]

    settings = [Setting(5, 14, 8), Setting(5, 28, 4)]
    material = from_run(one, "near", settings)
    for outcome in sweep(settings, material.signed, sampled_pairs(material, 100), 0.75):
        assert (outcome.pairs, outcome.clusters, outcome.removed, outcome.recall) == (6, 6, 6, 1.0)
    with pytest.raises(InputError, match="stored 112 hashes of 5-grams"):
        from_run(one, "near", [Setting(5, 20, 8)])

    for wrong, given, message in (
        (["near.ngram=3"], "two.jsonl", "has ngram 5 there and 3 here"),
        (["near.scope=snapshot"], "two.jsonl", "no corpus stage of scope global"),
        ([], "one.jsonl", "read one.jsonl of web  too"),
    ):
        with pytest.raises(InputError, match=message):
            check_earlier([one.root], load_recipe(recipe, wrong), list_inputs(str(tmp_path / given)))
    with pytest.raises(InputError, match="no run folder"):
        check_earlier([tmp_path], load_recipe(recipe), [])
