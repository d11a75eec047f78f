"""`curate doctor`: is everything there that a run needs?"""

from __future__ import annotations

from typing import Annotated

import typer

from curation.commands.app import command, console
from curation.doctor import examine


@command("doctor")
def doctor(spark: Annotated[bool, typer.Option(help="Start Spark and send work to a worker.")] = True) -> None:
    """Check that everything a run needs is there."""
    failed = 0
    for one in examine(with_spark=spark):
        mark = "[green]ok[/]  " if one.ok else "[red]FAIL[/]"
        console.print(f"{mark} {one.name:16} ", end="")
        console.print(one.found, markup=False, highlight=False)
        if not one.ok:
            failed += 1
            console.print(f"     -> {one.advice}", markup=False, highlight=False)
    raise typer.Exit(1 if failed else 0)
