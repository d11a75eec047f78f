"""What the longer commands do, apart from reading their options: run, explain, demo. Also used by jobs/."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curation.errors import InputError, RecipeError, did_you_mean
from curation.progress import ShowProgress
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source, read_cluster, read_paths
from curation.report.tables import files_table, funnel_table
from curation.run.folder import RunFolder, read_json
from curation.run.run import RunResult, run_recipe


def run_command(
    console: Console,
    recipe: str,
    input: Sequence[str],
    snapshot: Sequence[str],
    files: int | None,
    source: str,
    paths: str | None,
    out: Path | None,
    cluster_file: str | None,
    split_size: str | None,
    partitions: int | None,
    resume: bool,
    overrides: Sequence[str],
    submitted: bool = False,
) -> int:
    """Runs a recipe and prints what came of it. Returns the exit code: 1 where an input file could not be read."""
    loaded = load_recipe(recipe, overrides)
    cluster = read_cluster(cluster_file) if cluster_file else Cluster()
    given = {"split_size": split_size, "partitions": partitions}
    cluster = Cluster.model_validate({**cluster.model_dump(), **{k: v for k, v in given.items() if v is not None}})
    sources, target = _where(input, snapshot, files, source, paths, out)
    start = partial(_start, cluster, submitted)
    with ShowProgress(console) as progress:
        result = run_recipe(
            start, loaded, sources, target, cluster=cluster, cores=cores_of(cluster), resume=resume, progress=progress
        )
    show_result(console, result)
    return 1 if result.problems else 0


def _where(
    input: Sequence[str], snapshot: Sequence[str], files: int | None, source: str, paths: str | None, out: Path | None
) -> tuple[list[Source], Path]:
    if paths is not None:
        if input:
            raise InputError("--paths names the inputs already; leave --input out")
        read = read_paths(paths)
        return list(read.inputs), out or Path(read.out)
    missing = [name for name, value in (("--input", input), ("--out", out)) if not value]
    if missing:
        raise InputError(f"{' and '.join(missing)} missing; give them, or a paths file with --paths")
    return [Source(where=w, source=source, snapshots=tuple(snapshot), files=files) for w in input], out


def cores_of(cluster: Cluster) -> int:
    """Cores of local mode: the cluster file's number, or those this process may use."""
    if cluster.cores != "*":
        return int(cluster.cores)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(cluster: Cluster, submitted: bool) -> Any:
    from curation.spark import local_session, submitted_session

    return submitted_session(cluster.spark) if submitted else local_session(cores_of(cluster), cluster.spark)


def show_result(console: Console, result: RunResult) -> None:
    """The funnel, the files that need a look, and where everything lies."""
    folder = result.folder
    console.print(funnel_table(result.funnel))
    manifest = read_json(folder.manifest)
    if any(file["state"] != "complete" for file in manifest["files"]):
        console.print(files_table(manifest))
    for name, path in (
        ("report", folder.root / "report.html"),
        ("curated text", folder.curated),
        ("token shards", folder.tokens if folder.tokens.is_dir() else None),
        ("mixture", folder.mixture if folder.mixture.is_file() else None),
    ):
        if path is not None:
            console.print(f"{name:13} {path}", highlight=False, soft_wrap=True)
    for problem in result.problems:
        console.print(Text(f"could not be read: {problem}", style="red"))


def explain_command(console: Console, where: str, file: Path | None, url: str | None, overrides: Sequence[str]) -> None:
    """Prints every rule for one page, from a file or, by address, from a run."""
    from curation.notebook import explain
    from curation.page import Page
    from curation.run.lookup import find_page

    if url is not None:
        page, recipe, fate = find_page(RunFolder(Path(where).absolute()), url)
        console.print(f"{page.url}\nfate in this run: {fate}\n", markup=False, highlight=False)
    elif file is not None:
        recipe = load_recipe(where, overrides)
        text = sys.stdin.read() if str(file) == "-" else _read_text(file)
        html = file.suffix.lower() in (".html", ".htm")
        page = Page(html=text) if html else Page(text)
    else:
        raise InputError("nothing to explain: give a text file, or a run folder with --url")
    table = Table("stage", "rule", "value", "bound", "")
    for found in explain(recipe, page):
        mark = {True: Text("pass", "green"), False: Text("FAIL", "bold red"), None: Text("")}[found.passed]
        value = f"{found.value:.4g}" if isinstance(found.value, float) else str(found.value)
        table.add_row(found.stage, found.rule, Text(value), Text(found.bound), mark)
    console.print(table)


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text (byte {error.start}); convert it first") from error


def demo_command(console: Console, out: Path, pages: int, seed: int) -> int:
    """Makes the sample snapshots, runs the recipe `sample`, prints planted and found. Returns 1 where truth was missed."""
    from curation.sample.check import check
    from curation.sample.snapshots import write_snapshots

    for part in ("snapshots", "run"):  # only what an earlier demo wrote
        shutil.rmtree(out / part, ignore_errors=True)
    write_snapshots(out / "snapshots", seed=seed, pages=pages)
    console.print(f"wrote two sample snapshots to {out / 'snapshots'}", highlight=False)
    source = Source(where=str(out / "snapshots"))
    with ShowProgress(console) as progress:
        cluster = Cluster()
        result = run_recipe(
            partial(_start, cluster, False), load_recipe("sample"), [source], out / "run",
            cores=cores_of(cluster), progress=progress,
        )  # fmt: skip
    findings = check(result.folder.root, out / "snapshots" / "truth.jsonl")
    table = Table("planted", "planted", "found", "", "note", title="what was planted and what was found")
    for finding in findings:
        mark = Text("ok", "green") if finding.ok else Text("MISSED", "bold red")
        table.add_row(finding.role, str(finding.planted), str(finding.found), mark, Text(finding.note))
    console.print(table)
    show_result(console, result)
    return 0 if all(finding.ok for finding in findings) and not result.problems else 1
