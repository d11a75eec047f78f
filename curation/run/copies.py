"""Copies of documents elsewhere in a run: the same text under another address is another document, and stays.

Copies are the other members of the clusters that the corpus stages found (RUN/clusters), each in its scope; and,
whatever the scope, documents that share a band of a stored MinHash signature, such as those of another snapshot.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.dedup.bands import band_keys
from curation.dedup.columns import matrix
from curation.dedup.duplicates import MinHash
from curation.document import DOCUMENT
from curation.errors import InputError
from curation.recipe.load import rebuild_recipe
from curation.run.folder import RunFolder, read_json
from curation.run.lookup import fate_files, rows_by_id, rows_where
from curation.run.run import VALIDATION_CLUSTERS

COLUMNS = ["doc_id", "url", "dropped_by"]


def copies_elsewhere(folder: RunFolder, doc_ids: Collection[int]) -> pa.Table:
    """Other documents of this run with the same text or nearly so: doc_id, url, dropped_by.

    Cost: the clusters, and the signatures (448 bytes a document at 14 bands of 8 rows).
    """
    others: set[int] = set()
    for stage in sorted(folder.root.glob("clusters/*")):
        others |= _of_clusters(sorted(stage.glob("*.parquet")), doc_ids)
    for stage in [*rebuild_recipe(read_json(folder.plan)["resolved"]).stages, VALIDATION_CLUSTERS]:
        if isinstance(stage, MinHash):
            others |= _sharing_a_band(sorted(folder.signatures(stage.name).glob("*.parquet")), stage, doc_ids)
    nothing = pa.table({name: pa.array([], DOCUMENT.field(name).type) for name in COLUMNS})
    found = rows_by_id(fate_files(folder), others - set(doc_ids), COLUMNS)
    return pa.concat_tables([nothing, *found]).sort_by("doc_id")


def _of_clusters(files: list[Path], doc_ids: Collection[int]) -> set[int]:
    """All members of the clusters that hold one of the documents."""
    clusters = {one for rows in rows_by_id(files, doc_ids, ["cluster_id"]) for one in rows["cluster_id"].to_pylist()}
    wanted = pa.array(sorted(clusters), pa.int64())
    members = rows_where(files, ["cluster_id"], lambda rows: pc.is_in(rows["cluster_id"], wanted), ["doc_id"])
    return {one for rows in members for one in rows["doc_id"].to_pylist()}


def _sharing_a_band(files: list[Path], stage: MinHash, doc_ids: Collection[int]) -> set[int]:
    """All documents with a band of one of the documents."""
    columns = ["doc_id", stage.banded]
    theirs = [_bands(rows, stage)[1].ravel() for rows in rows_by_id(files, doc_ids, columns)]
    wanted = np.concatenate([np.zeros(0, np.int64), *theirs])
    found: set[int] = set()
    for path in files if len(wanted) else ():
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=columns):
                ids, keys = _bands(pa.Table.from_batches([batch]), stage)
                found.update(ids[np.isin(keys, wanted).any(axis=1)].tolist())
    return found


def _bands(rows: pa.Table, stage: MinHash) -> tuple[np.ndarray, np.ndarray]:
    """Ids and band keys (int64 [n, bands]) of the rows that have a signature."""
    rows = rows.filter(pc.is_valid(rows[stage.banded])).combine_chunks()
    if stage.store == "bands":
        keys = matrix(rows[stage.banded], "<i8")
    else:
        keys = band_keys(matrix(rows[stage.banded], "<u4"), stage.bands, stage.rows)
    return rows["doc_id"].to_numpy(), keys


def write_list(copies: pa.Table, file: Path) -> None:
    """One line a document: doc_id, fate, address. `--ids` reads the first field."""
    lines = [
        f"{row['doc_id']}\t{row['dropped_by'] or 'kept'}\t{row['url']}\n" for row in copies.select(COLUMNS).to_pylist()
    ]
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"the list of copies cannot be written to {file}: {error.strerror}") from error
