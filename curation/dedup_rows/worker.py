"""What a Spark task does with one unit (a split of a file): keys of its rows, and later its rows without the copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from curation.dedup.duplicates import Duplicates
from curation.dedup_rows.columns import Found
from curation.dedup_rows.rows import Rows, copy_rows, read_rows
from curation.document import document_id
from curation.errors import InputError
from curation.read.rows import without_lone_surrogates
from curation.read.splits import Split
from curation.read.times import iso_time
from curation.run.folder import RunFolder, parquet_files

COMPARE_DATES = ("newest", "first")
ROWS = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("file", pa.string()),  # relative to the input
        pa.field("row", pa.int64()),  # row of a Parquet file, byte of the unpacked JSON lines
        pa.field("id", pa.string()),  # the user's own; null where there is none
    ]
)


@dataclass(frozen=True)
class RowUnit:
    """A split, the columns of its file, and where its rows without copies go (below the output folder)."""

    name: str
    split: Split
    found: Found
    file_number: int
    output: str


@dataclass(frozen=True)
class Counts:
    """Rows of a unit: read, of these without a text (they stay, uncompared), and written."""

    rows: int
    without_text: int = 0
    written: int = 0


def plan_rows(splits: Sequence[Split], found: dict[str, Found]) -> list[RowUnit]:
    """One unit for each split; the parts of a file that was split are numbered. `found`: columns by path."""
    paths = list(dict.fromkeys(split.file.path for split in splits))
    parts = {path: [split for split in splits if split.file.path == path] for path in paths}
    units = []
    for number, path in enumerate(paths):
        for part, split in enumerate(parts[path]):
            output = split.file.name if len(parts[path]) == 1 else _numbered(split.file.name, part)
            units.append(RowUnit(f"unit-{len(units):05d}", split, found[path], number, output))
    twice = [name for name, count in Counter(unit.output for unit in units).items() if count > 1]
    if twice:
        raise InputError(f"two inputs would be written as {twice[0]}; rename one of them")
    return units


def write_keys(folder: RunFolder, stages: Sequence[Duplicates], unit: RowUnit) -> Counts:
    """Writes signatures/<stage>/<unit>.parquet of each stage and rows/<unit>.parquet, in the order of the rows."""
    name, without_text = f"{unit.name}.parquet", 0
    targets = [(folder.root / "rows" / name, ROWS)]
    targets += [(folder.signatures(stage.name) / name, stage.key_schema()) for stage in stages]
    input_order = any(stage.keep == "first" for stage in stages) and unit.found.date is None
    with parquet_files(targets) as (rows_file, *key_files):
        for rows in read_rows(unit.split, unit.found):
            batch = _document_batch(rows, unit, stages, input_order)
            without_text += batch["text"].null_count
            ids = _own_ids(rows, unit.found)
            file = pa.repeat(pa.scalar(unit.split.file.name, pa.string()), batch.num_rows)
            rows_file.add(pa.record_batch([batch["doc_id"], file, pa.array(rows.place, pa.int64()), ids], schema=ROWS))
            for stage, keys in zip(stages, key_files, strict=True):
                keys.add(stage.keys(batch, unit.name))
    return Counts(rows_file.rows, without_text)


def write_survivors(folder: RunFolder, stages: Sequence[str], unit: RowUnit) -> Counts:
    """Copies the rows of the unit that no stage removed, unchanged and in order."""
    ids = pq.read_table(folder.root / "rows" / f"{unit.name}.parquet", columns=["doc_id"])["doc_id"]
    gone = [np.zeros(0, np.int64)]
    for stage in stages:
        removals = ds.dataset(folder.removals(stage), format="parquet")
        gone.append(removals.to_table(columns=["doc_id"], filter=pc.field("unit") == unit.name)["doc_id"].to_numpy())
    stays = ~np.isin(ids.to_numpy(), np.concatenate(gone))
    return Counts(len(ids), written=copy_rows(unit.split, stays, folder.root / "text" / unit.output))


def _document_batch(rows: Rows, unit: RowUnit, stages: Sequence[Duplicates], input_order: bool) -> pa.RecordBatch:
    """The columns of `curation.document.DOCUMENT` that the stages look at."""
    file, found, count = unit.split.file, unit.found, len(rows.place)
    texts = (without_lone_surrogates(v) if isinstance(v, str) else None for v in rows.values[found.text])
    text = pa.array(texts, pa.large_string())
    own = _own_ids(rows, found).to_pylist()
    if input_order:  # orders rows for keep=first where no date does
        date = [f"{unit.file_number:08d}-{place:016d}" for place in rows.place]
    elif found.date and any(stage.keep in COMPARE_DATES for stage in stages):
        date = [_time(*one, unit) for one in zip(rows.values[found.date], rows.place, strict=True)]
    else:
        date = [""] * count
    columns: dict[str, Any] = {
        "doc_id": pa.array(
            [document_id(file.source, "", file.name, n, id_ or "") for n, id_ in zip(rows.place, own, strict=True)],
            pa.int64(),
        ),
        "source": pa.repeat(pa.scalar(file.source, pa.string()), count),
        "snapshot": pa.repeat(pa.scalar("", pa.string()), count),
        "date": pa.array(date, pa.string()),
        "url": pa.array([_plain(v) for v in rows.values[found.url]] if found.url else [""] * count, pa.string()),
        "text": text,
        "chars": pc.fill_null(pc.utf8_length(text), 0),
        "scores": _scores(rows, [stage.score for stage in stages if stage.score is not None]),
        "dropped_by": pa.nulls(count, pa.string()),
    }
    return pa.record_batch(columns)


def _scores(rows: Rows, names: Sequence[str]) -> pa.Array:
    """As the column `scores` of DOCUMENT."""
    values = [
        [
            {"key": name, "value": float(rows.values[name][n])}
            for name in dict.fromkeys(names)
            if _is_number(rows.values[name][n])
        ]
        for n in range(len(rows.place))
    ]
    return pa.array(values, pa.list_(pa.struct([("key", pa.string()), ("value", pa.float64())])))


def _own_ids(rows: Rows, found: Found) -> pa.Array:
    if found.id is None:
        return pa.nulls(len(rows.place), pa.string())
    return pa.array([None if value is None else _plain(value) for value in rows.values[found.id]], pa.string())


def _time(value: Any, place: int, unit: RowUnit) -> str:
    """In UTC, so that times of several zones and forms compare."""
    time = iso_time(value, timespec="microseconds")
    if time is None:
        raise InputError(
            f"{unit.split.file.path}, row at {place}: '{unit.found.date}' is {value!r:.80}, which is no time; write it "
            "as 2024-03-01T12:30:00Z, or as seconds since 1970"
        )
    return time


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value.isoformat() if hasattr(value, "isoformat") else without_lone_surrogates(str(value))


def _is_number(value: Any) -> bool:
    """Whether it can be a score; an integer of 400 digits, which JSON can spell, is as good as none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and (value != value or abs(value) < 1e308)


def _numbered(name: str, part: int) -> str:
    """`a/b.jsonl.gz` -> `a/b-00001.jsonl.gz`."""
    path = PurePosixPath(name)
    stem, dot, endings = path.name.partition(".")
    return str(path.with_name(f"{stem}-{part:05d}{dot}{endings}"))
