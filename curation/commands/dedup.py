"""`curate dedup`: files of text in, the same files without copies out. No crawl involved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from curation.commands.app import Overrides, command, console
from curation.commands.run import cores_of
from curation.dedup.duplicates import Duplicates
from curation.dedup_rows.run import RowsResult, deduplicate_rows
from curation.progress import ShowProgress
from curation.recipe.load import Recipe, load_recipe
from curation.recipe.run_files import cluster_with
from curation.spark import start_session


@command("dedup")
def dedup(
    where: Annotated[list[str], typer.Argument(metavar="FILES", help="Parquet or JSON lines: files, folders, globs.")],
    out: Annotated[Path, typer.Option(help="Folder to create.")],
    text: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Text; default text, content or raw_content.")
    ] = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Your identity of a row, told in removed/.")] = None,
    date: Annotated[str | None, typer.Option(metavar="COLUMN", help="For --keep newest or first.")] = None,
    score: Annotated[str | None, typer.Option(metavar="COLUMN", help="For --keep best_score.")] = None,
    keep: Annotated[str | None, typer.Option(help="longest, newest, best_score or first.")] = None,
    recipe: Annotated[str, typer.Option(help="A recipe of the stages exact and minhash.")] = "dedup",
    source: Annotated[str, typer.Option(help="Name of the input; part of the documents' identity.")] = "web",
    against: Annotated[
        list[Path], typer.Option(metavar="OUT", help="An earlier output whose rows count as seen; may be given again.")
    ] = [],  # noqa: B006
    cluster: Annotated[str | None, typer.Option(metavar="FILE", help="Cluster file: cores, sizes, Spark.")] = None,
    set: Overrides = [],  # noqa: B006
) -> None:
    """Remove exact and near copies from Parquet or JSON lines: the same rows out, and a table of what went."""
    loaded = _with_policy(load_recipe(recipe, set, rows=True), recipe, set, keep, score)
    sized = cluster_with(cluster)
    with ShowProgress(console) as progress:
        result = deduplicate_rows(
            partial(start_session, sized.cores, sized.spark), loaded, where, out, text=text, id=id, date=date,
            source=source, cluster=sized, cores=cores_of(sized), against=against, progress=progress,
        )  # fmt: skip
    _show(result)


def _with_policy(loaded: Recipe, recipe: str, given: list[str], keep: str | None, score: str | None) -> Recipe:
    """The recipe with --keep and --score written into each of its stages."""
    if keep is None and score is None:
        return loaded
    stages = [stage.name for stage in loaded.stages if isinstance(stage, Duplicates)]
    policy = keep or "best_score"
    more = [f"{name}.keep={policy}" for name in stages]
    more += [f"{name}.score={score}" for name in stages if score is not None]
    return load_recipe(recipe, [*given, *more], rows=True)


def _show(result: RowsResult) -> None:
    table = Table("", "rows", box=None)
    table.columns[1].justify = "right"
    table.add_row("read", f"{result.rows:,}")
    if result.without_text:
        table.add_row("without text (kept, not compared)", f"{result.without_text:,}")
    for stage, removed in result.removed.items():
        table.add_row(f"removed by {stage}", f"{removed:,}")
    table.add_row("written", f"{result.written:,}")
    console.print(table)
    root = result.folder.root
    for name, path in (("text", root / "text"), ("removed", root / "removed")):
        console.print(f"{name:8} {path}", highlight=False, soft_wrap=True)
