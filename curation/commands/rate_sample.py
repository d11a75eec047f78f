"""`curate rate-sample`: pages of a run as JSON lines, with the instruction for a rater, ready for their ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import command, console
from curation.quality.rating_sample import write_sample
from curation.report.tables import compact_table


@command("rate-sample")
def rate_sample(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    out: Annotated[Path, typer.Option(help="JSONL file to write.")],
    pages: Annotated[int, typer.Option(help="Lines in all; each stratum gives the same number.", min=1)] = 1000,
    by: Annotated[str, typer.Option(help="Strata: language, snapshot, source, or scores.NAME in tenths.")] = "language",
    instruction: Annotated[str, typer.Option(help="A name in conf/instructions, or a .txt file.")] = "educational",
    max_chars: Annotated[int, typer.Option(help="Of each text.", min=1)] = 3000,
) -> None:
    """Export a stratified sample for rating from 0 to 5; `train-quality --ratings` reads it back."""
    strata = write_sample(run, out, pages, by, instruction, max_chars)
    table = compact_table("pages to rate")
    table.add_column("stratum")
    table.add_column("lines", justify="right", no_wrap=True)
    for name, count in strata.items():
        table.add_row(Text(name), f"{count:,}")
    console.print(table)
    console.print(f"wrote {out}; put a rater's answer under 'rating' of each line", highlight=False, soft_wrap=True)
