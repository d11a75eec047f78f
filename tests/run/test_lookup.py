"""A page of a run is found by its address and read again from its file, whatever kind of file that is."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.document import DOCUMENT, to_batch
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.recipe.load import load_recipe
from curation.run.folder import RunFolder, parquet_files, write_json
from curation.run.lookup import find_page

ROWS = [{"text": f"text {n}", "url": f"https://a.example/{n}"} for n in range(10)]


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "jsonl.gz"])
def test_every_row_is_read_again_by_its_address(tmp_path, kind):
    """Of a Parquet file the number of the row was taken for that of a row group."""
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=4)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
        path.write_bytes(gzip.compress(lines) if kind.endswith("gz") else lines)
    files, folder = list_inputs(str(path)), RunFolder(tmp_path / "run")
    pages = [page for split in plan_splits(files, 1 << 30) for page in read_pages(split, SplitReport(split))]
    write_json(folder.plan, {"inputs": [asdict(file) for file in files], "resolved": load_recipe("text").resolved})
    with parquet_files([(folder.curated / "unit.parquet", DOCUMENT)]) as (curated,):
        curated.add(to_batch(pages))
    for row in ROWS:
        page, _, fate = find_page(folder, row["url"])
        assert (page.text, fate) == (row["text"], "kept")
