"""The fit finds optima that are known, against brute force, and says so where the data cannot tell."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from curation.errors import InputError
from curation.mixture.fit import fit_best, lowest
from curation.mixture.laws import RIDGES, fit_exponential, fit_linear, fit_quadratic, ridge
from curation.mixture.measured import Measured
from curation.mixture.propose import propose

OPTIMUM = {"books": 0.15, "code": 0.25, "web": 0.5, "wiki": 0.1}


def proposals(count, seed=0, names=tuple(OPTIMUM)):
    prior = {name: 1 / len(names) for name in names}
    return np.array([[one[n] for n in sorted(names)] for one in propose(prior, dict.fromkeys(names, 1.0), count, seed)])


def measured(shares, losses, names=tuple(sorted(OPTIMUM))):
    losses = losses if losses.ndim == 2 else losses[:, None]
    columns = tuple(f"loss{i}" for i in range(losses.shape[1]))
    return Measured(names, shares, columns, losses, np.full(len(columns), 1 / len(columns)))


def bowl(shares, optimum=tuple(OPTIMUM[n] for n in sorted(OPTIMUM))):
    """A loss whose optimum over all mixtures is known: 2.5 there, and rising with the square of the distance."""
    return 2.5 + 0.8 * ((shares - np.array(optimum)) ** 2).sum(axis=1)


def test_a_known_optimum_is_found_and_lies_in_the_intervals():
    shares = proposals(60)
    noise = np.random.default_rng(1).normal(0, 0.003, len(shares))
    best = fit_best(measured(shares, bowl(shares) + noise), repetitions=100)
    assert best.law == "quadratic"
    assert best.tells
    for name, share in OPTIMUM.items():
        assert best.shares[name] == pytest.approx(share, abs=0.04)
        low, high = best.intervals[name]
        assert low - 0.01 <= share <= high + 0.01
    assert sum(best.shares.values()) == pytest.approx(1)
    assert best.loss == pytest.approx(2.5, abs=0.005)
    true_gain = bowl(shares[:1])[0] - 2.5
    assert best.gain_interval[0] - 0.005 <= true_gain <= best.gain_interval[1] + 0.005


def test_intervals_hold_the_optimum_about_as_often_as_they_say():
    """30 made-up sets of measurements; 90 % intervals, so 27 are expected: fewer than 22 has a chance below 1 %."""
    shares = proposals(40)
    held = 0
    for seed in range(30):
        noise = np.random.default_rng(seed).normal(0, 0.01, len(shares))
        low, high = fit_best(measured(shares, bowl(shares) + noise), repetitions=30).intervals["web"]
        held += low <= OPTIMUM["web"] <= high
    assert held >= 22


def test_noise_alone_tells_nothing():
    shares = proposals(40)
    said = []
    for seed in range(10):
        losses = 3 + np.random.default_rng(seed).normal(0, 0.05, len(shares))
        said.append(fit_best(measured(shares, losses), repetitions=40).tells)
    assert sum(said) <= 1
    flat = fit_best(measured(shares, np.full(len(shares), 3.0)), repetitions=10)
    assert not flat.tells
    assert "cannot tell" in flat.why


def test_a_gain_smaller_than_the_noise_is_not_claimed():
    """The reference is the optimum itself: nothing better exists, whatever the fit finds."""
    optimum = [OPTIMUM[n] for n in sorted(OPTIMUM)]
    shares = np.vstack([[optimum], proposals(40)])
    losses = bowl(shares) + np.random.default_rng(5).normal(0, 0.01, len(shares))
    best = fit_best(measured(shares, losses), repetitions=100)
    assert not best.tells
    assert "from the reference" in best.why


def test_several_losses_have_an_optimum_between_them():
    """Two losses, each lowest with one source; their mean is lowest in the middle (brute force over a grid)."""
    names = ("code", "web")
    shares = proposals(30, names=names)
    losses = np.column_stack([1 + np.exp(-3 * shares[:, 0]), 2 + np.exp(-2 * shares[:, 1])])
    best = fit_best(measured(shares, losses, names), repetitions=20)
    grid = np.linspace(0, 1, 10_001)
    truth = grid[np.argmin(np.exp(-3 * grid) + np.exp(-2 * (1 - grid)))]
    assert best.law == "exponential"
    assert best.shares["code"] == pytest.approx(truth, abs=0.01)


def test_caps_and_the_measured_range_bound_the_best_mixture():
    shares = proposals(40)
    best = fit_best(measured(shares, bowl(shares)), {"web": 0.3}, repetitions=5)
    assert best.shares["web"] == pytest.approx(0.3, abs=1e-4)
    narrow = shares[shares[:, 0] < 0.1]
    best = fit_best(measured(narrow, bowl(narrow)), repetitions=5)
    assert best.shares["books"] <= narrow[:, 0].max() + 1e-12


def test_too_few_rows_and_empty_ranges_are_refused():
    shares = proposals(6)
    with pytest.raises(InputError, match="5 measured mixtures of 4 sources: at least 6 are needed"):
        fit_best(measured(shares[:5], bowl(shares[:5])), repetitions=2)
    fit_best(measured(shares, bowl(shares)), repetitions=2)
    with pytest.raises(InputError, match="no mixture lies both in the measured range and within the caps"):
        fit_best(measured(shares, bowl(shares)), dict.fromkeys(OPTIMUM, 0.2), repetitions=2)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_the_search_equals_brute_force_on_three_sources(seed):
    draw = np.random.default_rng(seed)
    half = draw.normal(size=(3, 3))
    bend, slope = half @ half.T, draw.normal(size=3)
    low, high = np.array([0.0, 0.1, 0.0]), draw.uniform(0.5, 1, size=3)

    def law(at):
        return np.einsum("ri,ij,rj->r", at, bend, at) + at @ slope

    found = lowest(law, low, high, draw.dirichlet(np.ones(3), size=20))
    assert found.sum() == pytest.approx(1)
    assert (found >= low - 1e-12).all() and (found <= high + 1e-12).all()
    steps = np.linspace(0, 1, 101)
    grid = np.array([[a, b, 1 - a - b] for a, b in itertools.product(steps, steps)])
    grid = grid[((grid >= low - 1e-9) & (grid <= high + 1e-9)).all(axis=1)]
    assert law(found[None])[0] <= law(grid).min() + 1e-7


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8))
def test_the_search_equals_linear_programming_for_a_linear_law(seed, count):
    draw = np.random.default_rng(seed)
    slope, high = draw.normal(size=count), draw.uniform(1 / count, 1, size=count)
    found = lowest(lambda at: at @ slope, np.zeros(count), high, draw.dirichlet(np.ones(count), size=5))
    program = linprog(slope, A_eq=np.ones((1, count)), b_eq=[1], bounds=[(0, h) for h in high], method="highs")
    assert found @ slope == pytest.approx(program.fun, abs=1e-4)


def test_linear_and_exponential_laws_recover_their_coefficients():
    shares = proposals(40)
    slopes = np.array([3.0, 2.0, 2.5, 4.0])
    assert fit_linear(shares, shares @ slopes)(np.eye(4)) == pytest.approx(slopes, abs=5e-3)
    truth = 1.7 + np.exp(shares @ np.array([0.5, -1.0, 0.0, -2.0]))
    assert fit_exponential(shares, truth)(np.eye(4)) == pytest.approx(1.7 + np.exp([0.5, -1.0, 0.0, -2.0]), abs=1e-2)


def test_the_ridge_is_the_one_with_the_least_leave_one_out_error():
    """Oracle: the penalised normal equations, solved for each ridge and each row left out."""
    shares = proposals(25)
    losses = bowl(shares) + np.random.default_rng(2).normal(0, 0.05, len(shares))
    features = np.hstack([np.ones((25, 1)), shares])

    def solve(strength, rows):
        penalty = np.diag([0.0] + [strength] * 4)
        return np.linalg.solve(features[rows].T @ features[rows] + penalty, features[rows].T @ losses[rows])

    every = np.arange(25)
    left_out = [sum((losses[i] - features[i] @ solve(r, every[every != i])) ** 2 for i in every) for r in RIDGES * 25]
    best = int(np.argmin(left_out))
    level, slopes, strength, press = ridge(np.ones((25, 1)), shares, losses)
    assert strength == RIDGES[best] * 25
    assert press == pytest.approx(left_out[best])
    assert [*level, *slopes] == pytest.approx(solve(strength, every), abs=1e-8)


def test_a_source_seen_in_traces_does_not_get_a_slope_out_of_noise():
    """One row of 30 has 1 % of a fifth source and a loss 0.1 too high: by least squares 10 % of it costs 1.0."""
    shares = np.hstack([proposals(30), np.zeros((30, 1))])
    shares[7] = [*shares[7, :4] * 0.99, 0.01]
    slopes = np.array([3.0, 2.0, 2.5, 2.8, 2.6])
    losses = shares @ slopes + np.random.default_rng(3).normal(0, 0.02, 30)
    losses[7] += 0.1
    at = np.array([[0.15, 0.2, 0.4, 0.15, 0.1]])
    plain = np.linalg.lstsq(shares, losses, rcond=None)[0]
    assert abs(at @ plain - at @ slopes)[0] > 0.5
    for fit in (fit_linear, fit_exponential, fit_quadratic):
        assert fit(shares, losses)(at)[0] == pytest.approx((at @ slopes)[0], abs=0.15)
