"""No planted item of personal data is left where people or models will see it: text, tokens, audit sample, report."""

from __future__ import annotations

import json
from html import unescape

import pyarrow.parquet as pq
import pytest

from curation.read.inputs import list_inputs
from curation.read.splits import plan_splits
from curation.recipe.load import load_recipe
from curation.run.folder import RunFolder
from curation.run.page_pass import PassPlan, run_unit
from curation.run.plan import cut_into_segments, plan_units
from curation.sample.truth import read_truth
from curation.tokens.shards import list_shards, read_documents
from curation.tokens.tokenizer import FrozenTokenizer
from tests.run.conftest import table

PLACES = {"url", "host", "warc_file", "record_id"}  # where a document comes from: kept, so that it can be found again


def planted(crawl, role):
    pages = [page for page in read_truth(crawl / "truth.jsonl").pages if page.role == role]
    return {item for page in pages for items in page.planted.values() for item in items}


def left_in(items, text):
    """Items found in a text, also when written without their spaces and hyphens."""
    squeezed = text.replace(" ", "").replace("-", "")
    return {item for item in items if item in text or item.replace(" ", "").replace("-", "") in squeezed}


@pytest.fixture(scope="module")
def items(crawl):
    found = planted(crawl, "pii") | planted(crawl, "pii_dropped")
    assert len(found) > 20
    return found


@pytest.mark.spark
def test_curated_text_holds_no_planted_item(finished, items):
    for column in set(table(finished.folder.curated).column_names) - PLACES:
        values = table(finished.folder.curated)[column].to_pylist()
        assert left_in(items, "\n".join(map(str, values))) == set(), column
    counts = [kind for found in table(finished.folder.curated)["pii"].to_pylist() for kind in found]
    assert {"email", "ip", "phone", "credential"} <= {kind["key"] for kind in counts}


@pytest.mark.spark
def test_tokens_decode_to_no_planted_item(finished, items):
    tokenizer = FrozenTokenizer.load(finished.folder.tokens / "tokenizer.json")
    texts = []
    for split in ("train", "validation"):
        for shards in list_shards(finished.folder.tokens, split).values():
            rows = (row for shard in shards for row in read_documents(shard.path, tokenizer))
            texts += [tokenizer.decode(ids) for _, ids in rows]
    assert len(texts) == len(table(finished.folder.curated))
    assert left_in(items, "\n".join(texts)) == set()


@pytest.mark.spark
def test_report_and_books_hold_no_planted_item(finished, items):
    for name in ("report.html", "funnel.json", "manifest.json", "mixture.json"):
        assert left_in(items, unescape((finished.folder.root / name).read_text("utf-8"))) == set(), name
    vocabulary = json.loads((finished.folder.tokens / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    assert not items & set(vocabulary)


def test_audit_sample_of_dropped_pages_holds_no_planted_item(crawl, tmp_path):
    """With every dropped page in the sample; the masking stage of the recipe stands behind the pages' drop."""
    recipe = load_recipe("sample")
    stages = cut_into_segments(recipe.stages)[0].page_stages
    (tmp_path / "run").mkdir()
    plan = PassPlan(
        root=str(tmp_path / "run"), segment=0, last=False, stages=stages, decided=(), corpus=(), audit_fraction=1.0,
        annotate=False,
    )  # fmt: skip
    inputs = list_inputs(str(crawl), source="web")
    rows = []
    for unit in plan_units(plan_splits(inputs, 1 << 30), 1 << 30, 1):
        run_unit(plan, unit)
        dead = RunFolder(tmp_path / "run").dead(0) / f"{unit.name}.parquet"
        rows += pq.read_table(dead).to_pylist()
    items = planted(crawl, "pii_dropped")
    held = [row for row in rows if row["url"].startswith("https://") and "/contact?to=" in row["url"]]
    assert len(held) >= 2
    assert all("email@example.com" in row["text"] for row in held)
    for column in set(rows[0]) - PLACES:
        assert left_in(items, "\n".join(str(row[column]) for row in rows)) == set(), column
