"""How well scores tell good texts from others: plain functions of two arrays, scores (float) and good (bool).

Every function needs at least one good and one other text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


def roc_auc(scores: np.ndarray, good: np.ndarray) -> float:
    """The chance that a good text scores above another, ties counted half: area under the ROC curve.

    >>> roc_auc(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    from scipy.stats import rankdata  # half a second to import

    positives = int(good.sum())
    negatives = len(good) - positives
    ranks = rankdata(scores)[good].sum()
    return float((ranks - positives * (positives + 1) / 2) / (positives * negatives))


class Curve(NamedTuple):
    """One point for each distinct score, as a threshold, falling."""

    thresholds: np.ndarray
    true_positives: np.ndarray
    kept: np.ndarray  # texts at or above the threshold


def curve(scores: np.ndarray, good: np.ndarray) -> Curve:
    """What stays at every threshold that makes a difference."""
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)  # the last text of each distinct score
    return Curve(falling[last], np.cumsum(good[order])[last], last + 1)


def average_precision(scores: np.ndarray, good: np.ndarray) -> float:
    """Mean of the precision at each good text: area under the precision-recall curve, as steps.

    >>> average_precision(np.array([0.9, 0.8, 0.7]), np.array([True, False, True])) == (1 + 2 / 3) / 2
    True
    """
    points = curve(scores, good)
    precision = points.true_positives / points.kept
    recall_gained = np.diff(points.true_positives, prepend=0) / good.sum()
    return float((precision * recall_gained).sum())


def at_threshold(scores: np.ndarray, good: np.ndarray, threshold: float) -> dict[str, float]:
    """Precision, recall, F1 and the share of texts kept, when texts at or above the threshold are kept.

    >>> at_threshold(np.array([0.9, 0.2, 0.6]), np.array([True, True, False]), 0.5)["f1"]
    0.5
    """
    kept = scores >= threshold
    hits = int((kept & good).sum())
    precision = hits / int(kept.sum()) if kept.any() else 0.0
    recall = hits / int(good.sum())
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    share = float(kept.mean())
    return {"threshold": float(threshold), "precision": precision, "recall": recall, "f1": f1, "kept": share}


def calibration(scores: np.ndarray, truth: np.ndarray, top: float, bins: int = 10) -> list[dict[str, float]]:
    """Mean score and mean truth of the texts in each of `bins` equal ranges from 0 to `top`; empty ranges are left out.

    >>> calibration(np.array([0.1, 0.2, 0.9]), np.array([0.0, 1.0, 1.0]), 1.0, bins=2)[0]["truth"]
    0.5
    """
    place = np.clip((scores / top * bins).astype(int), 0, bins - 1)
    return [
        {"score": float(scores[here].mean()), "truth": float(truth[here].mean()), "texts": int(here.sum())}
        for here in (place == number for number in range(bins))
        if here.any()
    ]


def thinned(points: np.ndarray, most: int = 200) -> np.ndarray:
    """At most about `most` rows of a curve, evenly, with the first and the last."""
    if len(points) <= most:
        return points
    return points[np.unique(np.linspace(0, len(points) - 1, most).round().astype(int))]
