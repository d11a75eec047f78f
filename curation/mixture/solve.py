"""Solves a mixture: tokens and epochs of each source, phase by phase, as they stand in mixture.json.

A share says what part of the budget a source should be; the tokens that exist say how many epochs that takes. Epochs
are capped: up to 4 passes over the same tokens are nearly as good as fresh ones, beyond that their value falls fast
(Muennighoff et al. 2023, "Scaling Data-Constrained Language Models", https://arxiv.org/abs/2305.16264).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from curation.errors import MixtureError, did_you_mean
from curation.mixture.fill import part_of
from curation.mixture.phases import Demand, Shortfall, fill_phases
from curation.mixture.repeats import effective_tokens
from curation.mixture.settings import MixtureSettings, Phase
from curation.mixture.shares import asked_shares


def solve(available: Mapping[str, int], settings: MixtureSettings) -> dict[str, Any]:
    """The mixture as it stands in mixture.json.

    `available` is tokens by source. Returns `budget_tokens`, `max_epochs`, `effective_tokens` (fresh tokens that the
    run is worth), `notes` (sentences on what differs from the shares asked for) and `sources`: name ->
    `tokens_available`, `share_asked`, `share` (sums to 1), `tokens` (sums to the budget), `epochs`,
    `effective_tokens`, `synthetic`. With phases also `phases`: a list of `name`, `budget_tokens`, `sequence_length`
    and `sources` as above, in which epochs count over the whole source and shares over the phase; the figures above
    are then those of the whole run. A source at a cap passes what is left to the others, in proportion to their shares.

    Raises MixtureError where a source has no tokens, or all caps together do not reach the budget.

    >>> found = solve({"web": 900, "wiki": 10}, MixtureSettings(budget_tokens=1000, sources={"web": 0.9, "wiki": 0.1}))
    >>> found["sources"]["wiki"]["tokens"], found["sources"]["wiki"]["epochs"], found["notes"]
    (40, 4.0, ['wiki is capped at 4 epochs: 0.1 of the budget was asked for, it gives 0.04'])
    """
    demands, held = _demands(available, settings)
    tokens = fill_phases(demands, held)
    if isinstance(tokens, Shortfall):
        raise MixtureError(_short(available, settings, demands, held, tokens))
    budget = sum(demand.budget for demand in demands)
    asked = shares_of_run(available, settings)
    names = list(asked)
    total = {name: sum(one.get(name, 0) for one in tokens) for name in names}
    sources = _sources(available, settings, asked, total, budget)
    found = {
        "budget_tokens": budget,
        "max_epochs": settings.max_epochs,
        "effective_tokens": sum(one["effective_tokens"] for one in sources.values()),
        "sources": sources,
    }
    if settings.phases:
        found["phases"] = [
            {
                "name": phase.name,
                "budget_tokens": phase.budget_tokens,
                "sequence_length": phase.sequence_length,
                "sources": _sources(available, settings, demand.shares, one, demand.budget, phase=True),
            }
            for phase, demand, one in zip(settings.phases, demands, tokens, strict=True)
        ]
    found["notes"] = _notes(available, settings, demands, tokens, held)
    return found


def check_names(settings: MixtureSettings, sources: Collection[str]) -> None:
    """Raises MixtureError where the mixture names a source that is not among `sources`: before any work is done."""
    named = set(settings.limits)
    for part in (settings, *settings.phases):
        named |= set(part.sources) if isinstance(part.sources, dict) else set()
    wrong = [f"'{name}' ({did_you_mean(name, list(sources))})" for name in sorted(named - set(sources))]
    if wrong:
        raise MixtureError(f"the mixture names {', '.join(wrong)}, of which there is no input: correct the names")


def shares_of_run(available: Mapping[str, int], settings: MixtureSettings) -> dict[str, float]:
    """Shares asked for over the whole run, all phases together. `available` may be in any unit, such as bytes.

    >>> shares_of_run({"web": 300, "wiki": 100}, MixtureSettings())
    {'web': 0.75, 'wiki': 0.25}
    """
    demands, _ = _demands(available, settings)
    budget = sum(demand.budget for demand in demands)
    names = sorted({name for demand in demands for name in demand.shares})
    return {n: math.fsum(d.shares.get(n, 0.0) * d.budget for d in demands) / budget for n in names}


def shares_and_caps(
    available: Mapping[str, int], settings: MixtureSettings
) -> tuple[dict[str, float], dict[str, float]]:
    """(shares asked for, largest possible shares) by source of a mixture without phases, for its budget.

    >>> shares_and_caps({"web": 900, "wiki": 10}, MixtureSettings(budget_tokens=100, sources={"web": 0.9, "wiki": 0.1}))
    ({'web': 0.9, 'wiki': 0.1}, {'web': 1.0, 'wiki': 0.4})
    """
    if settings.phases:
        raise MixtureError("this mixture has phases: write the one that is meant as a mixture of its own")
    (demand,), _ = _demands(available, settings)
    return dict(demand.shares), {name: cap / demand.budget for name, cap in demand.caps.items()}


def _demands(available: Mapping[str, int], settings: MixtureSettings) -> tuple[list[Demand], dict[str, int]]:
    """What each phase asks for, and the tokens of each source that the run may take."""
    held = {name: part_of(tokens, settings.epochs_cap(name)) for name, tokens in available.items()}
    wrong = [f"'{name}' ({did_you_mean(name, list(available))})" for name in settings.limits if name not in available]
    if wrong:
        raise MixtureError(f"limits name {', '.join(wrong)}, of which there are no tokens: correct the name")
    phases = settings.phases
    if not phases:
        whole_run = Phase(name="", budget_tokens=1, sources=settings.sources, temperature=settings.temperature)
        budget = settings.budget_tokens or sum(available[name] for name in asked_shares(available, whole_run))
        phases = (whole_run.model_copy(update={"budget_tokens": budget}),)
    demands = []
    for phase in phases:
        shares = asked_shares(available, phase)
        caps = {name: min(held[name], _share_cap(settings, name, phase.budget_tokens)) for name in shares}
        demands.append(Demand(phase.name, phase.budget_tokens, shares, caps))
    return demands, held


def _share_cap(settings: MixtureSettings, name: str, budget: int) -> int:
    limit = settings.limits.get(name)
    return budget if limit is None or limit.max_share is None else part_of(budget, limit.max_share)


def _sources(
    available: Mapping[str, int],
    settings: MixtureSettings,
    asked: Mapping[str, float],
    tokens: Mapping[str, int],
    budget: int,
    phase: bool = False,
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, share in asked.items():
        found[name] = {
            "tokens_available": available[name],
            "share_asked": share,
            "share": tokens[name] / budget,
            "tokens": tokens[name],
            "epochs": tokens[name] / available[name],
        }
        if not phase:  # the value of a repeat depends on all phases together
            limit = settings.limits.get(name)
            found[name]["effective_tokens"] = round(effective_tokens(available[name], tokens[name]))
            found[name]["synthetic"] = limit is not None and limit.synthetic
    return found


def _short(
    available: Mapping[str, int],
    settings: MixtureSettings,
    demands: Sequence[Demand],
    held: Mapping[str, int],
    short: Shortfall,
) -> str:
    """The shortfall in words: what is asked for, and what each source can give."""
    involved = [demand for demand in demands if demand.name in short.phases]
    names = sorted({name for demand in involved for name in demand.shares})
    gives = []
    for name in names:
        by_share = sum(demand.caps[name] for demand in involved if name in demand.shares)
        if by_share < held[name]:
            why = f"at most {settings.limits[name].max_share:g} of the budget"
        else:
            why = f"{available[name]:,} tokens at {settings.epochs_cap(name):g} epochs"
        gives.append(f"{name} {min(by_share, held[name]):,}: {why}")
    budget = sum(demand.budget for demand in involved)
    where = f" in {' and '.join(short.phases)}" if settings.phases else ""
    total = budget - short.missing
    return (
        f"{short.missing:,} tokens are missing{where}: {budget:,} are asked for, and within their caps the sources "
        f"give {total:,} ({'; '.join(gives)}): lower the budget, raise max_epochs or max_share, or add sources"
    )


def _notes(
    available: Mapping[str, int],
    settings: MixtureSettings,
    demands: Sequence[Demand],
    tokens: Sequence[Mapping[str, int]],
    held: Mapping[str, int],
) -> list[str]:
    notes = []
    for demand, one in zip(demands, tokens, strict=True):
        where = f" in {demand.name}" if settings.phases else ""
        for name, share in demand.shares.items():
            got = one[name] / demand.budget
            if got >= share - 1e-9 or one[name] >= math.floor(share * demand.budget):
                continue
            if one[name] == _share_cap(settings, name, demand.budget):
                cap = f"at a share of {settings.limits[name].max_share:g}"
            else:
                cap = f"at {settings.epochs_cap(name):g} epochs" + (" over all phases" if settings.phases else "")
            notes.append(f"{name} is capped {cap}{where}: {share:.4g} of the budget was asked for, it gives {got:.4g}")
    used = {name for demand in demands for name in demand.shares}
    unused = sorted(name for name, count in available.items() if count > 0 and name not in used)
    return notes + [f"{name} is not used: {available[name]:,} tokens, no share names it" for name in unused]
