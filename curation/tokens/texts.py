"""Texts for a tokenizer as a DataFrame: of finished runs, or of rows in Parquet and JSON lines."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from curation.errors import InputError
from curation.read.file import InputFile
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits

COLUMNS = {"doc_id": "long", "source": "string", "language": "string", "text": "string"}
ROWS_DDL = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()) + ", problem string"
SPLIT_BYTES = 64 * 2**20
BATCH_CHARS = 4 * 2**20


def named_places(places: Sequence[str]) -> list[tuple[str, str]]:
    """(source, path) of places written as PATH or NAME=PATH; the source is `web` where none is named.

    >>> named_places(["texts", "wiki=dumps/wiki.parquet"])
    [('web', 'texts'), ('wiki', 'dumps/wiki.parquet')]
    """
    named = []
    for place in places:
        source, found, path = place.partition("=")
        named.append((source, path) if found and source.isidentifier() else ("web", place))
    return named


def open_texts(spark: SparkSession, places: Sequence[str]) -> tuple[DataFrame, dict[str, int]]:
    """(documents with COLUMNS, what was left out: reason -> count). Documents of files are kept on the workers' disks.

    A place is the folder of a run (its curated text, whose sources keep their names), or a Parquet, JSON lines or WET
    file, a folder or a glob of them. Raises InputError where a place has no text.
    """
    frames, left_out = [], {}
    for source, path in named_places(places):
        curated = Path(path) / "curated"
        if curated.is_dir():
            frames.append(spark.read.parquet(str(curated)).select(*COLUMNS))
            continue
        rows = _rows(spark, list_inputs(path, source=source)).persist(StorageLevel.DISK_ONLY)
        for row in rows.where(F.col("problem").isNotNull()).groupBy("problem").count().collect():
            left_out[row["problem"]] = left_out.get(row["problem"], 0) + row["count"]
        frames.append(rows.where(F.col("problem").isNull()).select(*COLUMNS))
    documents = reduce(DataFrame.unionByName, frames)
    if documents.isEmpty():
        reasons = "; ".join(f"{count} {problem}" for problem, count in sorted(left_out.items())) or "they are empty"
        raise InputError(f"no text in {', '.join(places)} ({reasons}): give files with a column text")
    return documents, dict(sorted(left_out.items()))


def _rows(spark: SparkSession, files: Sequence[InputFile]) -> DataFrame:
    html = [file.path for file in files if file.kind == "warc"]
    if html:
        raise InputError(f"{html[0]} holds web pages, not text: run `curate run text` on it and give the run's folder")
    splits = [(pickle.dumps(split),) for split in plan_splits(files, SPLIT_BYTES)]
    frame = spark.createDataFrame(spark.sparkContext.parallelize(splits, len(splits)), "split binary")
    return frame.mapInArrow(_read, ROWS_DDL)


def _read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Documents of splits; a row that cannot be read, or a file, is a row with its problem."""
    for batch in batches:
        for packed in batch.column("split").to_pylist():
            split = pickle.loads(packed)
            report, rows, chars = SplitReport(split), [], 0
            for page in read_pages(split, report):
                problem = page.dropped_by or (None if page.text else "rows without text")
                rows.append((page.doc_id, page.source, page.language, page.text if problem is None else None, problem))
                chars += len(page.text)
                if chars > BATCH_CHARS:
                    yield _batch(rows)
                    rows, chars = [], 0
            if report.state != "complete":
                rows.append((0, split.file.source, "", None, f"{split.file.name}: {report.state}, {report.error}"))
            yield _batch(rows)


def _batch(rows: list[tuple]) -> pa.RecordBatch:
    kinds = [pa.int64(), pa.string(), pa.string(), pa.string(), pa.string()]
    columns = zip(*rows, strict=True) if rows else [[]] * len(kinds)
    arrays = [pa.array(list(column), kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=[*COLUMNS, "problem"])
