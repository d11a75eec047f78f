"""`curate mix solve`: tokens and epochs of each source for the shares asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curation.commands.app import command, console, mix
from curation.commands.mixture_options import (
    Budget,
    MixtureName,
    Run,
    Tokens,
    mixture_and_tokens,
    mixture_table,
)
from curation.mixture import solve
from curation.report.numbers import short
from curation.run.folder import write_json


@command("solve", mix)
def mix_solve(
    mixture: MixtureName,
    tokens: Tokens = [],  # noqa: B006
    run: Run = None,
    budget: Budget = None,
    out: Annotated[Path | None, typer.Option(help="Where to write mixture.json, which the trainer reads.")] = None,
) -> None:
    """Turn shares into tokens and epochs within all caps; no Spark, so a finished run can be mixed anew."""
    settings, available = mixture_and_tokens(mixture, tokens, run, budget)
    found = solve(available, settings)
    worth = found["effective_tokens"] / found["budget_tokens"]
    title = f"{short(found['budget_tokens'])} tokens, worth {worth:.1%} of as many fresh ones"
    console.print(mixture_table(found, title))
    for phase in found.get("phases", ()):
        length = f", sequences of {phase['sequence_length']:,}" if phase["sequence_length"] else ""
        console.print(mixture_table(phase, f"{phase['name']}: {short(phase['budget_tokens'])} tokens{length}"))
    for note in found["notes"]:
        console.print(note, highlight=False, soft_wrap=True)
    if out is not None:
        write_json(out, found)
        console.print(f"wrote {out}", highlight=False, soft_wrap=True)
