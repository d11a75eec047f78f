"""`curate mix propose`: candidate mixtures to train small models on."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from curation.commands.app import command, console, mix
from curation.commands.mixture_options import Budget, MixtureName, Run, Tokens, mixture_and_tokens
from curation.mixture.propose import propose
from curation.mixture.solve import shares_and_caps


@command("propose", mix)
def mix_propose(
    mixture: MixtureName,
    out: Annotated[Path, typer.Option(help="CSV to write: a row a candidate, a column a source.")],
    candidates: Annotated[int, typer.Option(help="How many.", min=1, max=100_000)] = 64,
    tokens: Tokens = [],  # noqa: B006
    run: Run = None,
    budget: Budget = None,
    seed: Annotated[int, typer.Option(help="Another seed draws other candidates.", min=0)] = 0,
) -> None:
    """Draw candidate mixtures around the one given, each possible at the full budget within its caps."""
    settings, available = mixture_and_tokens(mixture, tokens, run, budget)
    asked, caps = shares_and_caps(available, settings)
    found = propose(asked, caps, candidates, seed)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["candidate", *sorted(asked)])
        writer.writerows([number, *(f"{one[name]:.6f}" for name in sorted(asked))] for number, one in enumerate(found))
    console.print(
        f"wrote {len(found)} candidates to {out}; number 0 is the mixture given. Train a small model on each, add a "
        f"column with its loss, then: curate mix fit {out} --loss COLUMN",
        highlight=False,
        soft_wrap=True,
    )
