"""What a worker does, on Arrow batches: encode text, and write the shards of the rows it was handed, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.errors import InputError
from curation.tokens.pack import pack
from curation.tokens.shards import Counts, ShardInfo, write_shard
from curation.tokens.tokenizer import FrozenTokenizer

KEPT = {"doc_id": "long", "source": "string", "split": "string", "key": "long", "language": "string", "chars": "long"}
ENCODED_DDL = ", ".join(f"{name} {kind}" for name, kind in KEPT.items()) + ", bytes long, input_ids array<int>"
WRITTEN_DDL = ", ".join(["path string", *(f"{name} long" for name in Counts._fields)])


def encode_batches(batches: Iterable[pa.RecordBatch], tokenizer: FrozenTokenizer) -> Iterator[pa.RecordBatch]:
    """Batches of ENCODED_DDL from batches with the columns of KEPT and `text`. `bytes` are of the text in UTF-8.

    Raises InputError for a document without text.
    """
    for batch in batches:
        texts = batch.column("text")
        if texts.null_count:
            doc_id = batch.column("doc_id")[texts.is_null().index(True).as_py()].as_py()
            raise InputError(f"document {doc_id} has no text: give the token stage curated documents only")
        arrays = tokenizer.encode_batch(texts.to_pylist())
        offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in arrays])]).astype(np.int32)
        ids = np.concatenate([np.empty(0, dtype=np.int32), *arrays])
        columns = {name: batch.column(name) for name in KEPT}
        columns["bytes"] = pc.binary_length(texts).cast(pa.int64())
        columns["input_ids"] = pa.ListArray.from_arrays(pa.array(offsets), pa.array(ids))
        yield pa.RecordBatch.from_pydict(columns)


def write_batches(
    batches: Iterable[pa.RecordBatch],
    folder: Path,
    packing: str,
    sequence_length: int,
    tokenizer: dict[str, Any],
    token_bytes: np.ndarray,
) -> Iterator[pa.RecordBatch]:
    """Write the shards of rows sorted by source, split and number; yields one row of WRITTEN_DDL a shard.

    Needs the columns `source`, `split`, `number` (of the shard within the two), `doc_id` and `input_ids`; `tokenizer`
    holds `tokenizer_sha256`, `vocab_size` and `eos_id`. Memory: one row group, and what `pack` holds.
    """
    for (source, split, number), group in groupby(_documents(batches), key=lambda document: document[0]):
        info = ShardInfo(sequence_length=sequence_length, packing=packing, source=source, split=split, **tokenizer)
        documents = ((doc_id, ids) for _, doc_id, ids in group)
        rows = pack(documents, packing, sequence_length, info.eos_id, token_bytes)
        shard = write_shard(folder / split / source / f"part-{number:05d}.parquet", info, rows)
        counts = {name: [count] for name, count in shard.counts._asdict().items()}
        yield pa.RecordBatch.from_pydict({"path": [str(shard.path)], **counts})


def _documents(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[tuple[str, str, int], int, np.ndarray]]:
    for batch in batches:
        places = zip(*(batch.column(name).to_pylist() for name in ("source", "split", "number")), strict=True)
        ids, ends = batch.column("input_ids"), batch.column("input_ids").offsets.to_numpy()
        values = ids.values.to_numpy()
        for at, (place, doc_id) in enumerate(zip(places, batch.column("doc_id").to_pylist(), strict=True)):
            yield place, doc_id, values[ends[at] : ends[at + 1]]
