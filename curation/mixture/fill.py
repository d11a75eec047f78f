"""Whole tokens by source that meet a budget, each within its cap."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction


def fill(asked: Mapping[str, float], caps: Mapping[str, int], budget: int) -> dict[str, int]:
    """Tokens that sum to the budget. Needs caps that reach it together.

    Sources whose part reaches their cap are fixed at it and the rest is shared out anew, until none does. Fractions are
    exact, so neither the sum nor a cap is missed by rounding. With even shares this is UniMax (Chung et al. 2023,
    algorithm 1), which goes through the sources from the smallest on.

    >>> fill({"web": 0.9, "wiki": 0.1}, {"web": 3600, "wiki": 40}, 1000)
    {'wiki': 40, 'web': 960}
    """
    free = {name: Fraction(share) for name, share in asked.items()}
    fixed: dict[str, int] = {}
    left = budget
    while free:
        weight = sum(free.values())
        parts = {name: left * share / weight for name, share in free.items()}
        full = [name for name in free if parts[name] >= caps[name]]
        if not full:
            return fixed | whole(parts, left)
        for name in full:
            fixed[name] = caps[name]
            left -= caps[name]
            del free[name]
    return fixed


def part_of(total: int, factor: float) -> int:
    """`factor` times `total`, rounded down; the factor is taken as it is written, so that 2.3 times 100 is 230.

    >>> part_of(100, 2.3), int(100 * 2.3)
    (230, 229)
    """
    return math.floor(Fraction(repr(float(factor))) * total)


def whole(parts: Mapping[str, Fraction], total: int) -> dict[str, int]:
    """Parts rounded to whole numbers that sum to `total`: down, and one up for the largest remainders.

    >>> whole({"a": Fraction(5, 2), "b": Fraction(5, 2)}, 5)
    {'a': 3, 'b': 2}
    """
    rounded = {name: math.floor(part) for name, part in parts.items()}
    by_remainder = sorted(parts, key=lambda name: (rounded[name] - parts[name], name))
    for name in by_remainder[: total - sum(rounded.values())]:
        rounded[name] += 1
    return rounded
