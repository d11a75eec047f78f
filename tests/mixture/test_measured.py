"""Measured mixtures are read from CSV and JSON lines, and what is wrong is named with its row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from curation.errors import InputError
from curation.mixture.fit import fit_best
from curation.mixture.laws import fit_exponential
from curation.mixture.measured import read_measured

REGMIX = Path(__file__).parent / "data" / "regmix_1b.csv"


def test_csv_and_json_lines_are_the_same_table(tmp_path):
    rows = [
        {"candidate": 0, "web": 0.7, "wiki": 0.3, "loss": 2.5},
        {"candidate": 1, "web": 0.2, "wiki": 0.8, "loss": 3},
    ]
    (tmp_path / "m.csv").write_text("candidate,web,wiki,loss\n0,0.7,0.3,2.5\n1,0.2,0.8,3\n")
    (tmp_path / "m.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    one, other = (read_measured(tmp_path / name, {"loss": 1.0}) for name in ("m.csv", "m.jsonl"))
    assert one.sources == other.sources == ("web", "wiki")
    assert (one.shares == other.shares).all() and (one.objective == other.objective).all()
    assert one.shares[1] == pytest.approx([0.2, 0.8])


def test_losses_are_weighted(tmp_path):
    (tmp_path / "m.csv").write_text("web,wiki,a,b\n0.7,0.3,1,5\n")
    assert read_measured(tmp_path / "m.csv", {"a": 3.0, "b": 1.0}).objective == pytest.approx([2.0])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("web,wiki,loss\n", "holds no rows"),
        ("web,wiki,los\n0.7,0.3,2\n", "no column 'loss' .did you mean 'los'"),
        ("web,loss\n1.0,2\n", "shares of 1 sources"),
        ("web,wiki,loss\n0.7,0.3,2\n0.7,0.3,nan\n", "row 2: loss is 'nan'"),
        ("web,wiki,loss\n0.7,,2\n", "row 1: wiki is ''"),
        ("web,wiki,loss\n0.7,0.4,2\n", "row 1: the shares of web, wiki sum to 1.1"),
        ("web,wiki,loss\n1.2,-0.2,2\n", "the least is -0.2"),
        ("web,wiki,loss\n0.7,0.3,2,9\n", "row 1 has more cells"),
    ],
)
def test_wrong_table_is_refused_with_its_row(tmp_path, text, sentence):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_measured(path, {"loss": 1.0})


def test_wrong_json_lines_and_missing_files_are_refused(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"web": 1}\n[1]\n')
    with pytest.raises(InputError, match="line 2 is no JSON object"):
        read_measured(path, {"loss": 1.0})
    path.write_text("{")
    with pytest.raises(InputError, match="line 1 is no JSON"):
        read_measured(path, {"loss": 1.0})
    with pytest.raises(InputError, match="cannot be read"):
        read_measured(tmp_path / "none.csv", {"loss": 1.0})


def test_losses_of_real_models_are_predicted_by_the_data_mixing_law():
    """64 models of 1 B parameters on mixtures of The Pile's 17 sources, validation loss on Pile-CC.

    Source: sail-sg/regmix, data/test_mixture_1B.csv and test_pile_loss_1B.csv (Liu et al. 2024,
    https://arxiv.org/abs/2407.01492), losses to five decimals. The paper finds Pile-CC's own share to be what its loss
    follows most; so must the fit.
    """
    measured = read_measured(REGMIX, {"pile_cc_loss": 1.0})
    assert measured.shares.shape == (64, 17)
    best = fit_best(measured, reference=50, repetitions=20)
    assert best.law == "exponential"
    assert best.judged[0].r2 > 0.9 and best.judged[0].rank_correlation > 0.97
    assert best.tells
    assert max(best.shares, key=best.shares.get) == "pile_cc"
    assert "pile_cc" in best.edges  # the largest share that was measured: the fit says that the optimum may lie beyond
    assert measured.objective[34] == measured.objective.min() and best.best_measured == 34


def test_unseen_real_models_are_ranked_by_a_fit_on_the_others():
    """The first 48 models predict the last 16; only one of those holds a trace of a source that the 48 lack."""
    measured = read_measured(REGMIX, {"pile_cc_loss": 1.0})
    law = fit_exponential(measured.shares[:48], measured.losses[:48, 0])
    predicted = law(measured.shares[48:])
    assert spearmanr(predicted, measured.losses[48:, 0]).statistic > 0.93
    assert np.abs(predicted - measured.losses[48:, 0]).max() < 0.04
