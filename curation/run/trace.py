"""`trace`: from a token of a shard, or a doc_id, back to the page, its crawl file, and its way through the stages.

Reads one row group of one shard, the ids of the documents of its source, and what it then shows: no Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.document import DOCUMENT
from curation.errors import InputError, TokenizerError
from curation.recipe.load import rebuild_recipe
from curation.run.folder import RunFolder, read_json
from curation.run.lookup import fate_files, fate_of, rows_by_id
from curation.run.tokenizer import tokenizer_of
from curation.tokens.pack import PackedRow
from curation.tokens.shards import open_shard, rows_of

CONTEXT_CHARS = 160  # on each side of the token


@dataclass(frozen=True)
class Token:
    """A token in its shard and in its document, all counted from 0.

    `number` is its place among the tokens of the document, [`start`, `end`) the characters of the curated text that it
    spells or has a part of, `spelled`; an end token spells none. `before` and `after` are the text around it.
    """

    shard: str
    row: int
    position: int
    doc_id: int
    id: int
    number: int
    start: int
    end: int
    before: str
    spelled: str
    after: str


@dataclass(frozen=True)
class Step:
    """What a stage did to a document: characters after it (None where it ended there), and what touched it."""

    stage: str
    chars: int | None
    happened: str


@dataclass(frozen=True)
class Trace:
    """`document` has the columns of `curation.document.DOCUMENT`; `rows` are (shard, row) that hold tokens of it."""

    document: dict[str, Any]
    fate: str
    way: list[Step]
    rows: list[tuple[str, int]]
    token: Token | None = None


def trace_token(folder: RunFolder, shard: str | Path, row: int, position: int) -> Trace:
    """The page of a token: position `position` of row `row` of a shard, both from 0.

    `shard` is a path, or relative to RUN/tokens, such as train/web/part-00000.parquet. Raises InputError where there is
    no such shard, row or position, or the run does not hold the page any more; TokenizerError where the shard was
    written with another tokenizer, or the page's text does not encode to what it holds.
    """
    check_run(folder)
    path = _shard_path(folder, shard)
    tokenizer = tokenizer_of(folder, rebuild_recipe(read_json(folder.plan)["resolved"]))
    info, packed = open_shard(path, tokenizer.sha256).info, _row(path, row)
    if not 0 <= position < len(packed.input_ids):
        raise InputError(f"{path}, row {row} has the positions 0 to {len(packed.input_ids) - 1}, not {position}")
    ends = np.cumsum(packed.doc_lengths)
    piece = int(np.searchsorted(ends, position, side="right"))
    doc_id = int(packed.doc_ids[piece])
    number = int(packed.doc_starts[piece]) + position - int(ends[piece] - packed.doc_lengths[piece])
    found = trace_document(folder, doc_id, source=info.source)
    text = found.document["text"]
    if found.document["dropped_by"] is not None:
        raise InputError(f"{path} holds document {doc_id}, which this run does not: its fate is {found.fate}")
    ids = np.append(tokenizer.encode(text), np.int32(info.eos_id))
    if number >= len(ids) or ids[number] != packed.input_ids[position]:
        raise TokenizerError(
            f"{path}, row {row}, position {position} is token {number} of document {doc_id}, whose text encodes "
            f"to something else there: the shards were not made from {folder.curated}"
        )
    start, end = _places(text, tokenizer.token_bytes[ids], number)
    token = Token(
        shard=str(path.relative_to(folder.tokens)) if path.is_relative_to(folder.tokens) else str(path),
        row=row,
        position=position,
        doc_id=doc_id,
        id=int(ids[number]),
        number=number,
        start=start,
        end=end,
        before=text[max(0, start - CONTEXT_CHARS) : start],
        spelled=text[start:end],
        after=text[end : end + CONTEXT_CHARS],
    )
    return Trace(found.document, found.fate, found.way, found.rows, token)


def _places(text: str, sizes: np.ndarray, number: int) -> tuple[int, int]:
    """The characters that token `number` has a part of; `sizes` are the bytes that the tokens of the text spell."""
    encoded, first = text.encode(), int(sizes[:number].sum())
    last = first + int(sizes[number])
    whole = len(encoded[:last].decode(errors="ignore"))
    return len(encoded[:first].decode(errors="ignore")), whole + (len(text[:whole].encode()) < last)


def trace_document(folder: RunFolder, doc_id: int, *, source: str | None = None) -> Trace:
    """The way of a document through the run. With `source`, files of other sources are passed over by their footers.

    Raises InputError where the run has no such document.
    """
    check_run(folder)
    files = [path for path in fate_files(folder) if source is None or _may_hold(path, source)]
    table = next(rows_by_id(files, [doc_id], DOCUMENT.names), None)
    if table is None:
        raise InputError(f"no document of {folder.root} has the doc_id {doc_id}")
    document = table.slice(0, 1).to_pylist()[0]
    rows = _rows_in_shards(folder, doc_id, document["source"]) if document["dropped_by"] is None else []
    return Trace(document, fate_of(document), _way(folder, document), rows)


def check_run(folder: RunFolder) -> None:
    """Raises InputError where there is nothing to trace in."""
    if not folder.plan.is_file() or not folder.curated.is_dir():
        raise InputError(f"{folder.root} has no plan.json or no curated/: give the folder of a finished run")


def _shard_path(folder: RunFolder, shard: str | Path) -> Path:
    for path in (folder.tokens / shard, Path(shard).absolute()):
        if path.is_file():
            return path
    known = sorted(str(path.relative_to(folder.tokens)) for path in folder.tokens.glob("*/*/part-*.parquet"))
    raise InputError(f"no shard {shard} in {folder.tokens}; it holds {', '.join(known[:5]) or 'none'}")


def _row(path: Path, row: int) -> PackedRow:
    """One row; its row group is found in the footer."""
    with pq.ParquetFile(path) as file:
        at = row
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if 0 <= at < count:
                return list(rows_of(file.read_row_group(group)))[at]
            at -= count
        raise InputError(f"{path} has the rows 0 to {file.metadata.num_rows - 1}, not {row}")


def _may_hold(path: Path, source: str) -> bool:
    """Whether the statistics of a file leave room for documents of a source."""
    footer = pq.read_metadata(path)
    at = DOCUMENT.get_field_index("source")
    bounds = [footer.row_group(group).column(at).statistics for group in range(footer.num_row_groups)]
    return any(one is None or not one.has_min_max or one.min <= source <= one.max for one in bounds)


def _rows_in_shards(folder: RunFolder, doc_id: int, source: str) -> list[tuple[str, int]]:
    """(shard, row) of each row with tokens of the document: the column doc_ids of its source's shards is read."""
    found = []
    for path in sorted(folder.tokens.glob(f"*/{source}/part-*.parquet")):
        with pq.ParquetFile(path) as file:
            first = 0
            for batch in file.iter_batches(columns=["doc_ids"]):
                held = pc.equal(pc.list_flatten(batch["doc_ids"]), doc_id)
                rows = pc.unique(pc.list_parent_indices(batch["doc_ids"]).filter(held)).to_pylist()
                found += [(str(path.relative_to(folder.tokens)), first + row) for row in rows]
                first += len(batch)
    return found


def _way(folder: RunFolder, document: Mapping[str, Any]) -> list[Step]:
    """One step for reading and for each stage that the document entered."""
    stages = [next(iter(stage)) for stage in read_json(folder.plan)["resolved"]["stages"]]
    trail = document["trail"]
    steps = []
    for at, stage in enumerate(["read", *stages][: len(trail) + (document["dropped_by"] is not None)]):
        ended = at == len(trail)
        happened = [f"dropped by {fate_of(document)}"] if ended else []
        happened += _decisions(folder, stage, document["doc_id"])
        steps.append(Step(stage, None if ended else trail[at], "; ".join(happened)))
    return steps


def _decisions(folder: RunFolder, stage: str, doc_id: int) -> list[str]:
    """What a corpus stage decided about a document, in words."""
    told = []
    for row in _decided(folder.clusters(stage), doc_id, ["cluster_size"]):
        told.append(f"one of a cluster of {row['cluster_size']}")
    for row in _decided(folder.removals(stage), doc_id, ["kept_id", "similarity"]):
        alike = "" if row["similarity"] is None else f", similarity {row['similarity']:.2f}"
        told.append(f"{row['kept_id']} was kept instead{alike}" if row["kept_id"] is not None else "removed")
    cuts = _decided(folder.cuts(stage), doc_id, ["start", "end", "copies"])
    if cuts:
        chars, copies = sum(row["end"] - row["start"] for row in cuts), max(row["copies"] for row in cuts)
        told.append(f"{len(cuts)} passages of {chars} characters cut out, one of them {copies} times in the corpus")
    for row in _decided(folder.evidence(stage) / "spans", doc_id, ["benchmark", "item", "ratio"]):
        told.append(f"holds {row['ratio']:.0%} of item {row['item']} of {row['benchmark']}")
    return told


def _decided(table: Path, doc_id: int, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of a decision table about a document; none where there is no such table."""
    files = sorted(table.glob("*.parquet"))
    return [row for rows in rows_by_id(files, [doc_id], columns) for row in rows.to_pylist()]
