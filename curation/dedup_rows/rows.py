"""The rows of one split of a Parquet or JSON lines file: read for their keys, or copied where they stay."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from curation.dedup_rows.columns import Found
from curation.errors import InputError
from curation.read.filekind import PARQUET, ZSTD_MAGIC
from curation.read.members import GZIP_MAGIC
from curation.read.rows import plain_values, split_lines
from curation.read.splits import Split
from curation.read.tape import Tape, parquet_source
from curation.run.folder import published

LINE_BYTES = 1 << 30  # of one JSON line; more is taken for a file of another kind
BATCH_ROWS = 1024


@dataclass
class Rows:
    """Some rows of a split, in order: `place` is the row's number in a Parquet file, or its byte in the JSON text.

    `values` holds the text (None where a row has none) and whatever other columns were asked for.
    """

    place: list[int] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)


def read_rows(split: Split, found: Found) -> Iterator[Rows]:
    """The rows in batches. Raises InputError where the file is damaged: an output without its rows would be wrong."""
    if split.file.kind == PARQUET:
        yield from _parquet_rows(split, found)
        return
    with Tape(split.file.path) as tape:
        rows = _empty(found)
        for place, line in _lines(split, tape):
            values = _parse(line)
            rows.place.append(place)
            for name in found.names:
                rows.values[name].append(values.get(name))
            if len(rows.place) == BATCH_ROWS:
                yield rows
                rows = _empty(found)
        yield rows


def copy_rows(split: Split, stays: np.ndarray, target: Path) -> int:
    """Writes those rows of the split for which `stays` (bool, by position) is true, unchanged. Returns how many."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with published(target) as fresh:
        if split.file.kind == PARQUET:
            _copy_parquet(split, stays, fresh)
        else:
            with Tape(split.file.path) as tape, _opened(fresh, tape.at(0, 4)) as out:
                for (_, line), wanted in zip(_lines(split, tape), stays.tolist(), strict=True):
                    if wanted:
                        out.write(line + b"\n")
    return int(stays.sum())


def _parquet_rows(split: Split, found: Found) -> Iterator[Rows]:
    with pq.ParquetFile(parquet_source(split.file.path)) as file:
        row = sum(file.metadata.row_group(group).num_rows for group in range(split.start))
        groups = list(range(split.start, split.end))
        try:
            for batch in file.iter_batches(BATCH_ROWS, row_groups=groups, columns=found.names):
                values = {name: _held(plain_values(batch[name])) for name in found.names}
                yield Rows(list(range(row, row + batch.num_rows)), values)
                row += batch.num_rows
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{split.file.path}: row {row} and on: {error}") from error


def _held(values: list[Any]) -> list[Any]:
    """A value that Python cannot hold counts as none: its row has no such date, or no text to compare, and stays."""
    return [None if isinstance(value, Exception) else value for value in values]


def _copy_parquet(split: Split, stays: np.ndarray, target: Path) -> None:
    done = 0
    with (
        pq.ParquetFile(parquet_source(split.file.path)) as file,
        pq.ParquetWriter(
            target, file.schema_arrow, compression="zstd", use_deprecated_int96_timestamps=_has_int96(file)
        ) as writer,
    ):
        for group in range(split.start, split.end):
            table = file.read_row_group(group)
            writer.write_table(_staying(table, stays[done : done + len(table)]))
            done += len(table)
    assert done == len(stays), f"{done} rows copied, {len(stays)} decided"


def _staying(table: pa.Table, stays: np.ndarray) -> pa.Table:
    try:
        return table.filter(pa.array(stays))
    except pa.ArrowNotImplementedError:  # pyarrow filters no views; stretches of rows it can cut out of any type
        edges = np.flatnonzero(np.diff(np.r_[0, stays.astype(np.int8), 0])).tolist()
        pieces = [table.slice(start, end - start) for start, end in zip(edges[::2], edges[1::2], strict=True)]
        return pa.concat_tables([table.slice(0, 0), *pieces])


def _has_int96(file: pq.ParquetFile) -> bool:
    """Whether times are kept as Spark keeps them; Arrow would write them in nanoseconds, which Spark does not read."""
    return any(file.schema.column(at).physical_type == "INT96" for at in range(len(file.schema)))


def _lines(split: Split, tape: Tape) -> Iterator[tuple[int, bytes]]:
    """(byte, line) of each line that is not blank."""
    stream, lines = split_lines(split, tape, LINE_BYTES)
    for place, line, whole in lines:
        if line is None:
            raise InputError(f"{split.file.path}: a line of more than {LINE_BYTES} bytes at byte {place}")
        if not whole and stream.fault:
            break
        if line.strip():
            yield place, line
    if stream.fault:
        raise InputError(f"{split.file.path} is damaged: {stream.fault}; get the file again, or repair it first")


def _parse(line: bytes) -> dict[str, Any]:
    """The object on a line; what is no object has no columns, so the row stays as it is and is counted."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _empty(found: Found) -> Rows:
    return Rows(values={name: [] for name in found.names})


def _opened(path: Path, head: bytes) -> IO[bytes] | closing:
    """A new file, packed as the one that begins with `head` was."""
    if head.startswith(GZIP_MAGIC):
        return gzip.open(path, "wb", compresslevel=6)
    if head.startswith(ZSTD_MAGIC):
        return zstandard.open(path, "wb")
    return open(path, "wb")
