"""What the commands share: the application, the consoles, and how a user's error ends."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer
from rich.console import Console

from curation import __version__
from curation.errors import CurationError
from curation.failed_task import cause_of, is_of_spark
from curation.hidden import hide

# A terminal in another encoding than UTF-8, and names of files that are no UTF-8, must not cost a run its last words.
for stream in (sys.stdout, sys.stderr):
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")

app = typer.Typer(
    no_args_is_help=True,
    invoke_without_command=True,  # for --version
    add_completion=False,
    pretty_exceptions_enable=False,
    help="From crawl files to language-model training data.",
)


@app.callback()
def curate(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    if version:
        print(f"curation {__version__}")
        raise typer.Exit


console = Console(width=None if sys.stdout.isatty() else 120)  # a log has no width of its own
complaints = Console(stderr=True)

mix = typer.Typer(no_args_is_help=True, help="Mixtures: solve one, propose candidates, fit their losses.")
app.add_typer(mix, name="mix")

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A name in conf/recipes, such as fineweb, or a path.")
]
WHOLE_TRACE = "CURATION_TRACEBACK"  # where it is set, errors of Spark keep their traces
Overrides = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: stage.setting=value.")
]


class _OfPy4j(logging.Filter):
    """py4j writes traces to the root logger when a call is interrupted or fails, and raises the error besides."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "py4j" not in record.pathname or bool(os.environ.get(WHOLE_TRACE))


logging.getLogger().addFilter(_OfPy4j())


def complain(message: str) -> None:
    """An error of the user's, for the user."""
    complaints.print(f"error: {hide(message)}", style="red", markup=False, highlight=False, soft_wrap=True)


def command(name: str, group: typer.Typer | None = None) -> Callable[[Callable], Callable]:
    """Registers a command whose user errors end with their message and exit code 2, without a traceback. So do those
    of the operating system that name a file: no right to it, a read-only disk, a file where a folder is needed; and
    those of Spark, by their cause. ^C ends with exit code 130.

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
                complain(f"{os.fspath(error.filename2 or error.filename)}: {error.strerror}")
                raise typer.Exit(2) from error
            except KeyboardInterrupt:
                complain("interrupted")
                raise typer.Exit(130) from None  # what a shell says of a program that ^C ended
            except Exception as error:
                if not is_of_spark(error) or os.environ.get(WHOLE_TRACE):
                    raise
                complain(f"Spark gave up: {cause_of(str(error))} ({WHOLE_TRACE}=1 shows the whole trace)")
                raise typer.Exit(2) from error

        return function

    return register
