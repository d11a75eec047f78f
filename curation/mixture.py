"""Mixture weights: how many tokens of each source a training run sees, and how often.

A share says what part of the budget a source should be; the tokens that exist say how many epochs that takes. Epochs
are capped: up to 4 passes over the same tokens are nearly as good as fresh ones, beyond that their value falls fast
(Muennighoff et al. 2023, "Scaling Data-Constrained Language Models", https://arxiv.org/abs/2305.16264).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from curation.errors import MixtureError, did_you_mean

SHARE_TOLERANCE = 1e-3  # shares written with three decimals may miss 1 by this much


class MixtureSettings(BaseModel):
    """`sources` are shares of the budget that sum to 1, or "sizes" (each source by its tokens).

    `budget_tokens` null means as many tokens as the sources hold, one epoch by size. `max_epochs` caps each source.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    max_epochs: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 4.0
    sources: dict[str, Annotated[float, Field(gt=0, le=1)]] | Literal["sizes"] = "sizes"

    @field_validator("sources")
    @classmethod
    def _sum_to_one(cls, sources: dict[str, float] | str) -> dict[str, float] | str:
        if isinstance(sources, dict) and abs(math.fsum(sources.values()) - 1) > SHARE_TOLERANCE:
            raise ValueError(f"shares must sum to 1, these sum to {math.fsum(sources.values()):.6g}")
        return sources


def solve(available: Mapping[str, int], settings: MixtureSettings) -> dict[str, Any]:
    """The mixture as it stands in mixture.json.

    `available` is tokens by source. Returns `budget_tokens`, `max_epochs`, `notes` (sentences on what differs from the
    shares asked for) and `sources`: name -> `tokens_available`, `share_asked`, `share` (sums to 1), `tokens` (sums to
    the budget), `epochs`. A source at its cap passes what is left to the others, in proportion to their shares.

    Raises MixtureError where a source has no tokens, or all caps together do not reach the budget.

    >>> found = solve({"web": 900, "wiki": 10}, MixtureSettings(budget_tokens=1000, sources={"web": 0.9, "wiki": 0.1}))
    >>> found["sources"]["wiki"]["tokens"], found["sources"]["wiki"]["epochs"], found["notes"]
    (40, 4.0, ['wiki is capped at 4 epochs: 0.1 of the budget was asked for, it gives 0.04'])
    """
    asked = _shares(available, settings)
    budget = settings.budget_tokens or sum(available[name] for name in asked)
    caps = {name: math.floor(settings.max_epochs * available[name]) for name in asked}
    _check_reachable(available, asked, caps, budget, settings.max_epochs)
    tokens = _fill(asked, caps, budget)
    sources = {
        name: {
            "tokens_available": available[name],
            "share_asked": share,
            "share": tokens[name] / budget,
            "tokens": tokens[name],
            "epochs": tokens[name] / available[name],
        }
        for name, share in asked.items()
    }
    return {
        "budget_tokens": budget,
        "max_epochs": settings.max_epochs,
        "sources": sources,
        "notes": _notes(available, sources, caps, settings.max_epochs),
    }


def _shares(available: Mapping[str, int], settings: MixtureSettings) -> dict[str, float]:
    """The shares asked for, summing to 1, in order of name."""
    filled = sorted(name for name, tokens in available.items() if tokens > 0)
    if settings.sources == "sizes":
        if not filled:
            raise MixtureError("no source has tokens: run the token stage first")
        raw = {name: float(available[name]) for name in filled}
    else:
        raw = dict(sorted(settings.sources.items()))
    missing = [f"'{name}' has no tokens ({did_you_mean(name, filled)})" for name in raw if name not in filled]
    if missing:
        raise MixtureError(f"{'; '.join(missing)}: correct the name, or take it out of the mixture")
    total = math.fsum(raw.values())
    return {name: share / total for name, share in raw.items()}


def _check_reachable(
    available: Mapping[str, int], asked: Mapping[str, float], caps: Mapping[str, int], budget: int, max_epochs: float
) -> None:
    short = budget - sum(caps.values())
    if short > 0:
        held = ", ".join(f"{name} {available[name]:,}" for name in asked)
        raise MixtureError(
            f"{short:,} tokens are missing: {budget:,} are asked for, and at {max_epochs:g} epochs these sources give "
            f"{sum(caps.values()):,} ({held} tokens): lower budget_tokens, raise max_epochs, or add sources"
        )


def _fill(asked: Mapping[str, float], caps: Mapping[str, int], budget: int) -> dict[str, int]:
    """Whole tokens by source that sum to the budget, each within its cap.

    Sources whose part reaches their cap are fixed at it and the rest is shared out anew, until none does. Fractions are
    exact, so neither the sum nor a cap is missed by rounding.
    """
    free = {name: Fraction(share) for name, share in asked.items()}
    fixed: dict[str, int] = {}
    left = budget
    while free:
        weight = sum(free.values())
        parts = {name: left * share / weight for name, share in free.items()}
        full = [name for name in free if parts[name] >= caps[name]]
        if not full:
            return fixed | _whole(parts, left)
        for name in full:
            fixed[name] = caps[name]
            left -= caps[name]
            del free[name]
    return fixed


def _whole(parts: Mapping[str, Fraction], total: int) -> dict[str, int]:
    """Parts rounded to whole numbers that sum to `total`: down, and one up for the largest remainders."""
    whole = {name: math.floor(part) for name, part in parts.items()}
    by_remainder = sorted(parts, key=lambda name: (whole[name] - parts[name], name))
    for name in by_remainder[: total - sum(whole.values())]:
        whole[name] += 1
    return whole


def _notes(
    available: Mapping[str, int], sources: Mapping[str, Mapping[str, Any]], caps: Mapping[str, int], max_epochs: float
) -> list[str]:
    notes = [
        f"{name} is capped at {max_epochs:g} epochs: {one['share_asked']:.4g} of the budget was asked for, "
        f"it gives {one['share']:.4g}"
        for name, one in sources.items()
        if one["tokens"] == caps[name] and one["share"] < one["share_asked"] - 1e-9
    ]
    unused = sorted(name for name, tokens in available.items() if tokens > 0 and name not in sources)
    return notes + [f"{name} is not used: {available[name]:,} tokens, no share names it" for name in unused]
