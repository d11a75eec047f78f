"""Reads the key `cascade` of extract stages, and puts the rehearsal of the stages behind in front of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from curation.extract.cascade import CascadeSettings, rehearse, with_cascade
from curation.extract.engines import visible_text
from curation.recipe.sections import read_section
from curation.stage import PageStage


def add_cascades(bodies: Sequence[dict], stages: Sequence[Any], mistakes: list[str]) -> list[Any]:
    """The stages, those with `cascade` in their body replaced. Wrong settings become sentences in `mistakes`."""
    return [_add(number, bodies[number], stages, mistakes) for number in range(len(stages))]


def _add(number: int, body: dict, stages: Sequence[Any], mistakes: list[str]) -> Any:
    stage, given = stages[number], body.get("cascade", False)
    if stage is None or "extract" not in body or given is False:
        return stage
    where = f"stage '{stage.name}': cascade"
    settings = CascadeSettings() if given is True else read_section(where, CascadeSettings, given, mistakes)
    if settings is None:
        return stage
    later = list(takewhile(lambda after: isinstance(after, PageStage), stages[number + 1 :]))
    rehearsal = rehearse(later, settings.loosen)
    if not rehearsal.reasons:
        mistakes.append(
            f"{where}: no later stage has a bound it could decide on (language behind an annotate stage, "
            "language_score, or min of word_count, stop_word_count, chars); leave cascade out"
        )
    return with_cascade(stage, rehearsal, settings.audit, visible_text)
