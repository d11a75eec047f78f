"""What a mixture asks of the shards: for each phase, the rows to read of each source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.errors import MixtureError, did_you_mean


@dataclass(frozen=True)
class PhaseRequest:
    """A phase as a mixture names it. `epochs` are passes over each source; None reads every source once."""

    name: str
    length: int | None
    epochs: Mapping[str, float] | None


def requested_phases(mixture: Mapping[str, Any] | Path | str | None, length: int | None) -> list[PhaseRequest]:
    """The phases of mixture.json (a path, or its content), in order; one phase named "" where it has no `phases`.

    `length` is the sequence length of a phase that names none. Without a mixture every source is read once.
    """
    if mixture is None:
        return [PhaseRequest("", length, None)]
    if not isinstance(mixture, Mapping):
        mixture = _read(Path(mixture))
    phases: Sequence[Mapping[str, Any]] = mixture.get("phases") or [mixture]
    return [
        PhaseRequest(
            phase.get("name", ""),
            phase.get("sequence_length") or length,
            {name: one["epochs"] for name, one in sorted(phase["sources"].items()) if one["epochs"] > 0},
        )
        for phase in phases
    ]


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MixtureError(f"no mixture in {path} ({error}): name the mixture.json of a run") from error
    if not isinstance(found, dict) or not {"sources", "phases"} & found.keys():
        raise MixtureError(f"{path} holds no mixture, neither sources nor phases: name the mixture.json of a run")
    return found


def choose(phases: Sequence[PhaseRequest], name: str | None) -> list[int]:
    """Numbers of the phases to read: all, or the one called `name`."""
    known = [phase.name for phase in phases]
    if name is None:
        return list(range(len(phases)))
    if name not in known:
        raise MixtureError(f"the mixture has no phase '{name}'; {did_you_mean(name, known)}")
    return [known.index(name)]


def check_sources(phases: Sequence[PhaseRequest], held: Sequence[str], where: str) -> None:
    """Raises MixtureError for sources of the mixture that have no shards."""
    wanted = sorted({name for phase in phases for name in phase.epochs or ()})
    missing = [f"'{name}' ({did_you_mean(name, list(held))})" for name in wanted if name not in held]
    if missing:
        raise MixtureError(f"the mixture names {', '.join(missing)}, of which {where} holds no shards: solve it anew")


def planned_rows(request: PhaseRequest, held: Mapping[str, int]) -> dict[str, int]:
    """Rows to read of each source in this phase: its rows times its epochs, at least one."""
    if request.epochs is None:
        return dict(held)
    return {name: max(1, round(held[name] * times)) for name, times in request.epochs.items()}
