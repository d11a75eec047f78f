"""`curate forget`: takes documents out of a finished run, after a look at what that would change."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import command, console
from curation.progress import ShowProgress
from curation.report.tables import compact_table
from curation.run.copies import copies_elsewhere, write_list
from curation.run.folder import RunFolder
from curation.run.forget import Found, find, forget, on_hosts_below
from curation.run.selection import select

SHOWN = 10  # hosts of the documents, and copies elsewhere


@command("forget")
def forget_documents(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    host: Annotated[list[str], typer.Option(metavar="HOST", help="All pages of a host and its www. twin.")] = [],  # noqa: B006
    subdomains: Annotated[bool, typer.Option("--subdomains", help="With --host: what is below it, too.")] = False,
    url_prefix: Annotated[
        list[str], typer.Option(metavar="ADDRESS", help="A page, or all pages below an address; whole path segments.")
    ] = [],  # noqa: B006
    ids: Annotated[Path | None, typer.Option(metavar="FILE", help="Documents by doc_id, one a line.")] = None,
    copies: Annotated[
        Path | None, typer.Option(metavar="FILE", help="List copies of the text elsewhere here, for --ids.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go; change nothing.")] = False,
) -> None:
    """Take documents out of a run: text, token shards and every trace, rewriting only the files that hold them."""
    folder, selection = RunFolder(run.absolute()), select(host, url_prefix, ids, subdomains=subdomains)
    found = find(folder, selection)
    show(folder, found)
    if missing := len(selection.ids - found.ids):
        console.print(f"{missing} of {len(selection.ids)} ids are of no document of this run", style="yellow")
    if below := on_hosts_below(folder, selection):
        console.print(f"{below} documents on hosts below stay: take them with --subdomains", style="yellow")
    elsewhere = copies_elsewhere(folder, found.ids)
    if len(elsewhere):
        kept = elsewhere["dropped_by"].null_count
        todo = f"listed in {copies}" if copies else "list them with --copies FILE, forget them with --ids FILE"
        console.print(
            f"{len(elsewhere)} other documents have the same text or nearly so, {kept} of them kept; they stay: {todo}",
            style="yellow",
            highlight=False,
            soft_wrap=True,
        )
    if copies is not None:
        write_list(elsewhere, copies)
    if dry_run:
        console.print("nothing was changed: a dry run")
        return
    with ShowProgress(console) as progress:
        problems = forget(folder, selection, found, progress)
    console.print(f"forgotten; {folder.manifest} says when and how many", highlight=False, soft_wrap=True)
    for problem in problems:
        console.print(Text(problem, style="red"))
    raise typer.Exit(1 if problems else 0)


def show(folder: RunFolder, found: Found) -> None:
    """Documents by host, and files by the part of the run they belong to."""
    facts = found.facts()
    hosts = Counter(found.documents["host"].to_pylist())
    kept = Counter(found.kept["host"].to_pylist())
    table = compact_table("documents")
    table.add_column("host")
    for name in ("documents", "kept"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, count in sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]:
        table.add_row(Text(name or "(none)"), f"{count:,}", f"{kept[name]:,}")
    if len(hosts) > SHOWN:
        table.add_row(f"{len(hosts) - SHOWN} more hosts", "", "")
    table.add_section()
    table.add_row("all", f"{facts['documents']:,}", f"{facts['kept']:,}")
    files = compact_table("files to rewrite")
    files.add_column("part of the run")
    for name in ("files", "bytes", "tokens"):
        files.add_column(name, justify="right", no_wrap=True)
    parts: dict[str, list[Path]] = {}
    for path in (*found.files, *found.tokens):
        parts.setdefault(path.relative_to(folder.root).parts[0], []).append(path)
    for part, paths in parts.items():
        tokens = sum(found.tokens.get(path, 0) for path in paths)
        size = sum(path.stat().st_size for path in paths)
        files.add_row(part, f"{len(paths):,}", f"{size:,}", f"{tokens:,}" if tokens else "")
    files.add_section()
    files.add_row("all", f"{facts['files']:,}", f"{facts['bytes']:,}", f"{facts['tokens']:,}")
    console.print(table, files)
