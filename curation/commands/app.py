"""What the commands share: the application, the consoles, and how a user's error ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer
from rich.console import Console

from curation.errors import CurationError
from curation.hidden import hide

# A terminal in another encoding than UTF-8, and names of files that are no UTF-8, must not cost a run its last words.
for stream in (sys.stdout, sys.stderr):
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="From crawl files to language-model training data.",
)
console = Console(width=None if sys.stdout.isatty() else 120)  # a log has no width of its own
complaints = Console(stderr=True)

mix = typer.Typer(no_args_is_help=True, help="Mixtures: solve one, propose candidates, fit their losses.")
app.add_typer(mix, name="mix")

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A name in conf/recipes, such as fineweb, or a path.")
]
Overrides = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: stage.setting=value.")
]


def complain(message: str) -> None:
    """An error of the user's, for the user."""
    complaints.print(f"error: {hide(message)}", style="red", markup=False, highlight=False, soft_wrap=True)


def command(name: str, group: typer.Typer | None = None) -> Callable[[Callable], Callable]:
    """Registers a command whose user errors end with their message and exit code 2, without a traceback. So do those
    of the operating system that name a file: no right to it, a read-only disk, a file where a folder is needed.

    `group` makes it `curate GROUP NAME`.
    """

    def register(function: Callable) -> Callable:
        @(group or app).command(name)
        @wraps(function)
        def run(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except CurationError as error:
                complain(str(error))
                raise typer.Exit(2) from error
            except OSError as error:
                if error.filename is None:  # no file or folder that the user could act on, such as a closed pipe
                    raise
                complain(f"{os.fspath(error.filename)}: {error.strerror}")
                raise typer.Exit(2) from error

        return function

    return register
