"""Training from the command line: a model that works, a report about hosts it never saw, words that decide."""

from __future__ import annotations

import html
import json
import random
import re

import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.page import Page
from curation.score.quality import fasttext

FAST = ["--epochs", "30", "--learning-rate", "0.5", "--dimensions", "4"]
GOOD = ["river", "spring", "mill", "village", "herons", "meadow", "because", "water"]
BAD = ["cheap", "buy", "pills", "discount", "order", "price", "now", "click"]


def rows(words, count, seed, **also):
    draw = random.Random(seed)
    return [
        {"text": " ".join(draw.choices([*words, "the", "and"], k=40)), "url": f"http://h{n % 25}.org/{n}"} | also
        for n in range(count)
    ]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.fixture
def curate():
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_two_classes_give_a_model_and_a_report(tmp_path, curate):
    good, bad = write(tmp_path / "g.jsonl", rows(GOOD, 120, 1)), write(tmp_path / "b.jsonl", rows(BAD, 150, 2))
    result = curate("train-quality", "--positive", good, "--negative", bad, "--out", tmp_path / "q", *FAST)
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "q" / "report.json").read_text())
    assert report["auc"] > 0.99
    assert report["held_out"]["texts"] + report["trained_on"]["texts"] == 270
    assert report["held_out"]["hosts"] + report["trained_on"]["hosts"] == 25
    for side, taught in (("for", GOOD), ("against", BAD)):
        assert {row["word"] for row in report["words"][side][:6]} < set(taught)
    model = tmp_path / "q" / "model.bin"
    assert fasttext([Page("the river and the mill")], model=str(model))[0][0] > 0.9
    assert f"annotate: quality.fasttext, model: {model}" in result.output.replace("\n", "")


def test_report_page_is_complete_in_itself_and_trusts_no_word(tmp_path, curate):
    trap = "<script>alert(1)</script>"
    good = [row | {"text": f"{row['text']} {trap}"} for row in rows(GOOD, 100, 1)]
    places = [write(tmp_path / "g.jsonl", good), write(tmp_path / "b.jsonl", rows(BAD, 100, 2))]
    curate("train-quality", "--positive", places[0], "--negative", places[1], "--out", tmp_path / "q", *FAST)
    page = (tmp_path / "q" / "report.html").read_text()
    assert "<script" not in page
    assert not re.search(r"(src|href)\s*=", page)
    assert page.count("<svg") == 4
    for title in ("ROC", "Precision and recall", "Calibration", "Words that decide"):
        assert title in page
    assert html.escape("herons") in page


def test_ratings_give_a_model_that_rates(tmp_path, curate):
    rated = rows(GOOD, 120, 1, rating="Clear.\nRating: 5") + rows(BAD, 120, 2, rating=0) + rows(BAD, 3, 3, rating=None)
    result = curate("train-quality", "--ratings", write(tmp_path / "r.jsonl", rated), "--out", tmp_path / "q", *FAST)
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "q" / "report.json").read_text())
    assert report["good_from"] == 3
    assert report["left_out"] == {"lines without a rating": 3}
    assert report["mean_error"] < 0.5
    assert report["at_threshold"]["f1"] > 0.95
    assert fasttext([Page("buy cheap pills now")], model=str(tmp_path / "q" / "model.bin"), rounded=True) == [(0.0,)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--positive", "g.jsonl"], "--negative missing; give both classes"),
        (["--positive", "g.jsonl", "--ratings", "g.jsonl"], "leave --positive and --negative out"),
        (["--positive", "g.jsonl", "--negative", "one.jsonl"], "give more texts of more hosts"),
    ],
    ids=["one class", "both ways", "one host"],
)
def test_wrong_request_ends_with_a_sentence(tmp_path, curate, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "g.jsonl", rows(GOOD, 30, 1))
    write(tmp_path / "one.jsonl", [{"text": "one", "url": "http://one.org/"}])
    result = curate("train-quality", *options, "--out", tmp_path / "q")
    assert result.exit_code == 2
    assert sentence in result.output
    assert not (tmp_path / "q" / "model.bin").exists()
