"""`curate demo`: two sample snapshots with known truth, a run over them, and what was found of what was planted."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import command, console
from curation.commands.run import run_and_show
from curation.errors import InputError
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.report.tables import compact_table
from curation.run.folder import read_json
from curation.sample.check import check
from curation.sample.snapshots import write_snapshots
from curation.sample.world import SNAPSHOTS


@command("demo")
def demo(
    out: Annotated[Path, typer.Option(help="Folder to write; an earlier demo there is replaced.")] = Path("demo"),
    pages: Annotated[int, typer.Option(help="Pages in both snapshots together.", min=100)] = 400,
    seed: Annotated[int, typer.Option(help="Another seed makes other pages.")] = 7,
) -> None:
    """Make two small crawl snapshots with known truth, run the recipe `sample` on them, and compare."""
    _clear(out)
    write_snapshots(out / "snapshots", seed=seed, pages=pages)
    console.print(f"wrote two sample snapshots to {out / 'snapshots'}", highlight=False)
    source = Source(where=str(out / "snapshots"))
    result = run_and_show(load_recipe("sample"), [source], out / "run", Cluster())
    findings = check(result.folder.root, out / "snapshots" / "truth.jsonl")
    table = compact_table("what was planted and what was found")
    table.add_column("kind")
    for name in ("planted", "found"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("note", overflow="fold")
    for finding in findings:
        mark = Text("ok", "green") if finding.ok else Text("MISSED", "bold red")
        table.add_row(finding.role, str(finding.planted), str(finding.found), mark, Text(finding.note))
    console.print(table)
    raise typer.Exit(0 if all(finding.ok for finding in findings) and not result.problems else 1)


def _clear(out: Path) -> None:
    """Deletes what an earlier demo wrote, a broken-off one too. Raises InputError where something else lies there."""
    crawl, run = out / "snapshots", out / "run"
    parts = [path.name for folder in (crawl, crawl / "crawl-data") if folder.is_dir() for path in folder.iterdir()]
    ours = {crawl: {*parts} <= {"crawl-data", "truth.jsonl", *SNAPSHOTS}, run: True}
    if run.exists() and any(run.iterdir()):
        ours[run] = (run / "plan.json").is_file() and read_json(run / "plan.json")["recipe"] == "sample"
    for folder, replaced in ours.items():
        if not replaced:
            raise InputError(f"{folder} was not written by a demo, and is not replaced: choose another --out")
    for folder in ours:
        shutil.rmtree(folder, ignore_errors=True)
