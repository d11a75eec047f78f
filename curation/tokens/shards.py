"""Token shards: Parquet files of packed rows that say which tokenizer they were written with.

Columns, one entry a row of lists, see `PackedRow`: `input_ids` list<int32>; and for each piece of a document in the row
`doc_lengths` list<int32> (tokens), `doc_ids` list<int64>, `doc_starts` list<int32> (the piece's first token within its
document) and `doc_bytes` list<int64> (bytes of text). The schema's metadata holds ShardInfo under `curation.*`; the
footer adds what was written (`curation.tokens`, ...). Any Parquet reader opens them. A folder of shards is
`<tokens>/<split>/<source>/part-00000.parquet`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.errors import InputError, TokenizerError
from curation.tokens.pack import PackedRow, unpack

if TYPE_CHECKING:
    from curation.tokens.tokenizer import FrozenTokenizer

PREFIX = "curation."
SPLITS = ("train", "validation")
COLUMNS = pa.schema(
    [
        pa.field("input_ids", pa.list_(pa.int32())),
        pa.field("doc_lengths", pa.list_(pa.int32())),
        pa.field("doc_ids", pa.list_(pa.int64())),
        pa.field("doc_starts", pa.list_(pa.int32())),
        pa.field("doc_bytes", pa.list_(pa.int64())),
    ]
)
ROW_GROUP_TOKENS = 2**18  # 1 MB of ids: what the writer holds, and what the reader decodes at once
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


class Counts(NamedTuple):
    """What a shard holds: `tokens` with end tokens, whole `documents`, `rows`, `bytes` of text in UTF-8.

    `cut` documents have more than one piece, and `cut_fitting` of them need not: they are no longer than a sequence.
    """

    tokens: int
    documents: int
    rows: int
    bytes: int
    cut: int
    cut_fitting: int


@dataclass(frozen=True)
class Shard:
    """One shard on disk, from its footer alone."""

    path: Path
    info: ShardInfo
    counts: Counts


def write_shard(path: Path, info: ShardInfo, rows: Iterable[PackedRow]) -> Shard:
    """Write rows to `path`, which appears whole or not at all. The same rows give the same bytes.

    Raises TokenizerError for an id outside the vocabulary, or a vocabulary whose ids are not int32.
    """
    return write_groups(path, info, _groups(rows, ROW_GROUP_TOKENS))


def write_groups(path: Path, info: ShardInfo, groups: Iterable[list[PackedRow]]) -> Shard:
    """The same with row groups that are chosen already; none is empty."""
    if not 0 < info.vocab_size <= MAX_VOCABULARY:
        raise TokenizerError(f"vocabulary of {info.vocab_size} does not fit int32 ids (at most {MAX_VOCABULARY})")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    counts = np.zeros(len(Counts._fields), dtype=np.int64)
    try:
        with pq.ParquetWriter(
            temporary, COLUMNS.with_metadata(info.metadata()), compression="zstd", use_dictionary=False
        ) as writer:
            for group in groups:
                table = _table(group, info)
                writer.write_table(table, row_group_size=len(group))
                counts += _count(table, info)
            told = Counts(*counts.tolist())
            writer.add_key_value_metadata({PREFIX + name: str(count) for name, count in told._asdict().items()})
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return Shard(path, info, told)


def open_shard(path: Path | str, tokenizer_sha256: str | None = None) -> Shard:
    """A shard's footer. Raises InputError for a file that is no token shard, TokenizerError for another tokenizer."""
    try:
        found = pq.read_metadata(path).metadata or {}
        told = {key.decode(): value.decode() for key, value in found.items() if key.startswith(PREFIX.encode())}
        number = {name: int(told[PREFIX + name]) for name in ("vocab_size", "sequence_length", "eos_id")}
        words = {name: told[PREFIX + name] for name in ("tokenizer_sha256", "packing", "source", "split")}
        counts = Counts(*(int(told[PREFIX + name]) for name in Counts._fields))
    except (OSError, pa.ArrowInvalid, KeyError) as error:
        raise InputError(f"{path} is not a token shard ({error}): name a file written by the token stage") from error
    shard = Shard(Path(path), ShardInfo(**words, **number), counts)
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


def index_shards(tokens_dir: Path | str, split: str) -> dict[str, list[tuple[Path, Counts]]]:
    """Path and counts of the shards of one split by source, in order of name, as summary.json tells them.

    Opens no shard that stands in summary.json (10^5 footers would take minutes): who opens one compares. Raises
    InputError for a shard that summary.json names and that is not there.
    """
    root = Path(tokens_dir)
    summary = root / "summary.json"
    told = json.loads(summary.read_text(encoding="utf-8")).get("files", {}) if summary.is_file() else {}
    paths = {str(path.relative_to(root)): path for path in sorted((root / split).glob("*/part-*.parquet"))}
    missing = sorted(name for name in told if name.startswith(f"{split}/") and name not in paths)
    if missing:
        raise InputError(
            f"{summary} names {missing[0]} ({len(missing)} such), which is not there: copy the shards again"
        )
    found: dict[str, list[tuple[Path, Counts]]] = {}
    for name, path in paths.items():
        counts = Counts(*told[name]) if name in told else open_shard(path).counts
        found.setdefault(path.parent.name, []).append((path, counts))
    return found


def tokens_by_source(tokens_dir: Path | str, split: str = "train") -> dict[str, int]:
    """Tokens of each source: what a mixture is solved for."""
    return {name: sum(counts.tokens for _, counts in found) for name, found in index_shards(tokens_dir, split).items()}


def summary_counts(tokens_dir: Path | str) -> dict[str, Any]:
    """What summary.json says of the shards on disk: Counts by source and split, `padding_share` and `truncation_share`,
    the number of `shards`, and the Counts of each of the `files`.

    Every source that has a folder is there, also without a shard.
    """
    root = Path(tokens_dir)
    found = {split: list_shards(root, split) for split in SPLITS}
    sources = sorted({path.name for split in SPLITS for path in (root / split).glob("*") if path.is_dir()})

    def each(count: Callable[[list[Shard]], int]) -> dict[str, dict[str, int]]:
        return {source: {split: count(found[split].get(source, [])) for split in SPLITS} for source in sources}

    sums = {
        name: each(lambda shards, at=at: sum(shard.counts[at] for shard in shards))
        for at, name in enumerate(Counts._fields)
    }
    written = [shard for split in SPLITS for source in sources for shard in found[split].get(source, [])]
    files = {str(shard.path.relative_to(root)): list(shard.counts) for shard in written}
    shares = {"padding_share": each(_padding_share), "truncation_share": each(_truncation_share)}
    return {**sums, **shares, "shards": each(len), "files": files}


def _padding_share(shards: Sequence[Shard]) -> float:
    """What rows lack to the sequence length, of all they could hold; 0 where rows are whole documents."""
    room = sum(shard.counts.rows * shard.info.sequence_length for shard in shards if shard.info.packing != "none")
    tokens = sum(shard.counts.tokens for shard in shards if shard.info.packing != "none")
    return round(1 - tokens / room, 6) if room else 0.0


def _truncation_share(shards: Sequence[Shard]) -> float:
    """Documents that were cut into pieces, of all documents."""
    documents = sum(shard.counts.documents for shard in shards)
    return round(sum(shard.counts.cut for shard in shards) / documents, 6) if documents else 0.0


def read_groups(path: Path | str) -> Iterator[list[PackedRow]]:
    """The packed rows of a shard, in order, one row group at a time."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield list(rows_of(file.read_row_group(group)))


def read_rows(path: Path | str) -> Iterator[PackedRow]:
    """The packed rows of a shard, in order; one row group in memory at a time."""
    for group in read_groups(path):
        yield from group


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
    """Packed rows of a table; arrays are views of its memory."""
    for batch in table.to_batches():
        lists = [batch.column(name) for name in COLUMNS.names]
        values = [column.values.to_numpy() for column in lists]
        ends = [column.offsets.to_numpy().tolist() for column in lists]
        for at in range(batch.num_rows):
            yield PackedRow(*(flat[end[at] : end[at + 1]] for flat, end in zip(values, ends, strict=True)))


def _groups(rows: Iterable[PackedRow], tokens: int) -> Iterator[list[PackedRow]]:
    """Rows of at most `tokens` tokens together, or one row."""
    group: list[PackedRow] = []
    room = tokens
    for row in rows:
        if group and len(row.input_ids) > room:
            yield group
            group, room = [], tokens
        group.append(row)
        room -= len(row.input_ids)
    if group:
        yield group


def _table(rows: list[PackedRow], info: ShardInfo) -> pa.Table:
    columns = []
    for field, arrays in zip(COLUMNS, zip(*rows, strict=True), strict=True):
        offsets = np.concatenate([[0], np.cumsum([len(array) for array in arrays])]).astype(np.int32)
        flat = pa.array(np.concatenate(arrays), field.type.value_type)
        columns.append(pa.ListArray.from_arrays(pa.array(offsets), flat))
    ids = columns[0].values.to_numpy()
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= info.vocab_size:
        wrong = low if low < 0 else high
        raise TokenizerError(
            f"id {wrong} is outside the vocabulary of {info.vocab_size} (tokenizer {info.tokenizer_sha256[:12]}): "
            "vocab_size must count added tokens; encode with the tokenizer named in the shard"
        )
    return pa.table(columns, schema=COLUMNS.with_metadata(info.metadata()))


def _count(table: pa.Table, info: ShardInfo) -> Counts:
    """Counts of a part of a shard; each document counts with its last piece."""
    ids, lengths, _, starts, sizes = (column.combine_chunks().values.to_numpy() for column in table.columns)
    last = ids[np.cumsum(lengths) - 1] == info.eos_id
    cut = last & (starts > 0)
    fitting = cut & (starts + lengths <= info.sequence_length)
    return Counts(len(ids), int(last.sum()), len(table), int(sizes.sum()), int(cut.sum()), int(fitting.sum()))
