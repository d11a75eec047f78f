"""Figures of a classifier against definitions counted out pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.quality import metrics

TEXTS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans()), min_size=2, max_size=40
).filter(lambda rows: len({good for _, good in rows}) == 2)


def split(rows):
    return np.array([score for score, _ in rows]), np.array([good for _, good in rows])


@given(TEXTS)
def test_auc_is_the_share_of_pairs_in_right_order(rows):
    good = [score for score, is_good in rows if is_good]
    others = [score for score, is_good in rows if not is_good]
    won = sum((a > b) + 0.5 * (a == b) for a in good for b in others)
    assert metrics.roc_auc(*split(rows)) == pytest.approx(won / (len(good) * len(others)))


@given(TEXTS)
def test_average_precision_sums_precision_over_recall_gained(rows):
    found, recall_before = 0.0, 0.0
    positives = sum(good for _, good in rows)
    for threshold in sorted({score for score, _ in rows}, reverse=True):
        kept = [good for score, good in rows if score >= threshold]
        recall = sum(kept) / positives
        found += (recall - recall_before) * sum(kept) / len(kept)
        recall_before = recall
    assert metrics.average_precision(*split(rows)) == pytest.approx(found)


@given(TEXTS, st.floats(-0.1, 1.1))
def test_figures_at_a_threshold_are_counted(rows, threshold):
    kept = [good for score, good in rows if score >= threshold]
    at = metrics.at_threshold(*split(rows), threshold)
    hits, positives = sum(kept), sum(good for _, good in rows)
    assert at["kept"] == pytest.approx(len(kept) / len(rows))
    assert at["recall"] == pytest.approx(hits / positives)
    assert at["f1"] == pytest.approx(2 * hits / (len(kept) + positives))


@given(TEXTS)
def test_calibration_counts_every_text_once(rows):
    scores, good = split(rows)
    bins = metrics.calibration(scores, good.astype(float), 1.0)
    assert sum(b["texts"] for b in bins) == len(rows)
    assert sum(b["truth"] * b["texts"] for b in bins) == pytest.approx(good.sum())
    assert sum(b["score"] * b["texts"] for b in bins) == pytest.approx(scores.sum())


def test_thinned_curve_keeps_its_ends():
    points = np.arange(10_001).reshape(-1, 1)
    few = metrics.thinned(points)
    assert len(few) == 200
    assert (few[0], few[-1]) == (0, 10_000)
