"""Tokens to optimizer steps under a batch-size ramp, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ramp:
    """Batch sizes in tokens, and after how many tokens each gives way to the next (one switch fewer than batches).

    The last batch before a switch, and the last of the run, takes the tokens that are left, so that each size serves
    exactly its own part of the budget. This is the reading that gives Llama 3's published steps.
    """

    batches: tuple[int, ...]
    switches: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.switches) != len(self.batches) - 1:
            raise ValueError(
                f"{len(self.batches)} batch sizes need {len(self.batches) - 1} switches, not {len(self.switches)}"
            )
        if any(batch <= 0 for batch in self.batches):
            raise ValueError(f"batch sizes must be positive, are {self.batches}")
        if list(self.switches) != sorted(set(self.switches)) or any(switch <= 0 for switch in self.switches):
            raise ValueError(f"switches must be positive and rise, are {self.switches}")

    def steps(self, tokens: int) -> list[int]:
        """Steps at each batch size for a budget of `tokens`.

        >>> Ramp((2**22, 2**23, 2**24), (252 * 10**6, 287 * 10**10)).steps(156 * 10**11)
        [61, 342101, 758768]
        """
        counts, start = [], 0
        for batch, switch in zip(self.batches, [*self.switches, tokens], strict=True):
            end = max(start, min(switch, tokens))
            counts.append(-((start - end) // batch))
            start = end
        return counts

    def cut_at(self, stops: Sequence[int]) -> Ramp:
        """The same ramp with a short batch before each of `stops` (tokens, rising), as at a switch: a phase ends there.

        >>> Ramp((10, 20), (25,)).cut_at([45]).steps(60)
        [3, 1, 1]
        """
        ends = sorted({*self.switches, *stops})
        inside = [sum(switch <= start for switch in self.switches) for start in [0, *ends]]
        return Ramp(tuple(self.batches[i] for i in inside), tuple(ends))

    def tokens_after(self, step: int) -> int:
        """Tokens seen after `step` optimizer steps of a run without end.

        >>> Ramp((10, 20), (25,)).tokens_after(4)
        45
        """
        start = 0
        for batch, switch in zip(self.batches[:-1], self.switches, strict=True):
            count = -((start - switch) // batch)
            if step < count:
                return start + step * batch
            start, step = switch, step - count
        return start + step * self.batches[-1]
