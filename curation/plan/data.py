"""What a run of some length makes of a solved mixture: epochs of each source, their worth, steps of each phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.errors import InputError
from curation.mixture.repeats import effective_tokens
from curation.plan.steps import Ramp


@dataclass(frozen=True)
class SourcePlan:
    """`epochs` over `available` tokens; `worth` is fresh tokens that they stand for, over tokens drawn."""

    name: str
    available: int
    share: float
    tokens: float
    epochs: float
    worth: float


@dataclass(frozen=True)
class PhasePlan:
    """`steps` at each batch size that the phase sees; the last one of each may be short."""

    name: str
    tokens: int
    steps: tuple[int, ...]
    sequence_length: int | None
    ends_after_step: int


def check_mixture(mixture: Any, where: Path | str) -> Mapping[str, Any]:
    """`mixture` if it has the form of mixture.json. Raises InputError that says what is missing."""
    sources = mixture.get("sources") if isinstance(mixture, Mapping) else None
    if not isinstance(sources, Mapping) or not sources or not mixture.get("budget_tokens"):
        raise InputError(
            f"{where} is no mixture.json: it has no sources or no budget_tokens; `curate mix solve` writes one"
        )
    for name, one in sources.items():
        if not isinstance(one, Mapping) or not {"share", "tokens_available"} <= set(one):
            raise InputError(f"{where}: source '{name}' has no share or tokens_available; solve the mixture again")
    return mixture


def source_plans(mixture: Mapping[str, Any], tokens: int) -> list[SourcePlan]:
    """Sources by share, for a run of `tokens` in the proportions of the mixture."""
    found = []
    for name, one in mixture["sources"].items():
        available, drawn = one["tokens_available"], one["share"] * tokens
        worth = effective_tokens(available, drawn) / drawn if drawn else 1.0
        found.append(SourcePlan(name, available, one["share"], drawn, drawn / available, worth))
    return sorted(found, key=lambda one: (-one.share, one.name))


def phase_ramp(mixture: Mapping[str, Any], tokens: int, ramp: Ramp) -> Ramp:
    """The ramp with a short batch where a phase ends: the next one has other data, or another sequence length."""
    return ramp.cut_at([end for end in _ends(mixture, tokens)[:-1] if 0 < end < tokens])


def phase_plans(mixture: Mapping[str, Any], tokens: int, ramp: Ramp) -> list[PhasePlan]:
    """Phases in order, scaled to a run of `tokens`; empty for a mixture without phases."""
    cut = phase_ramp(mixture, tokens, ramp)
    counted = list(zip((0, *cut.switches), cut.steps(tokens), strict=True))
    found, start, total = [], 0, 0
    for phase, end in zip(mixture.get("phases") or (), _ends(mixture, tokens), strict=True):
        own = tuple(count for at, count in counted if start <= at < end)
        total += sum(own)
        found.append(PhasePlan(phase["name"], end - start, own, phase.get("sequence_length"), total))
        start = end
    return found


def _ends(mixture: Mapping[str, Any], tokens: int) -> list[int]:
    ends, done = [], 0
    for phase in mixture.get("phases") or ():
        done += phase["budget_tokens"]
        ends.append(done * tokens // mixture["budget_tokens"])
    return ends
