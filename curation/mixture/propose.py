"""Candidate mixtures for small models: drawn around a prior, feasible under the caps of the run they are meant for.

In the manner of RegMix (Liu et al. 2024, https://arxiv.org/abs/2407.01492): shares come from Dirichlet distributions
whose mean is the prior softened with temperature 2 (square roots) and whose strength runs over [0.1, 5] on a
logarithmic scale, from mixtures of one or two sources to ones near the prior.
Differs: a draw that breaks a cap is not thrown away but filled up to it (curation.mixture.fill), because under tight
caps nearly all draws break one; shares below `smallest` become 0 before that, not after.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from curation.errors import MixtureError
from curation.mixture.fill import fill

STRENGTHS = (0.1, 5.0)  # of the Dirichlet distributions, RegMix's mixture_config/synthesize_mixture.py
SOFTEN = 0.5  # exponent on the prior, the same file
SMALLEST = 2e-4  # a smaller share is 0: of 1 B tokens it would be fewer than 100 rows of 2,048 (the same file)
PARTS = 1_000_000  # shares are whole multiples of one millionth, so they sum to 1 as written


def propose(
    prior: Mapping[str, float],
    caps: Mapping[str, float],
    count: int,
    seed: int,
    *,
    strengths: tuple[float, float] = STRENGTHS,
    smallest: float = SMALLEST,
) -> list[dict[str, float]]:
    """`count` different mixtures, the first of them the prior itself within the caps. Shares sum to 1.

    `caps` are the largest share of each source: what epochs and `max_share` allow at the budget of the large run.
    Raises MixtureError where the caps leave no room, or so little that fewer than `count` mixtures are found.

    >>> propose({"web": 0.9, "wiki": 0.1}, {"web": 1.0, "wiki": 0.2}, 2, seed=1)[0]
    {'web': 0.9, 'wiki': 0.1}
    """
    names = sorted(prior)
    whole_caps = {name: min(PARTS, math.floor(round(caps[name] * PARTS, 6))) for name in names}
    if sum(whole_caps.values()) < PARTS:
        held = ", ".join(f"{name} {whole_caps[name] / PARTS:.4g}" for name in names)
        raise MixtureError(f"the caps leave room for {sum(whole_caps.values()) / PARTS:.4g} of the budget ({held})")
    center = np.array([prior[name] for name in names]) ** SOFTEN
    center /= center.sum()
    draw = np.random.Generator(np.random.PCG64(seed))
    found = [_within(np.array([prior[name] for name in names]), names, whole_caps)]
    seen = {tuple(found[0].values())}
    for _ in range(200 * count):
        if len(found) == count:
            break
        strength = math.exp(draw.uniform(*np.log(strengths)))
        shares = _dirichlet(draw, center * strength)
        one = _within(np.where(shares < smallest, 0.0, shares), names, whole_caps)
        if tuple(one.values()) not in seen:
            seen.add(tuple(one.values()))
            found.append(one)
    if len(found) < count:
        raise MixtureError(
            f"only {len(found)} different mixtures of {count} were found within the caps: ask for fewer, or raise "
            "max_epochs or max_share"
        )
    return [{name: parts / PARTS for name, parts in sorted(one.items())} for one in found]


def _dirichlet(draw: np.random.Generator, alpha: np.ndarray) -> np.ndarray:
    """A draw by gammas in logarithms: with small alphas plain gammas can all be 0."""
    logs = np.log(draw.gamma(alpha + 1)) + np.log(draw.uniform(size=len(alpha))) / alpha
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


def _within(shares: np.ndarray, names: list[str], caps: Mapping[str, int]) -> dict[str, int]:
    """Parts of a million nearest to the shares within the caps.

    Where the sources drawn cannot reach 1 within their caps, they stand at them and the others share the rest evenly.
    """
    shares = shares / shares.sum()
    asked = {name: float(share) for name, share in zip(names, shares, strict=True) if share > 0}
    room = sum(caps[name] for name in asked)
    if room >= PARTS:
        got = fill(asked, caps, PARTS)
    else:
        others = {name: 1.0 for name in names if name not in asked}
        got = {name: caps[name] for name in asked} | fill(others, caps, PARTS - room)
    return {name: got.get(name, 0) for name in names}
