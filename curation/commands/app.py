"""What the commands share: the application, the consoles, and how a user's error ends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer
from rich.console import Console

from curation.errors import CurationError
from curation.hidden import hide

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


def command(name: str, group: typer.Typer | None = None) -> Callable[[Callable], Callable]:
    """Registers a command whose user errors end with their message and exit code 2, without a traceback.

    `group` makes it `curate GROUP NAME`.
    """

    def register(function: Callable) -> Callable:
        @(group or app).command(name)
        @wraps(function)
        def run(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except CurationError as error:
                complaints.print(
                    f"error: {hide(str(error))}", style="red", markup=False, highlight=False, soft_wrap=True
                )
                raise typer.Exit(2) from error

        return function

    return register
