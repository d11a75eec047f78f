"""`curate verify-clean`: is any benchmark item left in the token shards of a run?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import Overrides, command, console
from curation.recipe.load import load_recipe
from curation.report.benchmarks import count_states
from curation.report.tables import items_table
from curation.run.folder import RunFolder
from curation.run.verify import verify_run
from curation.spark import start_session


@command("verify-clean")
def verify_clean(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    recipe: Annotated[
        str | None, typer.Option(help="Look for what this recipe's stages look for, instead of the run's own.")
    ] = None,
    benchmarks: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="With --recipe: the benchmark files.")
    ] = None,
    cores: Annotated[str, typer.Option(help="Cores of local mode.")] = "*",
    set: Overrides = [],  # noqa: B006
) -> None:
    """Decode the token shards of a run and prove that nothing above the bound is left (exit code 1 if not)."""
    other = load_recipe(recipe, set) if recipe is not None else None
    found = verify_run(partial(start_session, cores), RunFolder(run.absolute()), other, benchmarks)
    for one in found:
        console.print(items_table(one.stage, count_states(one.items)))
        verdict = "nothing above the bound is left" if one.clean else f"{one.documents_left:,} documents are not clean"
        style = "green" if one.clean else "bold red"
        console.print(Text(f"{one.stage}: {one.documents:,} documents decoded and searched; {verdict}", style=style))
        for row in one.left:
            where = f"document {row['doc_id']}, characters {row['start']}-{row['end']}"
            console.print(f"  {row['benchmark']} {row['item']}: {where}, {row['ratio']:.0%} of the item", markup=False)
    raise typer.Exit(0 if all(one.clean for one in found) else 1)
