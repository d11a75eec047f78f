"""`curate report`: the funnel of a run, and its report.html again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curation.commands.app import command, console
from curation.errors import InputError
from curation.report.benchmarks import gather_items
from curation.report.html import write_report
from curation.report.tables import files_table, funnel_table, items_table, reasons_table
from curation.run.folder import RunFolder, read_json


@command("report")
def report(run: Annotated[Path, typer.Argument(help="Folder of a run.")]) -> None:
    """Print the funnel of a run and write its report.html again."""
    folder = RunFolder(run)
    if not folder.funnel.is_file():
        raise InputError(
            f"{run} holds no funnel.json, so it is no finished run; finish it with `curate run ... --resume`"
        )
    funnel = read_json(folder.funnel)
    manifest, width = read_json(folder.manifest), console.width
    console.print(funnel_table(funnel, width), reasons_table(funnel, width=width), files_table(manifest, width=width))
    for stage, benchmarks in gather_items(run).items():
        console.print(items_table(stage, benchmarks))
    console.print(f"report: {write_report(run)}", highlight=False, soft_wrap=True)
