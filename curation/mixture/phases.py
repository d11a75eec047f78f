"""Several phases that draw on the same sources: a cap on epochs holds over all of them together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from curation.mixture.fill import fill, whole


@dataclass(frozen=True)
class Demand:
    """What a phase asks for: its budget, the shares of its sources, and the most tokens it may take of each."""

    name: str
    budget: int
    shares: Mapping[str, float]
    caps: Mapping[str, int]


@dataclass(frozen=True)
class Shortfall:
    """Why no mixture exists: these phases need `missing` tokens more than these sources can give them."""

    missing: int
    phases: tuple[str, ...]
    sources: tuple[str, ...]


def fill_phases(demands: Sequence[Demand], held: Mapping[str, int]) -> list[dict[str, int]] | Shortfall:
    """Tokens of each source for each phase, or the proof that there are none.

    `held` is tokens by source that the whole run may take. Where the phases ask for more of a source than that, each
    gets its part in proportion to what it asked. What a phase then lacks comes from its other sources, in proportion
    to their shares; the last phase chooses first, because late phases are small and picked with care. If that leaves a
    phase short, others give way to it as far as they can be served otherwise, so a Shortfall means that no division
    exists at all (the phases and sources named are a minimum cut).
    """
    taken = _first_parts(demands, held)
    for number in reversed(range(len(demands))):
        demand = demands[number]
        free = _free(taken, held, demand.shares)
        caps = {name: min(demand.caps[name], taken[number][name] + free[name]) for name in demand.shares}
        enough = sum(caps.values()) >= demand.budget
        taken[number] = fill(demand.shares, caps, demand.budget) if enough else caps
    return _give_way(demands, held, taken) or taken


def _first_parts(demands: Sequence[Demand], held: Mapping[str, int]) -> list[dict[str, int]]:
    """What each phase asked for, a scarce source divided in proportion."""
    asked = [{n: min(Fraction(part) * d.budget, Fraction(d.caps[n])) for n, part in d.shares.items()} for d in demands]
    parts: list[dict[str, int]] = [{} for _ in demands]
    for name in sorted({name for demand in demands for name in demand.shares}):
        wanted = {str(p): one[name] for p, one in enumerate(asked) if name in one}
        total = sum(wanted.values())
        if total > held[name]:
            divided = whole({p: held[name] * part / total for p, part in wanted.items()}, held[name])
            divided = {p: min(tokens, demands[int(p)].caps[name]) for p, tokens in divided.items()}
        else:
            divided = {p: math.floor(part) for p, part in wanted.items()}
        for p, tokens in divided.items():
            parts[int(p)][name] = tokens
    return parts


def _free(taken: Sequence[Mapping[str, int]], held: Mapping[str, int], names: Mapping[str, float]) -> dict[str, int]:
    return {name: held[name] - sum(one.get(name, 0) for one in taken) for name in names}


def _give_way(demands: Sequence[Demand], held: Mapping[str, int], taken: list[dict[str, int]]) -> Shortfall | None:
    """Serves phases that are short along shortest augmenting paths (Edmonds, Karp 1972), in place.

    A phase for which there is no path has none later either, so each is gone to once.
    """
    for number, demand in enumerate(demands):
        while (missing := demand.budget - sum(taken[number].values())) > 0:
            path, _, _ = _path(number, demands, held, taken)
            if not path:
                break
            room = [missing, _free(taken, held, {path[-1][1]: 0.0})[path[-1][1]]]
            room += [demands[p].caps[name] - taken[p][name] for p, name in path]
            room += [taken[q][name] for (_, name), (q, _) in zip(path[:-1], path[1:], strict=True)]
            step = min(room)
            for place, (p, name) in enumerate(path):
                taken[p][name] += step
                if place + 1 < len(path):
                    taken[path[place + 1][0]][name] -= step
    missing = [demand.budget - sum(one.values()) for demand, one in zip(demands, taken, strict=True)]
    if not any(missing):
        return None
    reached = [_path(number, demands, held, taken)[1:] for number, tokens in enumerate(missing) if tokens]
    phases = set().union(*(one for one, _ in reached))
    sources = set().union(*(one for _, one in reached))
    return Shortfall(sum(missing), tuple(d.name for p, d in enumerate(demands) if p in phases), tuple(sorted(sources)))


def _path(
    start: int, demands: Sequence[Demand], held: Mapping[str, int], taken: Sequence[Mapping[str, int]]
) -> tuple[list[tuple[int, str]], set[int], set[str]]:
    """A chain of (phase, source it takes more of); each next phase gives that source up and takes another.

    It ends at a source with tokens left. Empty, with all phases and sources that were reached, if there is none.
    """
    came: dict[int, tuple[int, str] | None] = {start: None}
    sources: set[str] = set()
    queue = [start]
    while queue:
        p = queue.pop(0)
        for name in demands[p].shares:
            if name in sources or taken[p][name] >= demands[p].caps[name]:
                continue
            sources.add(name)
            if _free(taken, held, {name: 0.0})[name] > 0:
                path, at = [(p, name)], came[p]
                while at is not None:
                    path.append(at)
                    at = came[at[0]]
                return path[::-1], set(came), sources
            for q, one in enumerate(taken):
                if one.get(name, 0) > 0 and q not in came:
                    came[q] = (p, name)
                    queue.append(q)
    return [], set(came), sources
