"""`train`: examples in; a model, report.json and report.html out. What is reported was never trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curation.errors import InputError
from curation.models import model_digest
from curation.progress import Progress, silent
from curation.quality import metrics
from curation.quality.examples import Example, Labelled
from curation.quality.learners import FastText, Learner
from curation.quality.words import deciding_words
from curation.score.ratings import BEST, round_rating

GOOD_RATING = 3.0  # FineWeb-Edu (arXiv 2406.17557) keeps ratings of 3 and more


def train(
    labelled: Labelled,
    out: Path,
    learner: Learner,
    *,
    held_out: float = 0.2,
    threshold: float | None = None,
    into: str = "quality",
    progress: Progress = silent,
) -> dict[str, Any]:
    """Trains on the hosts that are not held out, scores those that are, and writes all into the folder `out`.

    `threshold` = score at which F1 is told: where None is given 0.5 for classes and GOOD_RATING for ratings, which also
    says which ratings count as good. Returns the report. Raises InputError where one side lacks good or other texts.
    """
    threshold = threshold if threshold is not None else GOOD_RATING if labelled.rated else 0.5
    bound = threshold if labelled.rated else 1.0
    tested = [example for example in labelled.examples if example.held_out(held_out)]
    taught = [example for example in labelled.examples if not example.held_out(held_out)]
    for name, side in (("to train on", taught), ("held out", tested)):
        _check_side(name, side, bound)
    out.mkdir(parents=True, exist_ok=True)
    path = out / learner.file
    progress("training", 0, 1)
    settings = learner.fit(taught, labelled.rated, path)
    progress("training", 1, 1)
    progress("held-out texts", 0, 1)
    scores = learner.score([example.text for example in tested], path)
    progress("held-out texts", 1, 1)
    report = {
        "settings": settings,
        "model": {"file": learner.file, "sha256": model_digest(path)},
        "stage": learner.stage_line(path, into),
        "rated": labelled.rated,
        "good_from": bound,
        "trained_on": _counts(taught, bound),
        "held_out": _counts(tested, bound),
        "left_out": labelled.left_out,
        **judge(scores, np.array([example.target for example in tested]), bound, threshold, labelled.rated),
    }
    if isinstance(learner, FastText):
        report["words"] = deciding_words(path, [example.text for example in tested])
    return report


def judge(scores: np.ndarray, targets: np.ndarray, bound: float, threshold: float, rated: bool) -> dict[str, Any]:
    """All figures about held-out scores; a target of `bound` or more is good."""
    good = targets >= bound
    top = float(BEST) if rated else 1.0
    points = metrics.curve(scores, good)
    others = len(good) - int(good.sum())
    hits = points.true_positives / good.sum()
    roc = np.column_stack([(points.kept - points.true_positives) / others, hits])
    found = {
        "auc": metrics.roc_auc(scores, good),
        "average_precision": metrics.average_precision(scores, good),
        "share_good": float(good.mean()),
        "at_threshold": metrics.at_threshold(scores, good, threshold),
        "thresholds": [
            metrics.at_threshold(scores, good, float(np.quantile(scores, 1 - share, method="higher")))
            for share in (0.05, 0.1, 0.2, 0.3, 0.5)
        ],
        "roc": metrics.thinned(np.vstack([[0.0, 0.0], roc])).tolist(),
        "precision_recall": metrics.thinned(np.column_stack([hits, points.true_positives / points.kept])).tolist(),
        "calibration": metrics.calibration(scores, targets, top),
        "histogram": [_histogram(scores[good], top), _histogram(scores[~good], top)],
    }
    if rated:
        rounded = np.array([round_rating(score) for score in scores.tolist()])
        found["mean_error"] = float(np.abs(scores - targets).mean())
        found["same_rating"] = float((rounded == np.round(targets)).mean())
    return found


def _histogram(scores: np.ndarray, top: float) -> list[int]:
    return np.histogram(np.clip(scores, 0, top), bins=20, range=(0, top))[0].tolist()


def _counts(examples: Sequence[Example], bound: float) -> dict[str, int]:
    good = sum(example.target >= bound for example in examples)
    hosts = len({example.host for example in examples if example.host})
    return {"texts": len(examples), "good": good, "others": len(examples) - good, "hosts": hosts}


def _check_side(name: str, examples: Sequence[Example], bound: float) -> None:
    counts = _counts(examples, bound)
    if not counts["good"] or not counts["others"]:
        raise InputError(
            f"of the texts {name}, {counts['good']} are good and {counts['others']} are not ({counts['hosts']} hosts); "
            "give more texts of more hosts, or another --held-out share: texts of one host stay on one side"
        )
