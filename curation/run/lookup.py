"""Finds one page of a finished run by its address, and reads it again from its crawl file."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc
import pyarrow.dataset as ds

from curation.errors import InputError
from curation.page import Page
from curation.read.inputs import InputFile
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import Split
from curation.recipe.load import Recipe, rebuild_recipe
from curation.run.folder import RunFolder, read_json


def find_page(folder: RunFolder, url: str) -> tuple[Page, Recipe, str]:
    """(page as its file holds it, recipe of the run, fate in the run). The first capture where there are several.

    Raises InputError where the run knows no such page, or its crawl file is gone.
    """
    if not folder.plan.is_file():
        raise InputError(f"{folder.root} is no run folder: it holds no plan.json")
    row = _row(folder, url)
    plan = read_json(folder.plan)
    files = [InputFile(**file) for file in plan["inputs"] if file["name"] == row["warc_file"]]
    start = row["warc_offset"]
    reports = [SplitReport(Split(file, start, start + 1)) for file in files]
    page = next((p for r in reports for p in read_pages(r.split, r) if p.doc_id == row["doc_id"]), None)
    if page is None:
        why = "".join(f" ({report.error})" for report in reports if report.error)
        raise InputError(f"{url} is in the run, but {row['warc_file']} no longer holds it at {start}{why}")
    fate = "kept" if row["dropped_by"] is None else f"{row['dropped_by']} (value {row['dropped_value']})"
    return page, rebuild_recipe(plan["resolved"]), fate


def _row(folder: RunFolder, url: str) -> dict[str, Any]:
    columns = ["doc_id", "warc_file", "warc_offset", "dropped_by", "dropped_value"]
    parts = [folder.curated, *sorted(folder.root.glob("documents/pass-*/alive=false"))]
    for part in parts:
        table = ds.dataset(part, format="parquet").to_table(columns=columns, filter=pc.field("url") == url)
        if table.num_rows:
            return table.slice(0, 1).to_pylist()[0]
    raise InputError(f"no page of {folder.root} has the address {url}; addresses are compared as written")
