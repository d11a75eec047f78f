"""`curate what-if`: move a bound and see how the funnel changes, without reading a page again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.run.folder import RunFolder, write_json
from curation.run.what_if import what_if


@command("what-if")
def show_what_if(
    run: Annotated[Path, typer.Argument(help="Folder of a run made with --annotate.")],
    set: Annotated[list[str], typer.Option("--set", metavar="STAGE.RULE.BOUND=VALUE", help="A bound to move.")] = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="Write both funnels as JSON.")] = None,
) -> None:
    """Show the funnel of an annotate run with its own bounds and with moved ones."""
    answer = what_if(RunFolder(run.absolute()), set)
    table = Table("stage", title="pages and characters each stage keeps")
    for name in ("pages", "what if", "difference", "characters", "what if", "difference"):
        table.add_column(name, justify="right", no_wrap=True)
    for before, after in zip(answer.before, answer.after, strict=True):
        row = []
        for key in ("kept", "chars_out"):
            change = after[key] - before[key]
            row += [f"{before[key]:,}", f"{after[key]:,}", Text(f"{change:+,}" if change else "", "bold yellow")]
        table.add_row(before["stage"], *row)
    console.print(table)
    if out is not None:
        write_json(out, {"before": answer.before, "after": answer.after, "set": set})
