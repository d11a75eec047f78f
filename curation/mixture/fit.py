"""The best mixture by measured losses, and how sure that is.

Which law holds is decided by cross-validation. How sure the best mixture is: losses are drawn anew around the fitted
law, with the errors that the law made on rows it had not seen, and the whole fit is repeated. The spread of the best
shares is their uncertainty. That of the gain is the sum of two: what the mixture of each repetition would lose if the
first law were the truth (a best mixture picked by chance loses), and how far the repetitions differ on the gain of the
mixture that is proposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curation.errors import InputError
from curation.mixture.laws import LAWS, Fit, Law
from curation.mixture.measured import Measured

FOLDS = 10
INTERVAL = (0.05, 0.95)


@dataclass(frozen=True)
class Judged:
    """How a law predicts rows it has not seen. `r2`: 1 is perfect, 0 no better than the mean, below 0 worse."""

    law: str
    rmse: float
    r2: float
    rank_correlation: float
    errors: np.ndarray  # measured - predicted, a number a row


@dataclass(frozen=True)
class Best:
    """What the measurements say. Shares are by source; intervals hold 90 % of the repetitions.

    `gain` is how much lower the loss is predicted to be than that of `reference`. `tells` is False where the law
    predicts no better than the mean, or where the interval of the gain reaches 0: then `why` says so.
    """

    law: str
    judged: Sequence[Judged]
    shares: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    loss: float
    reference: Mapping[str, float]
    reference_loss: float
    gain: float
    gain_interval: tuple[float, float]
    best_measured: int  # row with the lowest measured loss
    best_measured_loss: float
    nearest_measured: float  # share of the tokens by which the nearest measured mixture differs
    edges: tuple[str, ...]  # sources whose best share is the largest that was measured: it may lie beyond
    tells: bool
    why: str


def fit_best(
    measured: Measured,
    caps: Mapping[str, float] | None = None,
    *,
    reference: int = 0,
    seed: int = 0,
    repetitions: int = 200,
) -> Best:
    """The best mixture within the measured range of each source and within `caps` (shares by source).

    `reference` is the row that it is compared with. Raises InputError where there are fewer rows than sources + 2, or
    where the caps leave nothing inside the measured range, or there is no such row.
    """
    rows, sources = measured.shares.shape
    if not 0 <= reference < rows:
        raise InputError(f"row {reference} is not among the measured ones, 0 to {rows - 1}: choose another reference")
    if rows < sources + 2:
        raise InputError(f"{rows} measured mixtures of {sources} sources: at least {sources + 2} are needed")
    low, high = _bounds(measured, caps or {})
    judged = sorted((_judge(name, fit, measured, seed) for name, fit in LAWS.items()), key=lambda one: one.rmse)
    chosen = judged[0]
    law = _law(LAWS[chosen.law], measured, measured.losses)
    best = lowest(law, low, high, measured.shares)
    draw = np.random.Generator(np.random.PCG64(seed))
    known = law(measured.shares)
    pair = np.stack([measured.shares[reference], best])
    again, pairs = [], []
    for _ in range(repetitions):
        noise = draw.choice(chosen.errors, size=rows)
        redrawn = measured.losses + (known + noise - measured.objective)[:, None]
        other = _law(LAWS[chosen.law], measured, redrawn)
        again.append(lowest(other, low, high, best[None]))
        pairs.append(other(pair))
    redone = np.array(again)
    reference_loss, loss = (float(value) for value in law(pair))
    gains = (reference_loss - law(redone)) + (np.array(pairs) @ [1.0, -1.0] - (reference_loss - loss))
    gain_interval = tuple(float(q) for q in np.quantile(gains, INTERVAL))
    spread = np.quantile(redone, INTERVAL, axis=0)
    tells, why = _verdict(chosen, gain_interval)
    return Best(
        law=chosen.law,
        judged=judged,
        shares=_by_source(measured, best),
        intervals={name: (float(spread[0, i]), float(spread[1, i])) for i, name in enumerate(measured.sources)},
        loss=loss,
        reference=_by_source(measured, measured.shares[reference]),
        reference_loss=reference_loss,
        gain=reference_loss - loss,
        gain_interval=(gain_interval[0], gain_interval[1]),
        best_measured=int(np.argmin(measured.objective)),
        best_measured_loss=float(measured.objective.min()),
        nearest_measured=float(np.abs(measured.shares - best).sum(axis=1).min() / 2),
        edges=_edges(measured, best, caps or {}),
        tells=tells,
        why=why,
    )


def lowest(law: Law, low: np.ndarray, high: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Shares within [low, high] that sum to 1 at which `law` is lowest.

    Search by exchange: the step that gains most moves share from one source to another; it doubles after a gain and
    halves without one, down to 1e-5. Exchanges reach every feasible direction, so for a convex law this is the minimum;
    for others it is the lowest found from the five best starts.
    """
    inside = np.array([_inside(start, low, high) for start in starts])
    order = np.argsort(law(inside), kind="stable")[:5]
    ends = np.array([_descend(law, low, high, inside[i]) for i in order])
    return ends[int(np.argmin(law(ends)))]


def _descend(law: Law, low: np.ndarray, high: np.ndarray, at: np.ndarray) -> np.ndarray:
    givers, takers = np.nonzero(~np.eye(len(at), dtype=bool))
    moves = np.eye(len(at))[takers] - np.eye(len(at))[givers]
    here, step = float(law(at[None])[0]), 0.1
    while step > 1e-5:
        amounts = np.minimum(step, np.minimum(at[givers] - low[givers], high[takers] - at[takers]))
        tried = at + moves * np.maximum(amounts, 0)[:, None]
        values = law(tried)
        first = int(np.argmin(values))
        if values[first] < here - 1e-12 * abs(here):
            at, here, step = tried[first], float(values[first]), min(2 * step, 0.5)
        else:
            step /= 2
    return at


def _inside(shares: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The shares cut to their bounds, what that adds or takes away spread over the room that is left."""
    cut = np.clip(shares, low, high)
    missing = 1 - cut.sum()
    room = high - cut if missing > 0 else cut - low
    return cut + missing * room / room.sum() if abs(missing) > 1e-15 else cut


def _bounds(measured: Measured, caps: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    low, high = measured.shares.min(axis=0), measured.shares.max(axis=0)
    high = np.minimum(high, [caps.get(name, 1.0) for name in measured.sources])
    if high.sum() < 1 or (low > high).any():
        held = ", ".join(f"{n} {a:.3g} to {b:.3g}" for n, a, b in zip(measured.sources, low, high, strict=True))
        raise InputError(f"no mixture lies both in the measured range and within the caps ({held}): measure others")
    return low, high


def _edges(measured: Measured, best: np.ndarray, caps: Mapping[str, float]) -> tuple[str, ...]:
    most = measured.shares.max(axis=0)
    return tuple(
        name
        for name, share, top in zip(measured.sources, best, most, strict=True)
        if share >= top - 1e-4 and share > 0.001 and top < min(1.0, caps.get(name, 1.0))
    )


def _law(fit: Fit, measured: Measured, losses: np.ndarray) -> Law:
    """The weighted mean of a law for each loss column."""
    parts = [fit(measured.shares, losses[:, i]) for i in range(losses.shape[1])]
    return lambda at: sum(w * part(at) for w, part in zip(measured.weights, parts, strict=True))


def _judge(name: str, fit: Fit, measured: Measured, seed: int) -> Judged:
    from scipy.stats import spearmanr  # half a second to import

    rows = len(measured.shares)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(rows)
    predicted = np.empty(rows)
    for fold in np.array_split(order, min(FOLDS, rows)):
        rest = np.setdiff1d(order, fold)
        parts = [fit(measured.shares[rest], measured.losses[rest, i]) for i in range(measured.losses.shape[1])]
        predicted[fold] = sum(w * part(measured.shares[fold]) for w, part in zip(measured.weights, parts, strict=True))
    errors = measured.objective - predicted
    around_mean = measured.objective - measured.objective.mean()
    total = float(around_mean @ around_mean)
    r2 = 1 - float(errors @ errors) / total if total > 0 else 0.0
    rank = float(spearmanr(predicted, measured.objective).statistic) if total > 0 and np.ptp(predicted) > 0 else 0.0
    return Judged(name, float(np.sqrt(np.mean(errors**2))), r2, rank, errors)


def _verdict(chosen: Judged, gain: tuple[float, float]) -> tuple[bool, str]:
    if chosen.r2 <= 0:
        return False, (
            "The measurements cannot tell which mixture is best: no law predicts unseen rows better than their mean. "
            "Measure more mixtures, or ones that differ more."
        )
    if gain[0] <= 0:
        return False, (
            "The measurements cannot tell the best mixture from the reference: the gain could be none "
            f"({gain[0]:.4g} to {gain[1]:.4g})."
        )
    return True, f"The best mixture is better than the reference by {gain[0]:.4g} to {gain[1]:.4g}."


def _by_source(measured: Measured, shares: np.ndarray) -> dict[str, float]:
    return {name: float(share) for name, share in zip(measured.sources, shares, strict=True)}
