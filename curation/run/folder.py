"""The run folder: where each part of a run lies, and how a finished piece is published.

Whatever is written goes to a temporary name first and is renamed when complete, so a half-written file never counts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from curation.errors import InputError
from curation.read.file import check_utf8

ROW_GROUP_BYTES = 32 << 20  # of Arrow memory: what a writer holds, and what a reader takes in at a time
TEXTS_AT_ONCE = 256  # pages of a batch, where only ids and texts are read


def root_of_run(out: str | Path) -> Path:
    """The absolute path of a run folder. Raises InputError for an address: a Path would make a folder `s3:` of it."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(out)):
        raise InputError(
            f"{str(out).split(':')[0]}:// cannot hold a run folder: its parts are published by rename, which object "
            "stores do not have. Give a folder on a mount that all workers see, and copy curated/ and tokens/ into the "
            "store when the run is finished (docs/remote-stores.md)"
        )
    root = Path(out).absolute()
    check_utf8(str(root))
    return root


@dataclass(frozen=True)
class RunFolder:
    """Names of the parts of a run below `root` (an absolute path)."""

    root: Path

    @property
    def plan(self) -> Path:
        return self.root / "plan.json"

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def log(self) -> Path:
        return self.root / "run.log"

    @property
    def funnel(self) -> Path:
        return self.root / "funnel.json"

    @property
    def curated(self) -> Path:
        return self.root / "curated"

    @property
    def tokens(self) -> Path:
        return self.root / "tokens"

    @property
    def forgotten(self) -> Path:
        """Documents the run must not hold, see `curation.run.forgotten`; absent where nothing was ever forgotten."""
        return self.root / "forgotten.json"

    @property
    def mixture(self) -> Path:
        return self.root / "mixture.json"

    def pass_folder(self, segment: int) -> Path:
        return self.root / "documents" / f"pass-{segment}"

    def alive(self, segment: int, last: bool) -> Path:
        """Folder of the pages that live after the pass; those of the last pass are the curated text."""
        return self.curated if last else self.pass_folder(segment) / "alive=true"

    def dead(self, segment: int) -> Path:
        return self.pass_folder(segment) / "alive=false"

    def commits(self, segment: int) -> Path:
        """Folder of one small JSON file a finished unit; the underscore hides it from Parquet readers."""
        return self.pass_folder(segment) / "_units"

    def signatures(self, stage: str) -> Path:
        return self.root / "signatures" / stage

    def removals(self, stage: str) -> Path:
        return self.root / "removals" / stage

    def cuts(self, stage: str) -> Path:
        return self.root / "cuts" / stage

    def evidence(self, stage: str) -> Path:
        return self.root / "evidence" / stage

    def benchmark_items(self, stage: str) -> Path:
        """The benchmark items a stage looked for, as they were: what a later check of the run looks for again."""
        return self.root / "benchmarks" / f"{stage}.parquet"

    def clusters(self, stage: str) -> Path:
        return self.root / "clusters" / stage

    def committed(self, segment: int) -> set[str]:
        """Names of the units of a pass that are finished."""
        folder = self.commits(segment)
        return {path.stem for path in folder.glob("*.json")} if folder.is_dir() else set()

    def step_done(self, step: str) -> bool:
        return (self.root / "state" / f"{step}.json").is_file()

    def mark_done(self, step: str, facts: dict[str, Any]) -> None:
        write_json(self.root / "state" / f"{step}.json", facts)

    def step_facts(self, step: str) -> dict[str, Any]:
        return read_json(self.root / "state" / f"{step}.json")


def clear_unfinished(root: Path) -> None:
    """Deletes what a killed run was writing: files under the temporary names of this module. They never count."""
    for path in root.rglob(".*.tmp"):
        path.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """JSON for people and programs, published by rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with published(path) as fresh:
        fresh.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class UnitTexts:
    """The texts of the pages that live in `folder`, unit by unit: what a corpus stage takes a second look at."""

    folder: Path

    def __call__(self, unit: str) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(self.folder / f"{unit}.parquet") as file:
            yield from file.iter_batches(batch_size=TEXTS_AT_ONCE, columns=["doc_id", "text"])


class ParquetFile:
    """Appends Arrow batches to a Parquet file in row groups of about ROW_GROUP_BYTES."""

    def __init__(self, path: Path, schema: pa.Schema):
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._schema = schema
        self._held: list[pa.RecordBatch] = []
        self._bytes = 0
        self.rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        if batch.num_rows == 0:
            return
        self._held.append(batch)
        self._bytes += batch.nbytes
        self.rows += batch.num_rows
        if self._bytes >= ROW_GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(pa.Table.from_batches(self._held, self._schema))
        self._held, self._bytes = [], 0

    def close(self) -> None:
        self._flush()
        self._writer.close()


@contextmanager
def parquet_files(targets: Iterable[tuple[Path, pa.Schema]]) -> Iterator[list[ParquetFile]]:
    """Opens one file for each target; all of them are published together when the block ends well, none otherwise."""
    targets = list(targets)
    fresh = [_temporary(path) for path, _ in targets]
    for path, _ in targets:
        path.parent.mkdir(parents=True, exist_ok=True)
    files = [ParquetFile(name, schema) for name, (_, schema) in zip(fresh, targets, strict=True)]
    try:
        yield files
        for file in files:
            file.close()
        for name, (path, _) in zip(fresh, targets, strict=True):
            os.replace(name, path)
    finally:
        for name in fresh:
            name.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    """A name of its own for each attempt: two executors may work on one unit, and in containers have one process id."""
    return path.with_name(f".{path.name}.{uuid4().hex}.tmp")


@contextmanager
def published(path: Path) -> Iterator[Path]:
    """A name to write a file under, which becomes `path` when the block ends well; else it goes."""
    fresh = _temporary(path)
    try:
        yield fresh
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
