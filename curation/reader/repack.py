"""Whole documents packed into rows of any length while reading: best fit, within a unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow.parquet as pq

from curation.tokens.best_fit import assign_rows, cut_to_fit
from curation.tokens.pack import PackedRow, pack_together, row_of


def count_rows(file: pq.ParquetFile, groups: Iterable[int], length: int) -> int:
    """Rows that `repacked` will make of these row groups. Reads the lengths of the documents only."""
    column = file.read_row_groups(list(groups), columns=["doc_lengths"], use_threads=False).column(0)
    _, _, lengths = cut_to_fit(column.combine_chunks().values.to_numpy().astype(np.int64), length)
    return int(assign_rows(lengths, length).max(initial=-1)) + 1


def repacked(documents: Sequence[PackedRow], length: int, token_bytes: np.ndarray) -> list[PackedRow]:
    """Rows of at most `length` tokens from rows of one whole document each."""
    whole = [(int(document.doc_ids[0]), document.input_ids) for document in documents]
    return [row_of(pieces, token_bytes) for pieces in pack_together(whole, length)]
