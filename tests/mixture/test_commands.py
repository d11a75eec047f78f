"""`curate mix`: from proposal over made-up measurements to a mixture that solves; refusals end with a sentence."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from curation.cli import app


def curate(*arguments):
    done = CliRunner().invoke(app, ["mix", *map(str, arguments)])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture
def mixture(tmp_path):
    path = tmp_path / "mixture.yaml"
    path.write_text("budget_tokens: 1000\nsources: {web: 0.8, code: 0.1, wiki: 0.1}\n")
    return path


SIZES = ("--tokens", "web=1e3", "--tokens", "code=500", "--tokens", "wiki=100")


def test_solve_prints_and_writes_what_a_trainer_reads(mixture, tmp_path):
    code, said = curate("solve", mixture, *SIZES, "--budget", 2000, "--out", tmp_path / "mixture.json")
    assert code == 0
    assert "1.60" in said  # epochs of web
    found = json.loads((tmp_path / "mixture.json").read_text())
    assert {name: one["tokens"] for name, one in found["sources"].items()} == {"web": 1600, "code": 200, "wiki": 200}


def test_solve_takes_the_published_sizes_of_a_preset():
    code, said = curate("solve", "llama1")
    assert code == 0
    for figure in ("1.10", "2.45", "0.64", "67.00%"):
        assert figure in said


def test_proposals_are_measured_fitted_and_solved(mixture, tmp_path):
    """Small models are stood in for by a loss whose optimum is known: code 0.3, web 0.5, wiki 0.2."""
    table, best = tmp_path / "candidates.csv", tmp_path / "best.yaml"
    assert curate("propose", mixture, *SIZES, "--candidates", 40, "--out", table)[0] == 0
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 40 and [float(rows[0][n]) for n in ("code", "web", "wiki")] == [0.1, 0.8, 0.1]
    assert all(float(row["wiki"]) <= 0.4 for row in rows)  # 4 epochs of 100 tokens, of 1000
    draw = np.random.default_rng(0)
    with table.open("w") as file:
        writer = csv.DictWriter(file, [*rows[0], "loss"])
        writer.writeheader()
        for row in rows:
            far = sum((float(row[n]) - share) ** 2 for n, share in (("code", 0.3), ("web", 0.5), ("wiki", 0.2)))
            writer.writerow({**row, "loss": 2 + far + draw.normal(0, 0.002)})
    code, said = curate("fit", table, "--loss", "loss", "--mixture", mixture, *SIZES, "--out", best)
    assert code == 0
    assert "better than the reference" in said
    code, said = curate("solve", best, *SIZES, "--budget", 1000, "--out", tmp_path / "mixture.json")
    assert code == 0
    shares = {n: one["share"] for n, one in json.loads((tmp_path / "mixture.json").read_text())["sources"].items()}
    assert shares == pytest.approx({"code": 0.3, "web": 0.5, "wiki": 0.2}, abs=0.04)


def test_fit_says_when_the_data_cannot_tell_and_writes_nothing(tmp_path):
    draw = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{c:.3f},{draw.normal(3, 0.1)}" for a, b, c in draw.dirichlet([2, 2, 2], size=20)]
    path = tmp_path / "noise.csv"
    path.write_text("code,web,wiki,loss\n" + "\n".join(lines) + "\n")
    code, said = curate("fit", path, "--loss", "loss", "--out", tmp_path / "best.yaml")
    assert code == 1
    assert "cannot tell" in said
    assert not (tmp_path / "best.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solve", "lama1"], "did you mean 'llama1'"),
        (["solve", "llama3"], "does not say how many tokens its sources have"),
        (["solve", "llama1", "--tokens", "web"], "write it as SOURCE=COUNT"),
        (["solve", "llama1", "--tokens", "web=nan"], "write it as SOURCE=COUNT"),
        (["solve", "llama1", "--tokens", "web=5"], "'arxiv' has no tokens"),
        (["solve", "llama1", "--run", "nowhere"], "has no token shards"),
        (["propose", "olmo2", "--out", "x.csv"], "this mixture has phases"),
        (["fit", "x.csv", "--loss", "a=none"], "COLUMN=WEIGHT"),
    ],
)
def test_wrong_use_is_refused_with_a_sentence(arguments, sentence):
    code, said = curate(*arguments)
    assert code == 2
    assert sentence in said
