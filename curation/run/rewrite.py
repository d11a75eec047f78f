"""Parquet files of a run without some documents: which files hold them, and those files written again.

Whatever a run writes about a document is a Parquet file with a column doc_id, or a token shard. So nothing here knows
stages, and a table that some later stage adds is covered too.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.document import to_batch
from curation.run.folder import RunFolder, parquet_files
from curation.run.forgotten import FATE, without_trace
from curation.run.lookup import rows_where

ROWS_AT_ONCE = 256  # of texts: what is held while a file is copied


def files_with(folder: RunFolder, doc_ids: Collection[int]) -> Iterator[Path]:
    """Parquet files, token shards aside, with a row of one of the documents; what is left of a forgotten one is none.

    Cost: 8 bytes a row of all files.
    """
    wanted = pa.array(sorted(doc_ids), pa.int64())
    for path in sorted(folder.root.rglob("*.parquet")):
        inside = path.relative_to(folder.root).parts
        if inside[0] == folder.tokens.name or any(part[0] in "._" for part in inside):
            continue
        names = pq.read_schema(path).names
        if "doc_id" in names and next(_rows_of(path, names, wanted), None) is not None:
            yield path


def _rows_of(path: Path, names: list[str], wanted: pa.Array) -> Iterator[pa.Table]:
    narrow = [name for name in ("doc_id", "dropped_by") if name in names]
    return rows_where([path], narrow, lambda rows: _held(rows, wanted), ["doc_id"])


def _held(rows: pa.Table | pa.RecordBatch, wanted: pa.Array) -> pa.Array | pa.ChunkedArray:
    held = pc.is_in(rows["doc_id"], wanted)
    if "dropped_by" in rows.schema.names:
        held = pc.and_(held, pc.fill_null(pc.not_equal(rows["dropped_by"], FATE), True))
    return held


def rewrite_without(path: Path, doc_ids: Collection[int], instead: pa.RecordBatch | None = None) -> None:
    """Writes a file again without the rows of these documents, and with the rows of `instead` at its end.

    The old file is there until the new one is whole. Spark keeps a checksum beside each file that it writes and reads
    no file that it does not fit, so that goes.
    """
    wanted = pa.array(sorted(doc_ids), pa.int64())
    with pq.ParquetFile(path) as old, parquet_files([(path, old.schema_arrow)]) as (new,):
        for batch in old.iter_batches(ROWS_AT_ONCE):
            new.add(batch.filter(pc.invert(_held(batch, wanted))))
        if instead is not None:
            new.add(instead)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def without_messages(log: Path) -> None:
    """Empties the messages of failures in a run's log, JSON lines: what ended a start may quote the page it met."""
    if not log.is_file():
        return
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    told = [{**line, "message": ""} if line.get("event") == "failed" else line for line in lines]
    if told != lines:
        fresh = log.with_name(f".{log.name}.{os.getpid()}.tmp")
        fresh.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in told), encoding="utf-8")
        os.replace(fresh, log)


def leave_fates(alive: Path, dead: Path, doc_ids: Collection[int]) -> None:
    """Turns the documents of a unit into rows with the fate read.forgotten, among the dropped pages of the first pass.

    `alive` and `dead` are its files of that pass; `alive` stays as it is. Done again after a halt it adds no row twice:
    pages that lived have their row already where there is one of their id.
    """
    wanted = pa.array(sorted(doc_ids), pa.int64())
    lived, dropped = _identities(alive, wanted), _identities(dead, wanted)
    told = {doc_id for (doc_id, _, _, fate) in dropped if fate == FATE}
    fresh = [one[:3] for one in dropped.elements() if one[3] != FATE]
    fresh += [one[:3] for one in lived.elements() if one[0] not in told]
    if fresh:
        pages = [without_trace(*identity) for identity in sorted(fresh)]
        rewrite_without(dead, doc_ids, to_batch(pages, keep_text=[False] * len(pages)))


def _identities(path: Path, wanted: pa.Array) -> Counter[tuple[int, str, str, str | None]]:
    columns = ["doc_id", "source", "snapshot", "dropped_by"]
    found: Counter[tuple[int, str, str, str | None]] = Counter()
    for rows in rows_where([path], ["doc_id"], lambda rows: pc.is_in(rows["doc_id"], wanted), columns):
        found.update(zip(*(rows[name].to_pylist() for name in columns), strict=True))
    return found
