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
from curation.recipe.run_files import read_paths
from curation.report.tables import compact_table
from curation.run.folder import RunFolder
from curation.run.lookup import find_page
from curation.stores.access import conceal, is_remote


@command("explain")
def explain_page(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE_OR_RUN", help="A recipe, or the folder of a run.")],
    file: Annotated[Path | None, typer.Argument(help="A text or .html file; - reads standard input.")] = None,
    url: Annotated[str | None, typer.Option(help="With a run folder: the page of this address.")] = None,
    input: Annotated[
        list[str], typer.Option(metavar="WHERE", help="With --url: the run's input again, where it needs a password.")
    ] = [],  # noqa: B006
    paths: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --url: the run's paths file, likewise.")
    ] = None,
    set: Overrides = [],  # noqa: B006
) -> None:
    """Print every rule for one page: value, bound, pass or fail."""
    if url is not None:
        if file is not None:
            raise InputError(f"--url names the page already; leave {file} out")
        for where in [*input, *(one.where for one in (read_paths(paths).inputs if paths else ()))]:
            if is_remote(where):
                conceal(where)  # what is secret in it is known from now on
        page, loaded, fate = find_page(RunFolder(Path(recipe).absolute()), url, set)
        console.print(f"{page.url}\nfate in this run: {fate}\n", markup=False, highlight=False)
    elif file is not None:
        loaded = load_recipe(recipe, set)
        text = _read_text(file)
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
    name = "standard input" if str(file) == "-" else str(file)
    try:
        read = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return read.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text (byte {error.start}); convert it first") from error
