"""`curate what-if`: move a bound and see how the funnel changes, without reading a page again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.report.numbers import exact, short
from curation.report.tables import WIDE, compact_table
from curation.run.folder import RunFolder, write_json
from curation.run.what_if import WhatIf, what_if


@command("what-if")
def show_what_if(
    run: Annotated[Path, typer.Argument(help="Folder of a run made with --annotate.")],
    set: Annotated[list[str], typer.Option("--set", metavar="STAGE.RULE.BOUND=VALUE", help="A bound to move.")] = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="Write both funnels as JSON.")] = None,
) -> None:
    """Show the funnel of an annotate run with its own bounds and with moved ones."""
    answer = what_if(RunFolder(run.absolute()), set)
    console.print(_table(answer, console.width))
    if out is not None:
        write_json(out, {"before": answer.before, "after": answer.after, "set": set})


def _table(answer: WhatIf, width: int) -> Table:
    """Pages and characters with the run's bounds, with moved ones, and the change; rounded where space is short."""
    exact_below = 10**9 if width >= WIDE else 10**5
    table = compact_table("pages and characters each stage keeps")
    table.add_column("stage", overflow="ellipsis", no_wrap=True, max_width=24)
    for name in ("pages", "what if", "change", "chars", "what if", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    for before, after in zip(answer.before, answer.after, strict=True):
        row = []
        for key in ("kept", "chars_out"):
            change = after[key] - before[key]
            told = f"{'+' if change > 0 else ''}{_number(change, exact_below)}" if change else ""
            row += [_number(before[key], exact_below), _number(after[key], exact_below), Text(told, "bold yellow")]
        table.add_row(Text(before["stage"]), *row)
    return table


def _number(number: int, exact_below: int) -> str:
    return exact(number) if abs(number) < exact_below else short(number)
