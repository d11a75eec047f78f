"""What a set of document files holds: languages, lengths, hosts, and a few pages to look at.

Read batch by batch with pyarrow, texts only for the rows that are shown: one pass over four narrow columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.page import Page
from curation.report.counts import LENGTH_EDGES, SmallestHash, TopCounts, length_histogram, scramble
from curation.rewrite.pii import mask_text, regions_of

KEPT_SAMPLES = 6
SAMPLES_PER_REASON = 3
SAMPLE_CHARS = 600
NOTHING_TO_SHOW = "read.forgotten"  # rows that `curate forget` left: without text, address and place
_BATCH_ROWS = 8192  # with texts of 10 KB that is 80 MB, the most this module holds at a time


@dataclass(frozen=True)
class Sample:
    """One page to look at. `text` is None where it was not stored; `cut` says that more of it follows."""

    url: str
    host: str
    language: str
    chars: int
    text: str | None
    cut: bool
    reason: str | None
    value: str | None
    error: str | None
    place: str


@dataclass
class PageGroup:
    """Pages of one fate (kept, or dropped) seen together. `lengths` counts pages per bin of LENGTH_EDGES.

    `masked` is personal data by kind: (items, pages that held some); counted for kept pages.
    """

    pages: int = 0
    chars: int = 0
    empty: int = 0
    languages: dict[str, tuple[int, int]] = field(default_factory=dict)
    lengths: np.ndarray = field(default_factory=lambda: np.zeros(len(LENGTH_EDGES) - 1, dtype=np.int64))
    hosts: TopCounts = field(default_factory=TopCounts)
    masked: dict[str, tuple[int, int]] = field(default_factory=dict)
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def add(self, batch: pa.RecordBatch) -> None:
        chars = pc.fill_null(batch["chars"], 0).to_numpy(zero_copy_only=False)
        self.pages += len(chars)
        self.chars += int(chars.sum())
        self.empty += int((chars == 0).sum())
        self.lengths += length_histogram(chars)
        table = pa.table({"language": pc.fill_null(batch["language"], ""), "chars": chars})
        for row in table.group_by("language").aggregate([("chars", "count"), ("chars", "sum")]).to_pylist():
            pages, total = self.languages.get(row["language"], (0, 0))
            self.languages[row["language"]] = (pages + row["chars_count"], total + row["chars_sum"])
        hosts = pc.value_counts(pc.fill_null(batch["host"], "")).to_pylist()
        self.hosts.add({row["values"]: row["counts"] for row in hosts})
        if "pii" in batch.schema.names:
            self._add_masked(batch["pii"].flatten())

    def _add_masked(self, found: pa.StructArray) -> None:
        table = pa.table({"kind": found.field("key"), "items": found.field("value")})
        for row in table.group_by("kind").aggregate([("items", "sum"), ("items", "count")]).to_pylist():
            items, pages = self.masked.get(row["kind"], (0, 0))
            self.masked[row["kind"]] = (items + row["items_sum"], pages + row["items_count"])


def kept_pages(files: list[Path]) -> PageGroup:
    """The survivors. Samples are under the key `kept`, chosen by the hash of their doc_id."""
    group, chosen = PageGroup(), SmallestHash(KEPT_SAMPLES)
    for path, row_group, first, batch in _batches(files, ["doc_id", "host", "language", "chars", "pii"]):
        group.add(batch)
        hashes = scramble(batch["doc_id"].to_numpy())
        chosen.offer("kept", _best(np.arange(len(hashes)), hashes, 0, KEPT_SAMPLES, (path, row_group, first)))
    group.samples = _fetch(chosen)
    return group


def dropped_pages(files: list[Path]) -> PageGroup:
    """Pages that were dropped or failed. Samples are by reason; those with a stored text (audit sample) go first."""
    group, chosen = PageGroup(), SmallestHash(SAMPLES_PER_REASON)
    for path, row_group, first, batch in _batches(files, ["doc_id", "host", "language", "chars", "dropped_by", "text"]):
        group.add(batch)
        hashes = scramble(batch["doc_id"].to_numpy())
        with_text = pc.fill_null(pc.greater(pc.utf8_length(batch["text"]), 0), False).to_numpy(zero_copy_only=False)
        reasons = pc.fill_null(batch["dropped_by"], "").dictionary_encode()
        codes = reasons.indices.to_numpy()
        for code, reason in enumerate(reasons.dictionary.to_pylist()):
            if reason == NOTHING_TO_SHOW:
                continue
            for rank, stored in enumerate((True, False)):
                rows = np.flatnonzero((codes == code) & (with_text == stored))
                chosen.offer(reason, _best(rows, hashes, rank, SAMPLES_PER_REASON, (path, row_group, first)))
    group.samples = _fetch(chosen)
    return group


def _batches(files: Iterable[Path], columns: list[str]) -> Iterator[tuple[str, int, int, pa.RecordBatch]]:
    """Batches with the way back to their rows: file, row group, position of the batch's first row in the group."""
    for path in files:
        with pq.ParquetFile(path) as parquet:
            for row_group in range(parquet.num_row_groups):
                first = 0
                for batch in parquet.iter_batches(_BATCH_ROWS, row_groups=[row_group], columns=columns):
                    yield str(path), row_group, first, batch
                    first += len(batch)


def _best(rows: np.ndarray, hashes: np.ndarray, rank: int, number: int, origin: tuple[str, int, int]) -> list[tuple]:
    """The `number` rows of smallest hash as (rank, hash, file, row group, row in the group)."""
    path, row_group, first = origin
    order = rows[np.argsort(hashes[rows], kind="stable")[:number]]
    return [(rank, int(hashes[row]), path, row_group, first + int(row)) for row in order]


def _fetch(chosen: SmallestHash) -> dict[str, list[Sample]]:
    """Read the chosen rows with their text: only the row groups that hold one, batch by batch."""
    wanted: dict[tuple[str, int], set[int]] = {}
    for _, ranked in chosen.items():
        for _, _, path, row_group, row in ranked:
            wanted.setdefault((path, row_group), set()).add(row)
    found: dict[tuple[str, int, int], Sample] = {}
    columns = [
        "url",
        "host",
        "language",
        "chars",
        "text",
        "dropped_by",
        "dropped_value",
        "error",
        "warc_file",
        "warc_offset",
    ]
    for (path, row_group), rows in sorted(wanted.items()):
        with pq.ParquetFile(path) as parquet:
            first = 0
            present = [name for name in columns if name in parquet.schema_arrow.names]
            for batch in parquet.iter_batches(_BATCH_ROWS, row_groups=[row_group], columns=present):
                here = sorted(row for row in rows if first <= row < first + len(batch))
                for row, values in zip(
                    here, batch.take(pa.array([r - first for r in here], pa.int64())).to_pylist(), strict=True
                ):
                    found[path, row_group, row] = _sample(values)
                first += len(batch)
    return {key: [found[rank[2:]] for rank in ranked] for key, ranked in chosen.items()}


def _sample(row: dict) -> Sample:
    """What people see of a page, with personal data masked whatever the recipe masks, in the address too."""
    url, host = mask_text(row["url"] or "")[0], mask_text(row["host"] or "")[0]
    regions = regions_of(Page(host=row["host"] or "", language=row["language"] or ""))
    text = None if row["text"] is None else mask_text(row["text"], regions=regions)[0]
    return Sample(
        url=url,
        host=host,
        language=row["language"] or "",
        chars=row["chars"] or 0,
        text=None if text is None else text[:SAMPLE_CHARS],
        cut=text is not None and len(text) > SAMPLE_CHARS,
        reason=row.get("dropped_by"),
        value=row.get("dropped_value"),
        error=row.get("error"),
        place=f"{row.get('warc_file') or ''} @ {row.get('warc_offset')}",
    )


def languages_by_pages(kept: PageGroup | None, dropped: PageGroup | None) -> list[tuple[str, int, int, int]]:
    """(language, pages kept, characters kept, pages dropped), most kept pages first."""
    survivors = kept.languages if kept else {}
    losses = Counter({name: pages for name, (pages, _) in (dropped.languages if dropped else {}).items()})
    rows = [(name, *survivors.get(name, (0, 0)), losses[name]) for name in survivors.keys() | losses.keys()]
    return sorted(rows, key=lambda row: (-row[1], -row[3], row[0]))
