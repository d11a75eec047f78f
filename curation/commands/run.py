"""`curate run`: a recipe over inputs, into a run folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import Overrides, RecipeName, command, complain, console
from curation.errors import InputError
from curation.progress import ShowProgress
from curation.recipe.load import Recipe, load_recipe
from curation.recipe.run_files import SOURCE_NAME, Cluster, Source, cluster_with, read_paths
from curation.report.benchmarks import gather_items
from curation.report.cascade import cascade_sentence
from curation.report.folder import STORED_ONLY, stored_only
from curation.report.tables import files_table, funnel_table, items_table
from curation.run.folder import RunFolder, read_json
from curation.run.run import RunResult, run_recipe
from curation.spark import start_session


@command("run")
def run(
    recipe: RecipeName,
    input: Annotated[
        list[str], typer.Option(metavar="WHERE", help="Crawl root, file, folder or glob; s3:// and https:// too.")
    ] = [],  # noqa: B006
    snapshot: Annotated[list[str], typer.Option(help="Crawl snapshot to take; may be given again.")] = [],  # noqa: B006
    files: Annotated[int | None, typer.Option(help="Only the first N files of each snapshot.", min=1)] = None,
    source: Annotated[str, typer.Option(help="Name of the input in the mixture.")] = "web",
    text: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the text of rows, where not text, content or raw_content."),
    ] = None,
    paths: Annotated[str | None, typer.Option(metavar="FILE", help="Paths file, instead of --input and --out.")] = None,
    benchmarks: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Benchmark files (NAME.jsonl) that decontamination looks for.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder to create.")] = None,
    against: Annotated[
        list[Path], typer.Option(metavar="RUN", help="An earlier run whose pages count as seen; may be given again.")
    ] = [],  # noqa: B006
    cluster: Annotated[str | None, typer.Option(metavar="FILE", help="Cluster file: cores, sizes, Spark.")] = None,
    split_size: Annotated[str | None, typer.Option(help="Bytes of a WARC file in one split, such as 64MiB.")] = None,
    partitions: Annotated[int | None, typer.Option(help="Spark tasks of a pass; default one per unit.", min=1)] = None,
    annotate: Annotated[bool, typer.Option("--annotate", help="Store every value, drop nothing by rule.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run: finished units are not done again.")
    ] = False,
    set: Overrides = [],  # noqa: B006
) -> None:
    """Run a recipe: crawl files in; curated text, token shards, funnel and report out."""
    loaded = load_recipe(recipe, set, annotate=annotate)
    sources, target = where_to(input, snapshot, files, source, paths, out, text)
    earlier = [*(read_paths(paths).against if paths else ()), *against]
    sized = cluster_with(cluster, split_size=split_size, partitions=partitions)
    benchmarks = benchmarks or (read_paths(paths).benchmarks if paths else None)
    result = run_and_show(loaded, sources, target, sized, resume, benchmarks, earlier)
    raise typer.Exit(1 if result.problems else 0)


def run_and_show(
    recipe: Recipe,
    sources: Sequence[Source],
    out: Path,
    cluster: Cluster,
    resume: bool = False,
    benchmarks: str | None = None,
    against: Sequence[str | Path] = (),
) -> RunResult:
    """Runs a recipe with progress and prints what came of it."""
    try:
        with ShowProgress(console) as progress:
            result = run_recipe(
                partial(start_session, cluster.cores, cluster.spark),
                recipe,
                sources,
                out,
                benchmarks=benchmarks,
                cluster=cluster,
                cores=cores_of(cluster),
                resume=resume,
                against=against,
                progress=progress,
            )
    except KeyboardInterrupt:
        if RunFolder(Path(out).absolute()).plan.is_file():
            complain(f"stopped; what is finished is kept in {out}, and the same command with --resume goes on")
        raise typer.Exit(130) from None
    show_result(result)
    return result


def where_to(
    input: Sequence[str],
    snapshot: Sequence[str],
    files: int | None,
    source: str,
    paths: str | None,
    out: Path | None,
    text: str | None = None,
) -> tuple[list[Source], Path]:
    """Inputs and run folder, from the options or from a paths file."""
    if paths is not None:
        if input or text:
            raise InputError("--paths names the inputs and their columns; leave --input and --text out")
        read = read_paths(paths)
        return list(read.inputs), out or Path(read.out)
    missing = [name for name, value in (("--input", input), ("--out", out)) if not value]
    if missing:
        raise InputError(f"{' and '.join(missing)} missing; give them, or a paths file with --paths")
    if not SOURCE_NAME.fullmatch(source):
        raise InputError(
            f"--source {source[:80]!r} names a folder of token shards: use letters, digits, '_', '.' and '-'"
        )
    return [
        Source(where=w, source=source, snapshots=tuple(snapshot), files=files, text=text or None) for w in input
    ], out


def cores_of(cluster: Cluster) -> int:
    """Cores of local mode: the cluster file's number, or those this process may use."""
    if cluster.cores != "*":
        return int(cluster.cores)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def show_result(result: RunResult) -> None:
    """The funnel, the files that need a look, and where everything lies."""
    folder = result.folder
    console.print(funnel_table(result.funnel, console.width))
    for stage, benchmarks in gather_items(folder.root).items():
        console.print(items_table(stage, benchmarks))
    if sentence := cascade_sentence(result.funnel):
        console.print(sentence, highlight=False)
    manifest = read_json(folder.manifest)
    if stored_only(manifest):
        console.print(STORED_ONLY, highlight=False)
    if any(file["state"] != "complete" for file in manifest["files"]):
        console.print(files_table(manifest, width=console.width))
    for name, path in (
        ("report", folder.root / "report.html"),
        ("curated text", folder.curated),
        ("token shards", folder.tokens if folder.tokens.is_dir() else None),
        ("mixture", folder.mixture if folder.mixture.is_file() else None),
    ):
        if path is not None:
            console.print(f"{name:13} {path}", highlight=False, soft_wrap=True)
    reasons = {f"{file['name']}: {file['state']}": file["error"] for file in manifest["files"]}
    for problem in result.problems:
        console.print(Text(f"could not be read: {problem}; {reasons[problem]}", style="red"))
