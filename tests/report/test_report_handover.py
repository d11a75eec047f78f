"""Tokens, compression and mixture in the report: the figures of their files, whole, and a word for what is absent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from curation.report import write_report
from curation.report.handover import mixture_rows, mixture_worth, phase_bar, phase_rows, token_rows
from curation.report.numbers import percent, short
from curation.report.tokenizer import judged_sentences, rates_by, rungs, training_sentences, warnings
from tests.report.cells import Cells
from tests.report.fake_run import MIXTURE, TOKENIZER, TOKENS, write_fake_run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_fake_run(folder, pages=60)
    return folder


@pytest.fixture(scope="module")
def page(run) -> Cells:
    return Cells(write_report(run).read_text(encoding="utf-8"))


def _without(run: Path, copy: Path, name: str, content: object = None) -> Cells:
    """The report of a run without a file, or with another content of it."""
    shutil.copytree(run, copy)
    (copy / name).unlink()
    if content is not None:
        (copy / name).write_text(json.dumps(content))
    return Cells(write_report(copy).read_text(encoding="utf-8"))


def test_every_source_of_every_phase_stands_with_what_was_asked_and_met(page):
    assert len(MIXTURE["phases"]) == 2
    for phase in MIXTURE["phases"]:
        tokens, share = short(phase["budget_tokens"]), percent(phase["budget_tokens"], 1_000_000_000)
        rows = page.under(f"{phase['name']} \u00b7 {tokens} tokens, {share} of the run")
        assert f"sequences of {phase['sequence_length']:,} tokens" in page.text
        assert sorted(rows[1:]) == sorted(
            [
                name + " synthetic" * (name == "stories"), "", percent(one["share_asked"], 1), percent(one["share"], 1),
                short(one["tokens"]), f"{one['epochs']:.2f}",
            ]
            for name, one in phase["sources"].items()
        )  # fmt: skip


def test_the_whole_run_stands_with_tokens_epochs_and_worth(page):
    worth = percent(MIXTURE["effective_tokens"], MIXTURE["budget_tokens"])
    assert worth != "100.0 %"
    rows = page.under(f"Mixture \u00b7 budget 1.00 B tokens, worth {worth} of as many fresh ones")
    assert sorted(rows[1:]) == sorted(
        [
            name + " synthetic" * (name == "stories"), "", percent(one["share_asked"], 1), percent(one["share"], 1),
            short(one["tokens_available"]), short(one["tokens"]), f"{one['epochs']:.2f}",
            percent(one["effective_tokens"], one["tokens"]),
        ]
        for name, one in MIXTURE["sources"].items()
    )  # fmt: skip
    assert len(MIXTURE["notes"]) >= 3 and all(note in page.text for note in MIXTURE["notes"])


def test_phases_follow_one_another_and_fill_the_budget():
    rows = phase_rows(MIXTURE)
    assert rows[0]["start"] == 0 and rows[-1]["end"] == MIXTURE["budget_tokens"]
    assert all(before["end"] == after["start"] for before, after in zip(rows, rows[1:], strict=False))
    assert phase_bar(rows).count("<rect") == 2


def test_sources_that_give_less_than_asked_are_marked():
    told = {row["name"]: row["short"] for row in mixture_rows(MIXTURE["phases"][1])}
    short_of = {n for n, one in MIXTURE["phases"][1]["sources"].items() if one["share"] < one["share_asked"] - 0.001}
    assert {name for name, marked in told.items() if marked} == short_of == {"stories", "wiki"}


@pytest.mark.parametrize(
    "mixture",
    [
        None,
        {"sources": {}},
        {"sources": {"web": {"share": 1.0}}},
        {"sources": {"web": {"share": 0.0, "tokens": 0, "effective_tokens": 0, "epochs": None}}, "budget_tokens": 0},
    ],
    ids=["none", "empty", "only-a-share", "zero"],
)
def test_a_mixture_of_few_words_is_shown_as_far_as_it_goes(run, tmp_path, mixture):
    assert phase_rows(mixture) == [] and phase_bar([]) is None and mixture_worth(mixture) is None
    page = _without(run, tmp_path / "copy", "mixture.json", mixture)
    assert "Phases" not in page.text
    assert ("No mixture.json" in page.text) == (mixture is None)


def test_packing_stands_by_source_and_split(page):
    assert page.under("Tokens written")[1:] == [
        ["web", "train", "681", "284 k", "2", "71", "2.2 %", "34", "5.0 %", "3"],
        ["web", "validation", "5", "291", "1", "1", "92.9 %", "0", "0.0 %", "0"],
    ]
    assert "Packing best_fit, rows of 4,096 tokens" in page.text
    assert f"Tokenizer of 32,000 tokens, sha256 {TOKENS['sha256']}" in page.text


def test_padding_means_nothing_where_a_row_is_a_document(run, tmp_path):
    assert [row["padding"] for row in token_rows({**TOKENS, "packing": "none"})] == ["\u2013", "\u2013"]
    page = _without(run, tmp_path / "copy", "tokens/summary.json", {**TOKENS, "packing": "none"})
    assert "a row is a whole document" in page.text and "Padding is what" not in page.text


def test_a_summary_of_an_earlier_version_leaves_dashes(run, tmp_path):
    few = {key: TOKENS[key] for key in ("tokens", "documents", "sha256")}
    (row, _) = token_rows(few)
    assert (row["tokens"], row["rows"], row["cut"], row["padding"]) == (284_402, None, None, "\u2013")
    page = _without(run, tmp_path / "copy", "tokens/summary.json", few)
    assert page.under("Tokens written")[1] == ["web", "train", "681", "284 k", *["\u2013"] * 6]
    assert "holds no compression figures" in page.text


def test_compression_stands_by_language_and_source(page):
    rows = [row for row in page.under("Compression of the tokenizer") if row[0] not in ("Language", "Source")]
    assert [row[0] for row in rows] == ["en", "de", "zh", "web"]
    for name, _, *rates in rows:
        told = TOKENS["compression"].get(name) or TOKENS["compression_by_source"][name]
        assert rates == [f"{told['chars_per_token']:.2f}", f"{told['bytes_per_token']:.2f}"]


def test_many_languages_are_folded_not_lost(run, tmp_path):
    many = {f"l{n:02d}": {"chars_per_token": 5 - n / 10, "bytes_per_token": 5.0} for n in range(40)}
    page = _without(run, tmp_path / "copy", "tokens/summary.json", {**TOKENS, "compression": many})
    shown, folded = page.under("Compression of the tokenizer")[1:], page.under("28 more languages")[1:]
    assert [row[0] for row in shown if row[0].startswith("l")] == list(many)[:12]
    assert [row[0] for row in folded if row[0].startswith("l")] == list(many)[12:]


def test_the_ladder_of_vocabularies_goes_up_and_names_this_one(page):
    found = rungs(TOKENIZER)
    names = {16_000: "", 32_000: "this one", 128_000: "llama/tokenizer.json"}
    assert {one.vocab_size: one.told for one in found} == names and [*names] == [one.vocab_size for one in found]
    rates = [TOKENIZER["compression"][one.key]["all"] for one in found]
    assert page.under("Sizes of vocabulary")[1:] == [
        [f"{size:,}", told, f"{rate['chars_per_token']:.2f}", f"{rate['bytes_per_token']:.2f}"]
        for (size, told), rate in zip(names.items(), rates, strict=True)
    ]
    assert "Measured on 14 documents, 9,810 bytes, held out from training." in page.text
    assert "sample not weighted: no tokens of wiki." in page.text.lower()


def test_the_ladder_stands_by_language_too(page):
    head, *rows = page.under("Characters per token by language")
    assert head[2:5] == ["16,000", "32,000 this one", "128,000 llama/tokenizer.json"]
    for row, expected in zip(rows, rates_by(TOKENIZER, "language"), strict=True):
        figures = [f"{rate:.2f}" for rate in (*expected["rates"], expected["bytes_per_token"])]
        assert row == [expected["name"], percent(expected["share"], 1), *figures]


def test_groups_of_the_ladder_are_those_of_most_bytes_first():
    rows = rates_by(TOKENIZER, "language")
    assert [row["name"] for row in rows] == ["en", "zh", "de"]
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    for row in rows:
        for rate, key in zip(row["rates"], ("16,000", "this", "llama/tokenizer.json"), strict=True):
            assert rate == TOKENIZER["compression"][key]["language"][row["name"]]["chars_per_token"]
    assert rates_by({"compression": {"other": TOKENIZER["compression"]["this"]}}, "language") == []


def test_a_run_without_a_tokenizer_report_says_so(run, tmp_path):
    page = _without(run, tmp_path / "copy", "tokens/tokenizer_report.json")
    assert "No tokens/tokenizer_report.json" in page.text
    assert rungs(None) == rates_by(None, "source") == warnings(None) == []


def test_sentences_name_what_is_too_small_and_what_cannot_be_reached():
    told = {**TOKENIZER, "sample": {**TOKENIZER["sample"], "wiki": {**TOKENIZER["sample"]["web"], "share_asked": 0.2}}}
    told["training"] = {**TOKENIZER["training"], "largest_vocabulary": 9_313}
    told["notes"] = []
    assert judged_sentences(told)[1] == "too small to hold text out: wiki"
    assert training_sentences(told)[1].endswith("counted 1 time, 100.0% of the whole (20.0% asked for)")
    assert warnings(told) == ["the texts allow 9,313 tokens, no more"]
    assert judged_sentences({}) == training_sentences({"sample": None, "training": None}) == []
