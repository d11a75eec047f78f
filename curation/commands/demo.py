"""`curate demo`: two sample snapshots with known truth, a run over them, and what was found of what was planted."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.commands.run import run_and_show
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.sample.check import check
from curation.sample.snapshots import write_snapshots
from curation.spark import SHORT_RUN


@command("demo")
def demo(
    out: Annotated[Path, typer.Option(help="Folder to write; an earlier demo there is replaced.")] = Path("demo"),
    pages: Annotated[int, typer.Option(help="Pages in both snapshots together.", min=100)] = 400,
    seed: Annotated[int, typer.Option(help="Another seed makes other pages.")] = 7,
) -> None:
    """Make two small crawl snapshots with known truth, run the recipe `sample` on them, and compare."""
    for part in ("snapshots", "run"):  # only what an earlier demo wrote
        shutil.rmtree(out / part, ignore_errors=True)
    write_snapshots(out / "snapshots", seed=seed, pages=pages)
    console.print(f"wrote two sample snapshots to {out / 'snapshots'}", highlight=False)
    source = Source(where=str(out / "snapshots"))
    result = run_and_show(load_recipe("sample"), [source], out / "run", Cluster(spark=SHORT_RUN))
    findings = check(result.folder.root, out / "snapshots" / "truth.jsonl")
    table = Table("planted", "planted", "found", "", "note", title="what was planted and what was found")
    for finding in findings:
        mark = Text("ok", "green") if finding.ok else Text("MISSED", "bold red")
        table.add_row(finding.role, str(finding.planted), str(finding.found), mark, Text(finding.note))
    console.print(table)
    raise typer.Exit(0 if all(finding.ok for finding in findings) and not result.problems else 1)
