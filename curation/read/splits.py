"""Splits: the units of work. A large file becomes several byte ranges, so that one file keeps all cores busy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from curation.errors import InputError
from curation.read.file import InputFile
from curation.read.filekind import JSONL, PARQUET, ZSTD_MAGIC
from curation.read.members import GZIP_MAGIC
from curation.read.tape import Tape, parquet_source

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {
    unit: 1 << shift
    for shift, units in ((10, "k kib"), (20, "m mib"), (30, "g gib"), (40, "t tib"))
    for unit in units.split()
}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Split:
    """A range [start, end) of a file: bytes, or row groups of Parquet. What starts in it belongs to it."""

    file: InputFile
    start: int
    end: int


def plan_splits(files: Iterable[InputFile], split_size: int) -> list[Split]:
    """Ranges of about `split_size` bytes, in file order; each file is covered exactly once, an empty one by (0, 0).

    Compressed JSONL has no point of entry inside and stays whole. The plan depends on the files only, so a resumed run
    plans the same.
    """
    if split_size < 1:
        raise InputError(f"split size {split_size}: give at least 1 byte, such as 128MiB")
    return [split for file in files for split in _splits(file, split_size)]


def split_at(file: InputFile, place: int) -> Split:
    """A small split that holds the record or row at `place`: its byte, or in a Parquet file its number."""
    if file.kind != PARQUET:
        return Split(file, place, place + 1)
    metadata = pq.read_metadata(parquet_source(file.path))
    ends = accumulate(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    group = next((number for number, end in enumerate(ends) if place < end), max(0, metadata.num_row_groups - 1))
    return Split(file, group, group + 1)


def parse_size(text: str | int) -> int:
    """Bytes of a size as people write it. KiB, MiB, GiB and a bare k, m, g count in 1024s, kB, MB, GB in 1000s.

    >>> parse_size("128MiB"), parse_size("1.5kB"), parse_size("64m")
    (134217728, 1500, 67108864)
    """
    match = _SIZE.fullmatch(str(text))
    if not match or match.group(2).lower() not in _UNITS:
        raise InputError(f"size {text!r}: write a number and a unit, such as 128MiB or 1GB")
    return int(float(match.group(1)) * _UNITS[match.group(2).lower()])


def _splits(file: InputFile, split_size: int) -> Iterator[Split]:
    if file.kind == PARQUET:
        yield from _row_group_splits(file, split_size)
        return
    whole = file.size <= split_size or (file.kind == JSONL and _is_compressed(file))
    count = 1 if whole else -(-file.size // split_size)
    for index in range(count):
        yield Split(file, file.size * index // count, file.size * (index + 1) // count)


def _row_group_splits(file: InputFile, split_size: int) -> Iterator[Split]:
    try:
        metadata = pq.read_metadata(parquet_source(file.path))
    except (OSError, pa.ArrowException):
        yield Split(file, 0, 0)  # reading it reports what is wrong
        return
    start, size = 0, 0
    for group in range(metadata.num_row_groups):
        size += metadata.row_group(group).total_byte_size
        if size >= split_size or group == metadata.num_row_groups - 1:
            yield Split(file, start, group + 1)
            start, size = group + 1, 0
    if not metadata.num_row_groups:
        yield Split(file, 0, 0)


def _is_compressed(file: InputFile) -> bool:
    with Tape(file.path) as tape:
        return tape.at(0, 4).startswith((GZIP_MAGIC, ZSTD_MAGIC))
