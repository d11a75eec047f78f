"""`curate explain`: every rule for one page, passing and failing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import Overrides, command, console
from curation.errors import InputError
from curation.notebook import explain
from curation.page import Page
from curation.recipe.load import load_recipe
from curation.report.tables import compact_table


@command("explain")
def explain_page(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE_OR_RUN", help="A recipe, or the folder of a run.")],
    file: Annotated[Path | None, typer.Argument(help="A text or .html file; - reads standard input.")] = None,
    url: Annotated[str | None, typer.Option(help="With a run folder: the page of this address.")] = None,
    set: Overrides = [],  # noqa: B006
) -> None:
    """Print every rule for one page: value, bound, pass or fail."""
    if url is not None:
        from curation.run.folder import RunFolder
        from curation.run.lookup import find_page

        page, loaded, fate = find_page(RunFolder(Path(recipe).absolute()), url)
        console.print(f"{page.url}\nfate in this run: {fate}\n", markup=False, highlight=False)
    elif file is not None:
        loaded = load_recipe(recipe, set)
        text = sys.stdin.read() if str(file) == "-" else _read_text(file)
        html = file.suffix.lower() in (".html", ".htm")
        page = Page(html=text) if html else Page(text)
    else:
        raise InputError("nothing to explain: give a text file, or a run folder with --url")
    table = compact_table("every rule, its value and its bound")
    table.add_column("stage and rule", no_wrap=True)
    table.add_column("value", justify="right", overflow="fold")
    table.add_column("bound", overflow="fold")
    table.add_column("", no_wrap=True)
    stage = ""
    for found in explain(loaded, page):
        if found.stage != stage:
            stage = found.stage
            table.add_row(Text(stage, "bold"))
        mark = {True: Text("pass", "green"), False: Text("FAIL", "bold red"), None: Text("")}[found.passed]
        value = f"{found.value:.4g}" if isinstance(found.value, float) else str(found.value)
        table.add_row(Text(f"  {found.rule}"), Text(value), Text(found.bound), mark)
    console.print(table)


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text (byte {error.start}); convert it first") from error
