"""What the longer commands do, apart from reading their options: run, explain, demo."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curation.errors import InputError
from curation.progress import ShowProgress
from curation.recipe.load import Recipe, load_recipe
from curation.recipe.run_files import Cluster, Source, read_paths
from curation.report.tables import files_table, funnel_table
from curation.run.folder import RunFolder, read_json
from curation.run.run import RunResult, run_recipe
from curation.spark import start_session


def run_and_show(
    console: Console, recipe: Recipe, sources: Sequence[Source], out: Path, cluster: Cluster, resume: bool = False
) -> RunResult:
    """Runs a recipe with progress and prints what came of it."""
    with ShowProgress(console) as progress:
        result = run_recipe(
            partial(start_session, cluster.cores, cluster.spark),
            recipe, sources, out, cluster=cluster, cores=cores_of(cluster), resume=resume, progress=progress,
        )  # fmt: skip
    show_result(console, result)
    return result


def where_to(
    input: Sequence[str], snapshot: Sequence[str], files: int | None, source: str, paths: str | None, out: Path | None
) -> tuple[list[Source], Path]:
    """Inputs and run folder, from the options or from a paths file."""
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
    """Makes the sample snapshots, runs the recipe `sample` on them, prints planted and found.

    Returns the exit code: 1 where something planted was not found.
    """
    from curation.sample.check import check
    from curation.sample.snapshots import write_snapshots

    for part in ("snapshots", "run"):  # only what an earlier demo wrote
        shutil.rmtree(out / part, ignore_errors=True)
    write_snapshots(out / "snapshots", seed=seed, pages=pages)
    console.print(f"wrote two sample snapshots to {out / 'snapshots'}", highlight=False)
    source = Source(where=str(out / "snapshots"))
    result = run_and_show(console, load_recipe("sample"), [source], out / "run", Cluster())
    findings = check(result.folder.root, out / "snapshots" / "truth.jsonl")
    table = Table("planted", "planted", "found", "", "note", title="what was planted and what was found")
    for finding in findings:
        mark = Text("ok", "green") if finding.ok else Text("MISSED", "bold red")
        table.add_row(finding.role, str(finding.planted), str(finding.found), mark, Text(finding.note))
    console.print(table)
    return 0 if all(finding.ok for finding in findings) and not result.problems else 1
