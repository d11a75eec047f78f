"""Laws of mixing: loss as a function of shares, fitted to measured mixtures.

    linear        L = a + sum b_i s_i                          RegMix's linear regression, arXiv 2407.01492
    exponential   L = c + exp(a + sum b_i s_i)                 Data Mixing Laws, Ye et al. 2024, arXiv 2403.16952
    quadratic     L = a + sum b_i s_i + sum b_ij s_i s_j       Scheffe 1958, "Experiments with Mixtures"

Only the quadratic has its optimum in the inside for a single loss; the others have it at a bound, and in the inside
only for a mean of several losses.
Differs: all three are fitted with a ridge that draws the sources to one common slope. Without it a source that few
mixtures hold in traces gets a slope out of noise: of RegMix's 64 models of 1 B, one has 0.9 % of Enron mail, and a fit
on others, which hold none, missed its loss by 0.38 (with the ridge 0.006).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Law = Callable[[np.ndarray], np.ndarray]  # shares (rows x sources) -> loss of each row
Fit = Callable[[np.ndarray, np.ndarray], Law]

# Penalties on slopes, per row. The least is the square of half a per cent: a source with a smaller mean square share
# tells nothing of its own slope. Leave-one-out errors cannot see that of a source that stands in a single row.
RIDGES = np.geomspace(2.5e-5, 100, 27)
PRODUCTS = 0.04  # the same for products of shares, which are about a fifth as large


def fit_linear(shares: np.ndarray, losses: np.ndarray) -> Law:
    """Least squares with the ridge."""
    level, slopes, _, _ = ridge(np.ones((len(shares), 1)), shares, losses)
    return lambda at: level[0] + at @ slopes


def fit_quadratic(shares: np.ndarray, losses: np.ndarray) -> Law:
    """Least squares with the ridge on the products of shares; on the shares themselves the least ridge."""
    rows, sources = shares.shape
    least = math.sqrt(RIDGES[0] * rows) * np.eye(sources)
    straight = np.vstack([np.hstack([np.ones((rows, 1)), shares]), np.hstack([np.zeros((sources, 1)), least])])
    bent = np.vstack([_products(shares), np.zeros((sources, sources * (sources - 1) // 2))])
    slopes, bends, _, _ = ridge(straight, bent, np.append(losses, np.zeros(sources)), rows, RIDGES * PRODUCTS)
    return lambda at: slopes[0] + at @ slopes[1:] + _products(at) @ bends


def fit_exponential(shares: np.ndarray, losses: np.ndarray) -> Law:
    """Least squares with the ridge, on the losses; started from regressions of log(L - c) for several floors c.

    An error of log(L - c) is one of L divided by L - c, so these are weighted by it.
    """
    from scipy.optimize import least_squares  # a quarter of a second to import

    low, spread = float(losses.min()), float(np.ptp(losses)) or 1e-9
    best, start, penalty = np.inf, np.zeros(shares.shape[1] + 2), 0.0
    for floor in low - spread * np.logspace(-2, 2, 17):
        excess = losses - floor
        level, slopes, strength, press = ridge(excess[:, None], shares * excess[:, None], np.log(excess) * excess)
        if press < best:
            best, start, penalty = press, np.concatenate([[floor], level, slopes]), math.sqrt(strength)
    zeros = np.zeros((shares.shape[1], 2))

    def errors(found: np.ndarray) -> np.ndarray:
        return np.concatenate([found[0] + _grown(found, shares) - losses, penalty * found[2:]])

    def slopes_of(found: np.ndarray) -> np.ndarray:
        grown = _grown(found, shares)[:, None]
        rows = np.hstack([np.ones_like(grown), grown, shares * grown])
        return np.vstack([rows, np.hstack([zeros, penalty * np.eye(shares.shape[1])])])

    found = least_squares(errors, start, jac=slopes_of, max_nfev=50).x
    return lambda at: found[0] + _grown(found, at)


def ridge(
    basis: np.ndarray,
    features: np.ndarray,
    target: np.ndarray,
    rows: int | None = None,
    ridges: np.ndarray = RIDGES,
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """(a, b, ridge, error) with target about basis @ a + features @ b, and ridge * |b|^2 added to the squared error.

    The ridge is that of `ridges`, times the square of the first column, with the least sum of squared leave-one-out
    errors of the first `rows`, which is `error` (PRESS, Allen 1974; exact, by the leverages).
    """
    rows = len(target) if rows is None else rows
    unit = np.linalg.qr(basis)[0]
    inside, rest = features - unit @ (unit.T @ features), target - unit @ (unit.T @ target)
    left, sizes, right = np.linalg.svd(inside, full_matrices=False)
    along = left.T @ rest
    strengths = ridges * float(basis[:, 0] @ basis[:, 0])
    shrink = sizes**2 / (sizes**2 + strengths[:, None])  # ridges x directions
    leverage = (np.sum(unit**2, axis=1) + shrink @ (left**2).T)[:, :rows]
    errors = (rest - (shrink * along) @ left.T)[:, :rows] / np.maximum(1 - leverage, 1e-9)
    press = np.sum(errors**2, axis=1)
    best = int(np.argmin(press))
    slopes = right.T @ (sizes / (sizes**2 + strengths[best]) * along)
    straight = np.linalg.lstsq(basis, target - features @ slopes, rcond=None)[0]
    return straight, slopes, float(strengths[best]), float(press[best])


def _grown(found: np.ndarray, shares: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(found[1] + shares @ found[2:], 50))  # steps of the search may be wild


def _products(shares: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(shares.shape[1], k=1)
    return shares[:, first] * shares[:, second]


LAWS: dict[str, Fit] = {"linear": fit_linear, "exponential": fit_exponential, "quadratic": fit_quadratic}
