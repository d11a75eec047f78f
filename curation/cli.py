"""`curate`: the commands. Each is a few lines over the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from curation.errors import CurationError, InputError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="From crawl files to language-model training data.",
)
console = Console(width=None if sys.stdout.isatty() else 120)  # a log has no width of its own
complaints = Console(stderr=True)

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A name in conf/recipes, such as fineweb, or a path.")
]
Overrides = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: stage.setting=value.")
]


def command(function: Callable) -> Callable:
    """Registers a command whose user errors end with their message and exit code 2, without a traceback."""

    @app.command()
    @wraps(function)
    def run(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except CurationError as error:
            complaints.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
            raise typer.Exit(2) from error

    return function


@command
def run(
    recipe: RecipeName,
    input: Annotated[list[str], typer.Option(metavar="WHERE", help="Crawl root, file, folder or glob.")] = [],  # noqa: B006
    snapshot: Annotated[list[str], typer.Option(help="Crawl snapshot to take; may be given again.")] = [],  # noqa: B006
    files: Annotated[int | None, typer.Option(help="Only the first N files of each snapshot.", min=1)] = None,
    source: Annotated[str, typer.Option(help="Name of the input in the mixture.")] = "web",
    paths: Annotated[str | None, typer.Option(metavar="FILE", help="Paths file, instead of --input and --out.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder to create.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="FILE", help="Cluster file: cores, sizes, Spark.")] = None,
    split_size: Annotated[str | None, typer.Option(help="Bytes of a WARC file in one split, such as 64MiB.")] = None,
    partitions: Annotated[int | None, typer.Option(help="Spark tasks of a pass; default one per unit.", min=1)] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run: finished units are not done again.")
    ] = False,
    set: Overrides = [],  # noqa: B006
) -> None:
    """Run a recipe: crawl files in; curated text, token shards, funnel and report out."""
    from curation.commands import run_and_show, where_to
    from curation.recipe.load import load_recipe
    from curation.recipe.run_files import cluster_with

    loaded = load_recipe(recipe, set)
    sources, target = where_to(input, snapshot, files, source, paths, out)
    sized = cluster_with(cluster, split_size=split_size, partitions=partitions)
    result = run_and_show(console, loaded, sources, target, sized, resume)
    raise typer.Exit(1 if result.problems else 0)


@command
def check(recipe: RecipeName, set: Overrides = []) -> None:  # noqa: B006
    """Check a recipe and print it as a tree, with a hash for each stage."""
    from curation.recipe.load import load_recipe
    from curation.recipe.tree import recipe_tree

    console.print(recipe_tree(load_recipe(recipe, set)), soft_wrap=True)


@command
def explain(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE_OR_RUN", help="A recipe, or the folder of a run.")],
    file: Annotated[Path | None, typer.Argument(help="A text or .html file; - reads standard input.")] = None,
    url: Annotated[str | None, typer.Option(help="With a run folder: the page of this address.")] = None,
    set: Overrides = [],  # noqa: B006
) -> None:
    """Print every rule for one page: value, bound, pass or fail."""
    from curation.commands import explain_command

    explain_command(console, recipe, file, url, set)


@command
def report(run: Annotated[Path, typer.Argument(help="Folder of a run.")]) -> None:
    """Print the funnel of a run and write its report.html again."""
    from curation.report.html import write_report
    from curation.report.tables import files_table, funnel_table, reasons_table
    from curation.run.folder import RunFolder, read_json

    folder = RunFolder(run)
    if not folder.funnel.is_file():
        raise InputError(
            f"{run} holds no funnel.json, so it is no finished run; finish it with `curate run ... --resume`"
        )
    funnel = read_json(folder.funnel)
    console.print(funnel_table(funnel), reasons_table(funnel), files_table(read_json(folder.manifest)))
    console.print(f"report: {write_report(run)}", highlight=False)


@command
def doctor(spark: Annotated[bool, typer.Option(help="Start Spark and send work to a worker.")] = True) -> None:
    """Check that everything a run needs is there."""
    from curation.doctor import examine

    failed = 0
    for one in examine(with_spark=spark):
        mark = "[green]ok[/]  " if one.ok else "[red]FAIL[/]"
        console.print(f"{mark} {one.name:16} ", end="")
        console.print(one.found, markup=False, highlight=False)
        if not one.ok:
            failed += 1
            console.print(f"     -> {one.advice}", markup=False, highlight=False)
    raise typer.Exit(1 if failed else 0)


@command
def demo(
    out: Annotated[Path, typer.Option(help="Folder to write; an earlier demo there is replaced.")] = Path("demo"),
    pages: Annotated[int, typer.Option(help="Pages in both snapshots together.", min=100)] = 400,
    seed: Annotated[int, typer.Option(help="Another seed makes other pages.")] = 7,
) -> None:
    """Make two small crawl snapshots with known truth, run the recipe `sample` on them, and compare."""
    from curation.commands import demo_command

    raise typer.Exit(demo_command(console, out, pages, seed))


if __name__ == "__main__":
    sys.exit(app())
