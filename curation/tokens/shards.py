"""Token shards: Parquet files of packed rows that say which tokenizer they were written with.

Columns: `input_ids` list<int32>, `doc_lengths` list<int32> (tokens of each document in the row), `doc_ids` list<int64>.
The schema's metadata holds ShardInfo under `curation.*`; the footer adds what was written (`curation.tokens`, ...).
Any Parquet reader opens them. A folder of shards is `<tokens>/<split>/<source>/part-00000.parquet`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.errors import InputError, TokenizerError
from curation.tokens.pack import PackedRow, unpack

if TYPE_CHECKING:
    from curation.tokens.tokenizer import FrozenTokenizer

PREFIX = "curation."
COLUMNS = pa.schema(
    [
        pa.field("input_ids", pa.list_(pa.int32())),
        pa.field("doc_lengths", pa.list_(pa.int32())),
        pa.field("doc_ids", pa.list_(pa.int64())),
    ]
)
ROW_GROUP_TOKENS = 4 * 2**20  # 16 MB of ids: what writer and reader hold at once
MAX_VOCABULARY = 2**31  # ids are int32


@dataclass(frozen=True)
class ShardInfo:
    """What a shard says about itself. `vocab_size` is one more than the largest id that can stand in it."""

    tokenizer_sha256: str
    vocab_size: int
    sequence_length: int
    eos_id: int
    packing: str
    source: str
    split: str

    def metadata(self) -> dict[str, str]:
        return {PREFIX + name: str(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Shard:
    """One shard on disk, from its footer alone. Counts: tokens with end tokens, documents, packed rows."""

    path: Path
    info: ShardInfo
    tokens: int
    documents: int
    rows: int


def write_shard(path: Path, info: ShardInfo, rows: Iterable[PackedRow]) -> Shard:
    """Write rows to `path`, which appears whole or not at all. The same rows give the same bytes.

    Raises TokenizerError for an id outside the vocabulary, or a vocabulary whose ids are not int32.
    """
    if not 0 < info.vocab_size <= MAX_VOCABULARY:
        raise TokenizerError(f"vocabulary of {info.vocab_size} does not fit int32 ids (at most {MAX_VOCABULARY})")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    counts = {"tokens": 0, "documents": 0, "rows": 0}
    group_rows = max(1, ROW_GROUP_TOKENS // info.sequence_length)
    try:
        with pq.ParquetWriter(
            temporary, COLUMNS.with_metadata(info.metadata()), compression="zstd", use_dictionary=False
        ) as writer:
            for group in _groups(rows, group_rows):
                writer.write_table(_table(group, info), row_group_size=group_rows)
                counts["rows"] += len(group)
                counts["tokens"] += sum(len(row.input_ids) for row in group)
                counts["documents"] += sum(int(np.count_nonzero(row.input_ids == info.eos_id)) for row in group)
            writer.add_key_value_metadata({PREFIX + name: str(count) for name, count in counts.items()})
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return Shard(path, info, **counts)


def open_shard(path: Path | str, tokenizer_sha256: str | None = None) -> Shard:
    """A shard's footer. Raises InputError for a file that is no token shard, TokenizerError for another tokenizer."""
    try:
        found = pq.read_metadata(path).metadata or {}
        told = {key.decode(): value.decode() for key, value in found.items() if key.startswith(PREFIX.encode())}
        number = {name: int(told[PREFIX + name]) for name in ("vocab_size", "sequence_length", "eos_id")}
        words = {name: told[PREFIX + name] for name in ("tokenizer_sha256", "packing", "source", "split")}
        counts = {name: int(told[PREFIX + name]) for name in ("tokens", "documents", "rows")}
    except (OSError, pa.ArrowInvalid, KeyError) as error:
        raise InputError(f"{path} is not a token shard ({error}): name a file written by the token stage") from error
    shard = Shard(Path(path), ShardInfo(**words, **number), **counts)
    if tokenizer_sha256 not in (None, shard.info.tokenizer_sha256):
        raise TokenizerError(
            f"{path} was written with tokenizer {shard.info.tokenizer_sha256[:12]}, not with {tokenizer_sha256[:12]}: "
            "use the tokenizer.json that lies beside the shards"
        )
    return shard


def list_shards(tokens_dir: Path | str, split: str) -> dict[str, list[Shard]]:
    """Shards of one split by source, in order of name. Raises TokenizerError where they disagree on the tokenizer."""
    root = Path(tokens_dir)
    frozen = root / "tokenizer.json"
    sha256 = hashlib.sha256(frozen.read_bytes()).hexdigest() if frozen.is_file() else None
    found: dict[str, list[Shard]] = {}
    for path in sorted((root / split).glob("*/part-*.parquet")):
        shard = open_shard(path, sha256)
        sha256 = shard.info.tokenizer_sha256
        found.setdefault(shard.info.source, []).append(shard)
    return found


def tokens_by_source(tokens_dir: Path | str, split: str = "train") -> dict[str, int]:
    """Tokens of each source, as the shards on disk say: what a mixture is solved for."""
    return {source: sum(shard.tokens for shard in shards) for source, shards in list_shards(tokens_dir, split).items()}


def read_rows(path: Path | str) -> Iterator[PackedRow]:
    """The packed rows of a shard, in order; one row group in memory at a time."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield from rows_of(file.read_row_group(group))


def read_documents(path: Path | str, tokenizer: FrozenTokenizer | None = None) -> Iterator[tuple[int, np.ndarray]]:
    """(doc_id, ids without end token) of every document, put together again across rows.

    Raises TokenizerError where `tokenizer` is not the one the shard was written with, InputError where a document has
    no end: the shard is not whole.
    """
    shard = open_shard(path, tokenizer.sha256 if tokenizer else None)
    try:
        yield from unpack(read_rows(path), shard.info.eos_id)
    except ValueError as error:
        raise InputError(f"{path}: {error}; write the shard again") from error


def rows_of(table: pa.Table) -> Iterator[PackedRow]:
    """Packed rows of a table; `input_ids` are views of its memory."""
    for batch in table.to_batches():
        ids, ends = batch.column("input_ids"), batch.column("input_ids").offsets.to_numpy()
        values = ids.values.to_numpy()
        lengths, owners = batch.column("doc_lengths").to_pylist(), batch.column("doc_ids").to_pylist()
        for at in range(batch.num_rows):
            yield PackedRow(values[ends[at] : ends[at + 1]], lengths[at], owners[at])


def _groups(rows: Iterable[PackedRow], size: int) -> Iterator[list[PackedRow]]:
    group: list[PackedRow] = []
    for row in rows:
        group.append(row)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _table(rows: list[PackedRow], info: ShardInfo) -> pa.Table:
    ids = np.concatenate([row.input_ids for row in rows])
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= info.vocab_size:
        wrong = low if low < 0 else high
        raise TokenizerError(
            f"id {wrong} is outside the vocabulary of {info.vocab_size} (tokenizer {info.tokenizer_sha256[:12]}): "
            "vocab_size must count added tokens; encode with the tokenizer named in the shard"
        )
    offsets = np.concatenate([[0], np.cumsum([len(row.input_ids) for row in rows])]).astype(np.int32)
    return pa.table(
        [
            pa.ListArray.from_arrays(pa.array(offsets), pa.array(ids.astype(np.int32, copy=False))),
            pa.array([row.doc_lengths for row in rows], COLUMNS.field("doc_lengths").type),
            pa.array([row.doc_ids for row in rows], COLUMNS.field("doc_ids").type),
        ],
        schema=COLUMNS.with_metadata(info.metadata()),
    )
