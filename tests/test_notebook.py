"""The notebook door: documents in, fates out, without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from curation import Page, explain, load_recipe, on_documents
from curation.errors import InputError
from curation.notebook import crawl_at_hand, decide, pages_of_crawl
from curation.sample.truth import read_truth

ROOT = Path(__file__).resolve().parent.parent

PROSE = (
    "The river had been quiet for most of the year. In March the water rose to the second step of the mill, and "
    "nobody in the village remembered a spring like that one. Children came with boats made of bark. The miller "
    "moved his flour to the loft with the help of two neighbours, who stayed for supper and told stories of older "
    "floods. By the end of the week the meadow was a lake, and that is where the herons decided to be."
)


def test_gopher_on_texts_gives_fates_without_spark():
    short, good, spam = on_documents(
        load_recipe("gopher"),
        [{"text": "The bees have gone to be with that."}, {"text": PROSE}, {"text": "buy cheap pills now " * 60}],
    )
    assert short["dropped_by"] == "gopher_quality.word_count"
    assert short["dropped_value"] == "8"
    assert good["dropped_by"] is None
    assert good["language"] == "en"
    assert spam["dropped_by"].startswith("gopher_")


def test_duplicates_among_the_documents_are_found_in_memory():

    fates = [d["dropped_by"] for d in on_documents(load_recipe("fineweb"), [{"text": PROSE}, {"text": PROSE}])]
    assert sorted(fates, key=str) == [None, "near_duplicates.duplicate"]


def test_html_is_extracted():
    page = f"<html><body><nav>Home | Shop</nav><article><p>{PROSE}</p></article></body></html>"
    (document,) = on_documents(load_recipe("text"), [{"html": page}])
    assert document["text"] == PROSE


def test_document_without_text_is_refused_by_number():
    with pytest.raises(InputError, match="document 1 has neither 'text' nor 'html'; its keys: body"):
        on_documents(load_recipe("gopher"), [{"text": "x"}, {"body": "y"}])


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ("text", r"a list of dicts with 'text', is 'text' \(str\)"),
        ({"text": "x"}, r"a list of dicts with 'text', is {'text': 'x'} \(dict\): put it into a list"),
        (None, r"is None \(NoneType\)"),
        (["x"], r"document 0 is 'x' \(str\): give a dict"),
        ([{"text": "x"}, {"text": 5}], r"document 1: 'text' is 5 \(int\): it must be text"),
        ([{"text": b"x"}], r"document 0: 'text' is b'x' \(bytes\): decode it first"),
        ([{"html": b"x"}], r"document 0: 'html' is b'x' \(bytes\): decode it first"),
        ([{"text": "x", "url": 5}], r"document 0: 'url' is 5 \(int\)"),
        ([{"text": "x", "doc_id": "a"}], r"document 0: 'doc_id' is 'a' \(str\): it must be an integer, or left out"),
        ([{"text": "x", "doc_id": 2**63}], "document 0: 'doc_id' is 9223372036854775808: it must fit into 64 bits"),
        ([{"text": "x", "language_score": "hi"}], "'language_score' is 'hi' .*: it must be a number, or left out"),
        ([{"text": "x", "doc_id": 1}, {"text": "y", "doc_id": 1}], "documents 0 and 1 both have the doc_id 1"),
        ([{"text": None}], "document 0 has neither 'text' nor 'html'; its keys: text"),
    ],
)
def test_what_is_no_document_is_refused_by_number_value_and_type(documents, said):
    with pytest.raises(InputError, match=said):
        on_documents(load_recipe("dedup"), documents)


def test_documents_may_have_the_smallest_and_largest_id_and_no_document_is_none():
    ids = [-(2**63), 2**63 - 1]
    found = on_documents(load_recipe("dedup"), [{"text": f"{PROSE} {i}", "doc_id": i} for i in ids])
    assert [document["doc_id"] for document in found] == ids
    assert on_documents(load_recipe("dedup"), []) == []


def test_half_a_surrogate_pair_in_a_document_costs_nothing():
    (document,) = on_documents(load_recipe("fineweb"), [{"text": PROSE + " \ud800"}])
    assert document["error"] is None and document["language"] == "en"


def test_what_is_no_recipe_or_no_page_is_refused_with_what_to_give():
    with pytest.raises(InputError, match=r"the recipe is 'gopher' \(str\): give load_recipe"):
        on_documents("gopher", [{"text": "x"}])
    with pytest.raises(InputError, match=r"the recipe is 'gopher' \(str\): give load_recipe"):
        explain("gopher", Page("x"))
    with pytest.raises(InputError, match=r"the page is 'x' \(str\): give Page"):
        explain(load_recipe("gopher"), "x")


def test_explain_names_the_language_only_where_a_stage_finds_it():
    found = explain(load_recipe("fineweb"), Page(PROSE))
    assert [finding.stage for finding in found if finding.rule == "language"] == ["language", "english"]
    assert next(finding for finding in found if finding.stage == "pii").value == f"{len(PROSE)} -> {len(PROSE)}"


def test_explain_shows_every_rule_passing_and_failing():
    findings = explain(load_recipe("gopher"), Page("Too short."))
    by_rule = {(f.stage, f.rule): f for f in findings}
    assert by_rule["gopher_quality", "word_count"].passed is False
    assert by_rule["gopher_quality", "mean_word_length"].passed is True
    assert by_rule["gopher_repetition", "duplicate_line_fraction"].passed is True  # shown although a rule before failed
    assert by_rule["near_duplicates", "duplicate"].passed is None


def test_the_door_imports_no_pyspark():
    code = (
        "import sys; from curation import load_recipe, on_documents; "
        "on_documents(load_recipe('fineweb'), [{'text': 'a b c'}]); sys.exit('pyspark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_small_crawl_in_memory_and_what_a_stage_decides_about_it(tmp_path, monkeypatch):
    monkeypatch.delenv("CURATION_REAL_DATA", raising=False)
    crawl = crawl_at_hand(tmp_path / "crawl")
    recipe = load_recipe(ROOT / "notebooks" / "near_duplicates.yaml")
    pages = pages_of_crawl(recipe, crawl, snapshots=["DEMO-2024-10"])
    truth = [page for page in read_truth(crawl / "truth.jsonl").pages if page.snapshot == "DEMO-2024-10"]
    assert {page.url for page in pages} == {page.url for page in truth}
    assert {page.snapshot for page in pages} == {"DEMO-2024-10"}
    assert all(page.html is None for page in pages)
    good = {page.url for page in truth if page.role == "good"}
    assert good <= {page.url for page in pages if page.alive and page.text}
    assert any(page.dropped_by == "read.http_status" for page in pages)
    copies = {page.url: page.original_url for page in truth if page.role == "exact_copy"}
    decision = decide(recipe.stages[-1], pages)
    url_of = {page.doc_id: page.url for page in pages}
    together = {url_of[row["doc_id"]]: row["cluster_id"] for row in decision.clusters.to_pylist()}
    assert all(together[copy] == together[original] for copy, original in copies.items())
    assert all(page.dropped_by != "near_duplicates.duplicate" for page in pages)  # deciding changes no page


def test_real_pages_that_are_not_there_are_an_error_with_the_name(tmp_path, monkeypatch):
    monkeypatch.setenv("CURATION_REAL_DATA", str(tmp_path))
    with pytest.raises(InputError, match=f"{tmp_path}, which holds no folder snapshots/"):
        crawl_at_hand(tmp_path / "crawl")
    (tmp_path / "snapshots").mkdir()
    assert crawl_at_hand(tmp_path / "crawl") == tmp_path / "snapshots"
    assert not (tmp_path / "crawl").exists()
