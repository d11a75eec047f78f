"""Finds documents of a run by id or address, and reads one again from its crawl file.

No index is kept: the column that is looked for is read of every file (8 bytes a document for an id), everything else
only of the row groups in which it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.errors import InputError
from curation.page import Page
from curation.read.inputs import InputFile
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import split_at
from curation.recipe.load import Recipe, rebuild_recipe
from curation.run.folder import RunFolder, read_json
from curation.stores.access import is_remote

Choose = Callable[[pa.Table], pa.Array | pa.ChunkedArray]  # rows -> which of them are wanted


def fate_files(folder: RunFolder) -> list[Path]:
    """Files in which each page of a finished run is exactly one row: the curated text, and what was dropped."""
    return [
        *sorted(folder.curated.glob("*.parquet")),
        *sorted(folder.root.glob("documents/pass-*/alive=false/*.parquet")),
    ]


def rows_where(
    files: Iterable[Path], narrow: Sequence[str], choose: Choose, columns: Sequence[str]
) -> Iterator[pa.Table]:
    """The chosen rows of Parquet files, `columns` of them: these are read only of row groups that hold a chosen row."""
    for path in files:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                chosen = choose(file.read_row_group(group, columns=list(narrow)))
                if pc.any(chosen).as_py():
                    yield file.read_row_group(group, columns=list(columns)).filter(chosen)


def rows_by_id(files: Iterable[Path], ids: Iterable[int], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Rows of documents, by doc_id."""
    wanted = pa.array(sorted(ids), pa.int64())
    return rows_where(files, ["doc_id"], lambda rows: pc.is_in(rows["doc_id"], wanted), columns)


def find_page(folder: RunFolder, url: str, overrides: Sequence[str] = ()) -> tuple[Page, Recipe, str]:
    """(page as its file holds it, recipe of the run, fate in the run). The first capture where there are several.

    `overrides` change the recipe as `--set` does. Secrets of addresses are not kept in a run: make them known before,
    by `curation.stores.access.conceal`. Raises InputError where the run knows no such page, or its crawl file is gone.
    """
    row = rows_of_url(folder, url)[0]
    plan = read_json(folder.plan)
    files = [InputFile(**file) for file in plan["inputs"] if file["name"] == row["warc_file"]]
    start = row["warc_offset"]
    reports = [SplitReport(split_at(file, start)) for file in files]
    page = next((p for r in reports for p in read_pages(r.split, r) if p.doc_id == row["doc_id"]), None)
    if page is None:
        why = "; ".join(report.error for report in reports if report.error)
        if why and any(is_remote(file.path) for file in files):
            raise InputError(
                f"{url} is in the run, but its crawl file cannot be read again: {why}. A user, password or signature "
                "is not kept in a run: where the input needs one, give its address again with --input or --paths"
            )
        raise InputError(
            f"{url} is in the run, but {row['warc_file']} no longer holds it at {start}{f' ({why})' if why else ''}"
        )
    return page, rebuild_recipe(plan["resolved"], overrides), fate_of(row)


def rows_of_url(folder: RunFolder, url: str) -> list[dict[str, Any]]:
    """doc_id, snapshot, place and fate of each capture of an address. Raises InputError where there is none."""
    if not folder.plan.is_file():
        raise InputError(f"{folder.root} is no run folder: it holds no plan.json")
    columns = ["doc_id", "snapshot", "warc_file", "warc_offset", "dropped_by", "dropped_value"]
    tables = rows_where(fate_files(folder), ["url"], lambda rows: pc.equal(rows["url"], url), columns)
    found = [row for rows in tables for row in rows.to_pylist()]
    if not found:
        raise InputError(f"no page of {folder.root} has the address {url}; addresses are compared as written")
    return found


def fate_of(row: Mapping[str, Any]) -> str:
    """The fate of a document in words, from its columns dropped_by and dropped_value."""
    if row["dropped_by"] is None:
        return "kept"
    return row["dropped_by"] if row["dropped_value"] is None else f"{row['dropped_by']} (value {row['dropped_value']})"
