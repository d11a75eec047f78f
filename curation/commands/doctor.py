"""`curate doctor`: is everything there that a run needs, here or on every executor of a cluster?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.doctor import examine
from curation.errors import InputError
from curation.executors import examine_executors
from curation.spark import start_session


@command("doctor")
def doctor(
    spark: Annotated[bool, typer.Option(help="Start Spark and send work to a worker.")] = True,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Look at every executor of the cluster that spark-submit started us on.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="With --cluster: a folder that every executor must reach.")
    ] = None,
) -> None:
    """Check that everything a run needs is there."""
    if out is not None and not cluster:
        raise InputError("--out is for the check of a cluster: add --cluster")
    failed = _of_cluster(out) if cluster else _of_this_machine(spark)
    raise typer.Exit(1 if failed else 0)


def _of_this_machine(spark: bool) -> int:
    failed = 0
    for one in examine(with_spark=spark):
        line = Table.grid(padding=(0, 1, 0, 0))  # long findings wrap under themselves
        line.add_column(width=4)
        line.add_column(width=16)
        told = Text(one.found)
        if not one.ok:
            failed += 1
            told.append(f"\n-> {one.advice}")
        line.add_row(Text("ok", "green") if one.ok else Text("FAIL", "red"), Text(one.name), told)
        console.print(line)
    return failed


def _of_cluster(out: Path | None) -> int:
    executors, known = examine_executors(start_session(), out.absolute() if out else None)
    failed = 0
    for one in executors:
        mark = "[red]FAIL[/]" if one.problems else "[green]ok[/]  "
        free = one.free_bytes / 2**30
        told = f"{one.host} {one.folder}: Python {one.python}, {free:.0f} GiB free for temporary files"
        console.print(f"{mark} {escape(told)}", highlight=False, soft_wrap=True)
        for problem in one.problems:
            failed += 1
            console.print(f"     -> {problem}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(executors)} of {known} executors answered", highlight=False)
    return failed + max(0, known - len(executors))
