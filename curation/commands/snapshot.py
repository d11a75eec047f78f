"""`curate snapshot`: lists or downloads files or records of a published crawl."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.errors import InputError
from curation.progress import ShowProgress
from curation.snapshot.catalog import COMMON_CRAWL, KINDS, crawls, file_names, sample
from curation.snapshot.download import download, write_path_list
from curation.snapshot.index import index_files, look_up
from curation.snapshot.records import fetch_records
from curation.stores.access import Access, conceal, is_remote, use
from curation.stores.files import join, sizes_of

SHOWN = 20  # rows of a list on the terminal
MIB = 1 << 20


@command("snapshot")
def snapshot(
    crawl: Annotated[
        str | None, typer.Argument(metavar="ID", help="Such as CC-MAIN-2024-10; left out: a list.")
    ] = None,
    files: Annotated[int | None, typer.Option(help="A sample of N files (with --host: of index files).", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Draws the sample; the sample of 3 holds that of 2.", min=0)] = 1,
    kind: Annotated[str, typer.Option(help="warc or wet.")] = "warc",
    root: Annotated[str, typer.Option("--from", metavar="ROOT", help="Where crawl-data/ lies.")] = COMMON_CRAWL,
    out: Annotated[Path | None, typer.Option(help="Download into this folder; without it only list.")] = None,
    host: Annotated[str | None, typer.Option(help="Only records of this host, by the columnar index.")] = None,
    language: Annotated[str | None, typer.Option(help="Only records in this main language, such as deu.")] = None,
    limit: Annotated[int, typer.Option(help="Records at most, with --host or --language.", min=1)] = 1000,
    parallel: Annotated[int, typer.Option(help="Requests at a time.", min=1, max=64)] = 4,
    tries: Annotated[int, typer.Option(help="Tries of one request.", min=1)] = 10,
) -> None:
    """List or download a seeded sample of a crawl's files, or single records by host or language."""
    use(Access(requests=parallel, tries=tries))
    root = conceal(root) if is_remote(root) else root
    if kind not in KINDS:
        raise InputError(f"--kind {kind}: give one of {', '.join(KINDS)}")
    if host and not re.fullmatch(r"[A-Za-z0-9_.:-]+", host):
        raise InputError(f"--host {host}: give the name of a host, such as www.example.com")
    if language and not re.fullmatch(r"[a-z]{3}", language):
        raise InputError(f"--language {language}: give an ISO 639-3 code of three letters, such as deu")
    if crawl is None:
        _show_crawls(root)
    elif host or language:
        _records(root, crawl, files, seed, host, language, limit, out, parallel)
    else:
        _files(root, crawl, kind, files, seed, out, parallel)


def _show_crawls(root: str) -> None:
    for one in crawls(root):
        console.print(f"{one.id:18} {one.name}", highlight=False)


def _files(root: str, crawl: str, kind: str, files: int | None, seed: int, out: Path | None, parallel: int) -> None:
    names = file_names(root, crawl, kind)
    chosen = sample(names, files, seed)
    console.print(f"{crawl}: {len(chosen)} of {len(names)} {kind} files, seed {seed}", highlight=False)
    if out is None:
        _show_files(root, chosen)
        return
    with ShowProgress(console) as progress:
        done = download(
            root,
            chosen,
            out,
            parallel=parallel,
            progress=lambda bytes_done, total: progress("download, MiB", -(-bytes_done // MIB), -(-total // MIB)),
        )
    if done.names:
        write_path_list(out, crawl, kind, done.names, names)
    console.print(f"{len(done.names)} files are in {out}, {done.fetched / MIB:.1f} MiB fetched now", highlight=False)
    console.print(f"read them with: curate run RECIPE --input {out} --snapshot {crawl} --out RUN", highlight=False)
    _tell(done.problems)


def _show_files(root: str, chosen: list[str]) -> None:
    shown = chosen[:SHOWN]
    for name, size in zip(shown, sizes_of([join(root, name) for name in shown]), strict=True):
        told = f"{size / MIB:8.1f} MiB" if isinstance(size, int) else f"{'?':>12}"
        console.print(f"{told}  {name}", highlight=False, soft_wrap=True)
    if len(chosen) > SHOWN:
        console.print(f"... and {len(chosen) - SHOWN} more; --files N gives a sample, --out downloads", highlight=False)


def _records(
    root: str,
    crawl: str,
    files: int | None,
    seed: int,
    host: str | None,
    language: str | None,
    limit: int,
    out: Path | None,
    parallel: int,
) -> None:
    names = sample(index_files(root, crawl), files, seed)
    with ShowProgress(console) as progress:
        found = look_up(
            root,
            names,
            host=host,
            language=language,
            limit=limit,
            progress=lambda done, total: progress("index files", done, total),
        )
    console.print(f"{crawl}: {found.num_rows} records{' (the limit)' if found.num_rows == limit else ''}")
    if out is None:
        table = Table(*found.column_names)
        for row in found.slice(0, SHOWN).to_pylist():
            table.add_row(*(Text(str(value)) for value in row.values()))
        console.print(table)
        return
    if not found.num_rows:
        raise InputError(f"no record of {crawl} is {' and '.join(filter(None, (host, language)))}: nothing to download")
    name = f"crawl-data/{crawl}/records/{'-'.join(filter(None, (host, language)))}.warc.gz"
    with ShowProgress(console) as progress:
        done = fetch_records(
            root,
            found,
            out / name,
            parallel=parallel,
            progress=lambda count, total: progress("records", count, total),
        )
    write_path_list(out, crawl, "warc", [name], [])
    console.print(f"{done.written} records are in {out / name}", highlight=False, soft_wrap=True)
    console.print(f"read them with: curate run RECIPE --input {out} --snapshot {crawl} --out RUN", highlight=False)
    _tell(done.problems)


def _tell(problems: list[str]) -> None:
    for problem in problems[:SHOWN]:
        console.print(Text(f"could not be had: {problem}", style="red"))
    if problems:
        raise typer.Exit(1)
