"""Copies of documents elsewhere in a run: the same text under another address is another document, and stays.

Copies are those that the corpus stages found (RUN/clusters), each stage in its scope.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from curation.document import DOCUMENT
from curation.errors import InputError
from curation.run.folder import RunFolder
from curation.run.lookup import fate_files, rows_by_id, rows_where

COLUMNS = ["doc_id", "url", "dropped_by"]


def copies_elsewhere(folder: RunFolder, doc_ids: Collection[int]) -> pa.Table:
    """Documents of this run that a corpus stage put into a cluster with one of these: doc_id, url, dropped_by.

    A cluster is known as long as one of its removed copies is; documents of earlier runs are not in this one.
    """
    nothing = pa.table({name: pa.array([], DOCUMENT.field(name).type) for name in COLUMNS})
    others: set[int] = set()
    for stage in sorted(folder.root.glob("clusters/*")):
        others |= _companions(sorted(stage.glob("*.parquet")), doc_ids)
    others -= set(doc_ids)
    found = pa.concat_tables([nothing, *rows_by_id(fate_files(folder), others, COLUMNS)]) if others else nothing
    return found.sort_by("doc_id")


def _companions(files: list[Path], doc_ids: Collection[int]) -> set[int]:
    """All members of the clusters that hold one of the documents."""
    clusters = {one for rows in rows_by_id(files, doc_ids, ["cluster_id"]) for one in rows["cluster_id"].to_pylist()}
    wanted = pa.array(sorted(clusters), pa.int64())

    def inside(rows: pa.Table) -> pa.ChunkedArray:
        return pc.is_in(rows["cluster_id"], wanted)

    members: Iterator[pa.Table] = rows_where(files, ["cluster_id"], inside, ["doc_id"]) if clusters else iter(())
    return {one for rows in members for one in rows["doc_id"].to_pylist()}


def write_list(copies: pa.Table, file: Path) -> None:
    """One line a document: doc_id, fate, address. `--ids` reads the first field."""
    lines = [
        f"{row['doc_id']}\t{row['dropped_by'] or 'kept'}\t{row['url']}\n" for row in copies.select(COLUMNS).to_pylist()
    ]
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"the list of copies cannot be written to {file}: {error.strerror}") from error
