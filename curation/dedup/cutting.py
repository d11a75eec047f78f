"""The corpus stages that cut repeated text: lines, paragraphs, spans of sentences, and exact substrings.

As with `minhash`, the page side (`keys`) makes one row of hashes and places per document, and the table side decides
on these over the whole corpus; text does not travel. `substrings` looks at the texts a second time, unit by unit where
they lie, and only at documents that share a fingerprint.

The order of copies, which says what the first one is: earliest capture (`date`; unknown ones last), then smallest
doc_id, then place in the text. A document whose id occurs twice in the keys takes no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.bands import salts
from curation.dedup.columns import text_buffers
from curation.dedup.cuts import Ranges, cut_text, whole_sentences
from curation.dedup.pieces import PIECE, Compare, Of, pieces
from curation.dedup.placed_words import placed_words
from curation.dedup.stages import Decision, LocalDecision, Scope, Texts
from curation.dedup.winnowing import fingerprints, windows_with
from curation.page import Drop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Remove = Literal["frequent", "seen_elsewhere", "all_but_first"]
Edges = Literal["sentence", "word"]

UNKNOWN_DATE = 10**14  # after every time of capture
DOCUMENT_KEY = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),  # the piece of documents/ that holds the text
        pa.field("within", pa.int64()),  # only documents of the same are compared: 0, or a hash of source and snapshot
        pa.field("captured", pa.int64()),  # time of capture as a number, YYYYMMDDhhmmss
    ]
)
FINGERPRINTED = pa.schema([*DOCUMENT_KEY, pa.field("fingerprint", pa.int64())])
# What the table side decides on: a piece, the document it stands in, and the bucket in which copies are counted.
PLACED = pa.schema([*DOCUMENT_KEY, pa.field("bucket", pa.int64()), *PIECE])


@dataclass(frozen=True, kw_only=True)
class Cutting:
    """What the stages share. Made by the functions of `curation.dedup.repeats`, which check the settings.

    `span` = neighbouring lines, sentences or words that are compared as one; a copy that overlaps the first one stays.
    `more_than` = copies that are no reason to cut; `bucket` = documents among which they are counted, None = all.
    """

    cuts_text: ClassVar[bool] = True

    name: str
    scope: Scope
    min_chars: int
    remove: Remove
    more_than: int
    bucket: int | None
    span: int

    def removals(self, keys: DataFrame) -> Decision:
        from curation.dedup import cut_tables

        return cut_tables.decide(self, keys)

    def local_removals(self, keys: pa.Table) -> LocalDecision:
        from curation.dedup import cut_local

        return cut_local.decide(self, keys)

    def cut(self, text: str, ranges: Ranges) -> str | Drop:
        """The text without the ranges; a drop where nothing, or less than `min_chars` characters, is left."""
        left = cut_text(text, ranges)
        if not left.strip():
            return Drop("nothing_left", 0)
        return left if len(left) >= self.min_chars else Drop("too_little_left", len(left))

    def _describe(self, batch: pa.RecordBatch, unit: str) -> list[pa.Array]:
        within = np.zeros(batch.num_rows, dtype=np.int64)
        if self.scope == "snapshot":
            within = salts(batch["source"].to_pylist(), batch["snapshot"].to_pylist()).view(np.int64)
        units = pa.repeat(pa.scalar(unit, pa.string()), batch.num_rows)
        captured = [capture_number(date) for date in batch["date"].to_pylist()]
        return [batch["doc_id"], units, pa.array(within, pa.int64()), pa.array(captured, pa.int64())]


@dataclass(frozen=True, kw_only=True)
class Pieces(Cutting):
    """Repeated lines, paragraphs or spans of sentences."""

    of: Of
    compare: Compare

    def key_schema(self) -> pa.Schema:
        return DOCUMENT_KEY.append(pa.field("pieces", pa.list_(PIECE)))

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = batch.filter(pc.is_null(batch["dropped_by"]))
        found = pieces(batch["text"].to_pylist(), self.of, self.span, self.compare)
        return pa.record_batch([*self._describe(batch, unit), found], schema=self.key_schema())


@dataclass(frozen=True, kw_only=True)
class Substrings(Cutting):
    """Repeats of `span` words or more, wherever they begin and end; `edges` says where the cut is made."""

    edges: Edges
    texts: Texts | None = None

    def with_texts(self, texts: Texts) -> Substrings:
        return replace(self, texts=texts)

    def cut(self, text: str, ranges: Ranges) -> str | Drop:
        return super().cut(text, whole_sentences(text, ranges) if self.edges == "sentence" else ranges)

    def key_schema(self) -> pa.Schema:
        return DOCUMENT_KEY.append(pa.field("fingerprints", pa.list_(pa.int64())))

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = batch.filter(pc.is_null(batch["dropped_by"]))
        found = [fingerprints(placed_words(text), self.span) for text in _utf8(batch["text"])]
        offsets = np.cumsum([0, *map(len, found)], dtype=np.int32)
        values = np.concatenate([np.zeros(0, dtype=np.int64), *found])
        lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
        return pa.record_batch([*self._describe(batch, unit), lists], schema=self.key_schema())

    def windows(self, shared: pa.Table) -> Iterator[pa.RecordBatch]:
        """The windows (PLACED) of one unit that bear a shared fingerprint; `shared` holds these, as FINGERPRINTED.

        In memory are the shared fingerprints of the unit, and the windows of one document.
        """
        assert self.texts is not None, f"stage {self.name} decides without the texts"
        shared = shared.sort_by([("doc_id", "ascending"), ("fingerprint", "ascending")])
        ids, wanted = shared["doc_id"].to_numpy(), shared["fingerprint"].to_numpy()
        for batch in self.texts(shared["unit"][0].as_py()):
            of_batch = batch["doc_id"].to_numpy()
            first, stop = np.searchsorted(ids, of_batch, "left"), np.searchsorted(ids, of_batch, "right")
            for row, text in enumerate(_utf8(batch["text"])):
                if first[row] < stop[row]:
                    found = windows_with(placed_words(text), self.span, wanted[first[row] : stop[row]])
                    count = len(found.number)
                    document = shared.slice(first[row], 1).select(DOCUMENT_KEY.names).to_pylist()[0]
                    columns = {**document, "bucket": 0, "again": False}
                    columns = {name: pa.repeat(pa.scalar(value), count) for name, value in columns.items()}
                    columns |= {name: pa.array(part) for name, part in found._asdict().items()}
                    yield pa.record_batch([columns[f.name].cast(f.type) for f in PLACED], schema=PLACED)


def capture_number(date: str | None) -> int:
    """An ISO 8601 time as a number that sorts alike, whatever its precision.

    >>> capture_number("2024-03-01T12:30:00Z"), capture_number("2024"), capture_number("") == UNKNOWN_DATE
    (20240301123000, 20240000000000, True)
    """
    digits = "".join(char for char in date or "" if "0" <= char <= "9")[:14]
    return int(digits.ljust(14, "0")) if digits else UNKNOWN_DATE


def _utf8(texts: pa.Array) -> Iterator[np.ndarray]:
    data, offsets, _ = text_buffers(texts)
    for start, stop in zip(offsets[:-1], offsets[1:], strict=True):
        yield data[start:stop]
