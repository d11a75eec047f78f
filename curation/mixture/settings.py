"""What may be asked of a mixture: the `mixture` section of a recipe."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

SHARE_TOLERANCE = 1e-3  # shares written with three decimals may miss 1 by this much

Sources = dict[str, Annotated[float, Field(gt=0, le=1)]] | Literal["sizes", "unimax"]
Epochs = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _sum_to_one(sources: dict[str, float] | str) -> dict[str, float] | str:
    if isinstance(sources, dict) and abs(math.fsum(sources.values()) - 1) > SHARE_TOLERANCE:
        raise ValueError(f"shares must sum to 1, these sum to {math.fsum(sources.values()):.6g}")
    return sources


def _check_temperature(sources: dict[str, float] | str, temperature: float) -> None:
    if temperature != 1 and sources != "sizes":
        raise ValueError("temperature softens shares by size: use it with sources: sizes, or leave it out")


class Limit(BaseModel):
    """Bounds of one source: `max_epochs` over the whole run (in place of the mixture's), `max_share` of every phase.

    `synthetic` marks text that a model wrote. It must come with a `max_share`: how far such text can replace that of
    people is an open question, so how much of it a run takes has to be said.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    max_epochs: Epochs | None = None
    max_share: Annotated[float, Field(gt=0, le=1)] | None = None
    synthetic: bool = False

    @model_validator(mode="after")
    def _synthetic_is_capped(self) -> Limit:
        if self.synthetic and self.max_share is None:
            raise ValueError("a synthetic source needs a max_share, such as max_share: 0.1")
        return self


class Phase(BaseModel):
    """A stretch of the run with its own shares: main training, annealing, long context.

    `sequence_length` is in tokens; null leaves it to the shards.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str
    budget_tokens: Annotated[int, Field(ge=1)]
    sequence_length: Annotated[int, Field(ge=1)] | None = None
    sources: Sources = "sizes"
    temperature: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 1.0

    check_shares = field_validator("sources")(_sum_to_one)

    @model_validator(mode="after")
    def _temperature_needs_sizes(self) -> Phase:
        _check_temperature(self.sources, self.temperature)
        return self


class MixtureSettings(BaseModel):
    """`sources` are shares of the budget that sum to 1, "sizes" (each source by its tokens), or "unimax" (evenly).

    `budget_tokens` null means as many tokens as the sources hold, one epoch by size. `max_epochs` caps each source over
    the whole run, `limits` single sources. `temperature` T makes shares by size proportional to tokens^(1/T): 1 is
    proportional, larger is more even. `phases` replace budget, sources and temperature.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    max_epochs: Epochs = 4.0
    sources: Sources = "sizes"
    temperature: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 1.0
    limits: dict[str, Limit] = {}
    phases: tuple[Phase, ...] = ()

    check_shares = field_validator("sources")(_sum_to_one)

    @field_validator("phases", mode="before")
    @classmethod
    def _from_list(cls, phases: object) -> object:
        return tuple(phases) if isinstance(phases, list) else phases  # strict tuples refuse the lists of YAML

    @model_validator(mode="after")
    def _phases_stand_alone(self) -> MixtureSettings:
        if not self.phases:
            _check_temperature(self.sources, self.temperature)
            return self
        given = self.model_fields_set & {"sources", "temperature"}
        if given:
            raise ValueError(f"with phases, each phase has its own {' and '.join(sorted(given))}: move them there")
        names = [phase.name for phase in self.phases]
        if len(set(names)) < len(names):
            raise ValueError(f"phases need names of their own, these are {', '.join(names)}")
        total = sum(phase.budget_tokens for phase in self.phases)
        if self.budget_tokens not in (None, total):
            raise ValueError(f"budget_tokens is {self.budget_tokens:,}, its phases sum to {total:,}: leave it out")
        return self

    def epochs_cap(self, source: str) -> float:
        """Passes over a source that the whole run may make."""
        limit = self.limits.get(source)
        return self.max_epochs if limit is None or limit.max_epochs is None else limit.max_epochs
