"""What a run says its cascade cost: counted from its documents, estimated from the audited share."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.document import to_batch
from curation.extract.cascade import NOTE
from curation.page import Page
from curation.report.cascade import cascade_sentence
from curation.run.folder import read_json
from curation.run.loss import count_cascade_of, estimate_loss
from tests.run.conftest import table


@pytest.mark.parametrize(
    ("counts", "lost", "loss"),
    [((900, 100, 2, 180), 18.0, 18 / 198), ((900, 100, 0, 180), 0.0, 0.0), ((900, 0, 0, 180), None, None)],
    ids=["some", "none seen", "no audit"],
)
def test_loss_by_hand(counts, lost, loss):
    found = estimate_loss(*counts)
    assert (found["lost"], found["loss"]) == (lost, loss)


def test_bound_without_a_survivor_is_the_rule_of_three():
    found = estimate_loss(given_up=1_000_000, audited=10_000, audited_kept=0, kept=10**6)
    rate = found["loss_at_most"] / (1 - found["loss_at_most"])  # lost pages for each one kept, and for each given up
    assert rate == pytest.approx(3 / 10_000, rel=0.01)


@given(st.integers(0, 10**6), st.integers(1, 10**4), st.integers(0, 10**4), st.integers(0, 10**6))
def test_bound_is_never_below_the_estimate(given_up, audited, survived, kept):
    survived = min(survived, audited)
    found = estimate_loss(given_up, audited, survived, survived + kept)
    assert 0 <= found["loss"] <= found["loss_at_most"] <= 1


def test_counts_of_files_are_those_of_their_pages(tmp_path):
    kept, audited, both, given_up = Page("a"), Page("b", dropped_by="url.soft"), Page("c"), Page("d")
    audited.notes[NOTE] = both.notes[NOTE] = "language"
    given_up.drop("main_text", "cascade_language")
    for name, rows in (("x", [kept, audited]), ("y", [both, given_up, given_up]), ("z", [])):
        pq.write_table(pa.Table.from_batches([to_batch(rows)]), tmp_path / f"{name}.parquet")
    assert count_cascade_of(sorted(tmp_path.glob("*.parquet"))) == estimate_loss(2, 2, 1, 2)


def test_sentence_names_counts_and_bound():
    assert cascade_sentence({}) is None
    sentence = cascade_sentence({"cascade": estimate_loss(9_900, 100, 0, 5_000)})
    for figure in ("9,900", "100 more", "0 of them", "0.00 %", "5.5"):
        assert figure in sentence
    assert "loss is unknown" in cascade_sentence({"cascade": estimate_loss(9, 0, 0, 5)})


RECIPE = """
name: english
version: 1
source: written for this test
stages:
  - main_text: {extract: trafilatura, cascade: {audit: 0.3}}
  - language:  {annotate: language.fasttext, into: [language, language_score]}
  - english:   {keep_if: [{language: {in: [en]}}, {language_score: {min: 0.5}}]}
  - quality:   {keep_if: [{gopher_quality.word_count: {min: 50}}]}
"""


@pytest.mark.spark
def test_run_with_a_cascade_keeps_what_the_plain_one_keeps_and_reports_its_loss(run_over, crawl, tmp_path):
    recipe = tmp_path / "english.yaml"
    recipe.write_text(RECIPE)
    plain = run_over(crawl, tmp_path / "plain", recipe, ["main_text.cascade=false"])
    fast = run_over(crawl, tmp_path / "fast", recipe)
    kept = [table(run.folder.curated).select(["doc_id", "text"]) for run in (plain, fast)]
    assert kept[0].equals(kept[1])
    loss = read_json(fast.folder.funnel)["cascade"]
    reasons = [r for stage in fast.funnel["stages"] for r in stage["reasons"] if ".cascade_" in r["reason"]]
    assert loss["given_up"] == sum(r["pages"] for r in reasons) > 20
    assert loss["audited"] > 5
    assert (loss["audited_kept"], loss["loss"]) == (0, 0.0)
    assert "Estimated loss 0.00 %" in (fast.folder.root / "report.html").read_text()
    assert "cascade" not in plain.funnel
