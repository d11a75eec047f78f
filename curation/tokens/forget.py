"""Token shards without some of their documents. All other tokens stay, in their rows and in their order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.tokens.pack import PackedRow
from curation.tokens.shards import Shard, open_shard, read_groups, write_groups


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

    A row gets shorter by the pieces taken out; one of which nothing is left goes, and None says that the file went. Row
    groups stay apart, so that a reader that draws them in an order of its own draws the same one.
    """
    info, wanted = open_shard(path).info, np.array(sorted(doc_ids), dtype=np.int64)
    groups = (left for group in read_groups(path) if (left := _without(group, wanted)))
    first = next(groups, None)
    if first is None:
        path.unlink()
        return None
    return write_groups(path, info, chain([first], groups))


def _without(rows: list[PackedRow], wanted: np.ndarray) -> list[PackedRow]:
    left = []
    for row in rows:
        keep = ~np.isin(row.doc_ids, wanted)
        if keep.all():
            left.append(row)
        elif keep.any():
            ids = row.input_ids[np.repeat(keep, row.doc_lengths)]
            left.append(PackedRow(ids, *(column[keep] for column in row[1:])))
    return left
