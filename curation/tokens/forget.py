"""Token shards without some of their documents. All other tokens stay, in their rows and in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.tokens.pack import PackedRow
from curation.tokens.shards import Shard, open_shard, read_rows, write_shard


def tokens_held(path: Path, doc_ids: Iterable[int]) -> int:
    """Tokens of these documents in a shard, end tokens included; reads ids and lengths of documents only."""
    wanted, held = pa.array(sorted(doc_ids), pa.int64()), 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=["doc_ids", "doc_lengths"]):
            inside = pc.is_in(pc.list_flatten(batch["doc_ids"]), wanted)
            held += pc.sum(pc.list_flatten(batch["doc_lengths"]).filter(inside)).as_py() or 0
    return held


def rewrite_without(path: Path, doc_ids: Iterable[int]) -> Shard | None:
    """Writes a shard again without these documents; the old file is there until the new one is whole.

    A row gets shorter by the pieces taken out; one of which nothing is left goes, and None says that the file went.
    """
    info, wanted = open_shard(path).info, np.array(sorted(doc_ids), dtype=np.int64)
    rows = _left(read_rows(path), wanted)
    first = next(rows, None)
    if first is None:
        path.unlink()
        return None
    return write_shard(path, info, _chain(first, rows))


def _left(rows: Iterable[PackedRow], wanted: np.ndarray) -> Iterator[PackedRow]:
    for row in rows:
        keep = ~np.isin(row.doc_ids, wanted)
        if keep.all():
            yield row
        elif keep.any():
            tokens = np.repeat(keep, row.doc_lengths)
            yield PackedRow(row.input_ids[tokens], *(np.asarray(column)[keep] for column in row[1:]))


def _chain(first: PackedRow, rest: Iterator[PackedRow]) -> Iterator[PackedRow]:
    yield first
    yield from rest
