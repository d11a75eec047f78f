"""Weights by cluster size for the survivors of a finished run: how often each is repeated in training."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.dedup.rehydration import copies_of
from curation.document import named_values
from curation.errors import InputError
from curation.recipe.load import rebuild_recipe
from curation.run.folder import RunFolder, parquet_files, read_json
from curation.run.plan import cut_into_segments

WEIGHTS = pa.schema([("doc_id", pa.int64()), ("cluster_size", pa.int64()), ("copies", pa.int64())])


def rehydrate(folder: RunFolder, stage: str, *, by: str = "size", most: int = 10) -> Path:
    """Writes RUN/rehydration/<stage>.parquet: doc_id, cluster_size and copies of every curated document.

    `by` and `most` as in `curation.dedup.rehydration`; by="removal" looks at what the stages after this one removed.
    Memory: 32 bytes a document. Raises InputError where the run has no such stage, or is not finished.
    """
    if not folder.manifest.is_file():
        raise InputError(f"{folder.root} is no finished run: it holds no manifest.json")
    segments = cut_into_segments(rebuild_recipe(read_json(folder.plan)["resolved"]).stages)
    numbers = {corpus.name: segment.number for segment in segments for corpus in segment.corpus_stages}
    if stage not in numbers:
        raise InputError(f"{folder.root} has no corpus stage '{stage}'; it has {', '.join(numbers) or 'none'}")
    kept = _sizes(folder.curated.glob("*.parquet"), stage)
    later = [path for n in range(numbers[stage] + 1, len(segments)) for path in folder.dead(n).glob("*.parquet")]
    removed = _sizes(later, stage)
    try:
        copies = copies_of(kept["cluster_size"].to_numpy(), removed["cluster_size"].to_numpy(), by=by, most=most)
    except ValueError as error:
        raise InputError(str(error)) from error
    target = folder.root / "rehydration" / f"{stage}.parquet"
    table = kept.append_column("copies", pa.array(copies.astype(np.int64))).cast(WEIGHTS).sort_by("doc_id")
    with parquet_files([(target, WEIGHTS)]) as (file,):
        for batch in table.to_batches():
            file.add(batch)
    return target


def _sizes(files: Iterable[Path], stage: str) -> pa.Table:
    """doc_id and cluster_size (1 without copies) of the documents in files, those removed as copies left out."""
    empty = pa.table({"doc_id": pa.array([], pa.int64()), "cluster_size": pa.array([], pa.int64())})
    parts = [empty]
    for path in sorted(files):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["doc_id", "signals", "dropped_by"]):
                copy = pc.ends_with(pc.fill_null(batch["dropped_by"], ""), ".duplicate")
                batch = batch.filter(pc.invert(copy))
                sizes = pc.fill_null(named_values(batch["signals"], f"{stage}.cluster_size"), 1.0).cast(pa.int64())
                parts.append(pa.table({"doc_id": batch["doc_id"], "cluster_size": sizes}))
    return pa.concat_tables(parts)
