"""The corpus stages `minhash` and `exact`: which documents of a corpus are copies, and which copy stays.

A document whose id occurs twice in the keys (a collision, or an input read twice) takes no part: both stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.address import url_keys
from curation.dedup.bands import band_keys
from curation.dedup.columns import fixed_binary
from curation.dedup.kernel import Unit, exact_keys, signatures
from curation.dedup.settings import check_choices, check_ranges, check_score, check_verification
from curation.dedup.similarity import shingle_sets
from curation.dedup.stages import DESCRIPTION, Decision, LocalDecision, Scope
from curation.document import named_values
from curation.page import Page

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Keep = Literal["longest", "newest", "best_score", "first"]
By = Literal["text", "url"]
Verify = Literal["none", "estimate", "exact"]
Store = Literal["signatures", "bands"]


@dataclass(frozen=True, kw_only=True)
class Duplicates:
    """What `minhash` and `exact` share. Made by these functions, which check the settings."""

    cuts_text: ClassVar[bool] = False
    rule: ClassVar[str] = "duplicate"
    name: str
    scope: Scope
    keep: Keep
    score: str | None

    def removals(self, keys: DataFrame) -> Decision:
        from curation.dedup import tables

        return tables.decide(self, keys)

    def local_removals(self, keys: pa.Table) -> LocalDecision:
        from curation.dedup import local

        return local.decide(self, keys)

    def deciding_value(self, page: Page, kept_id: int | None) -> str:
        return f"of {kept_id}"

    def _describe(self, batch: pa.RecordBatch, unit: str) -> list[pa.Array]:
        rows = batch.num_rows
        score = pa.nulls(rows, pa.float64())
        if self.score is not None:
            score = named_values(batch["scores"], self.score).cast(pa.float64())
        taken = [batch[name] for name in ("source", "snapshot", "date", "chars")]
        return [batch["doc_id"], pa.repeat(pa.scalar(unit, pa.string()), rows), *taken, score]


@dataclass(frozen=True, kw_only=True)
class MinHash(Duplicates):
    """Near-duplicates: documents that share a band of their signatures, and whatever hangs together by such links."""

    ngram: int
    bands: int
    rows: int
    unit: Unit
    seed: int
    verify: Verify
    min_similarity: float
    store: Store
    bands_per_pass: int | None
    giant: int
    split_giant: bool
    short_texts: bool = False  # texts of fewer words than a shingle are compared too: near-copies where equal

    @property
    def compared(self) -> str | None:
        """The column by which two documents are compared; None where only bands are stored."""
        return "shingles" if self.verify == "exact" else "signature" if self.store == "signatures" else None

    @property
    def banded(self) -> str:
        """The column from which the band keys come."""
        return "signature" if self.store == "signatures" else "bands"

    def key_schema(self) -> pa.Schema:
        width = self.bands * self.rows * 4 if self.store == "signatures" else self.bands * 8
        schema = DESCRIPTION.append(pa.field(self.banded, pa.binary(width)))
        return schema.append(pa.field("shingles", pa.binary())) if self.verify == "exact" else schema

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = _alive(batch)
        signed = signatures(
            batch["text"], ngram=self.ngram, hashes=self.bands * self.rows, seed=self.seed, unit=self.unit,
            short_texts=self.short_texts,
        )  # fmt: skip
        values = signed.values if self.store == "signatures" else band_keys(signed.values, self.bands, self.rows)
        key = [fixed_binary(values, signed.shingles > 0)]
        if self.verify == "exact":
            key.append(shingle_sets(batch["text"], self.ngram, self.unit))
        return pa.record_batch([*self._describe(batch, unit), *key], schema=self.key_schema())


@dataclass(frozen=True, kw_only=True)
class Exact(Duplicates):
    """Copies: documents whose comparison form, or whose address, is the same."""

    by: By

    def key_schema(self) -> pa.Schema:
        return DESCRIPTION.append(pa.field("key", pa.binary(16)))

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = _alive(batch)
        key = exact_keys(batch["text"]) if self.by == "text" else url_keys(batch["url"])
        return pa.record_batch([*self._describe(batch, unit), key], schema=self.key_schema())


def minhash(
    *,
    name: str,
    scope: Scope = "snapshot",
    ngram: int = 5,
    bands: int = 14,
    rows: int = 8,
    unit: Unit = "word",
    seed: int = 1,
    keep: Keep = "longest",
    score: str | None = None,
    verify: Verify = "none",
    min_similarity: float = 0.75,
    store: Store = "signatures",
    bands_per_pass: int | None = None,
    giant: int = 10_000,
    split_giant: bool = False,
) -> MinHash:
    """Near-duplicate removal. Numbers of FineWeb (arXiv 2406.17557): word 5-grams, 14 bands of 8 rows, per snapshot.

    `scope`: snapshot (copies within one source and snapshot) or global (all documents of the run, whatever their
    source). `score` names the entry of `scores` that keep=best_score compares.

    `verify`: none, as the papers do; with estimate (share of equal signature values; standard deviation 0.04 at 112
    hashes) or exact (true Jaccard of the shingle sets; stores 4 bytes a word more) no document goes unless it is at
    least `min_similarity` similar to the one that stays. 0.75 is what FineWeb's bands aim at.
    `store`: signatures (4 bytes a hash; estimates and other bands later) or bands (8 bytes a band; neither).
    `bands_per_pass`: bands that are shuffled at a time, None = all: less disk, more passes over the keys.
    `giant`: clusters of more documents are reported; `split_giant` treats those as verify=estimate treats all.
    Raises ValueError on a setting out of its range.
    """
    check_choices(
        scope=(scope, Scope), keep=(keep, Keep), unit=(unit, Unit), verify=(verify, Verify), store=(store, Store)
    )
    check_ranges(ngram=(ngram, 1, 1000), bands=(bands, 1, 10_000), rows=(rows, 1, 10_000), seed=(seed, 0, 2**32 - 1))
    check_ranges(giant=(giant, 2, 2**62))
    if bands_per_pass is not None:
        check_ranges(bands_per_pass=(bands_per_pass, 1, bands))
    check_score(keep, score)
    check_verification(verify, store, split_giant, min_similarity)
    return MinHash(
        name=name, scope=scope, keep=keep, score=score, ngram=ngram, bands=bands, rows=rows, unit=unit, seed=seed,
        verify=verify, min_similarity=min_similarity, store=store, bands_per_pass=bands_per_pass, giant=giant,
        split_giant=split_giant,
    )  # fmt: skip


def exact(
    *, name: str, by: By = "text", scope: Scope = "global", keep: Keep = "longest", score: str | None = None
) -> Exact:
    """Removal of copies, by comparison form (text) or canonical address (url). Settings as in `minhash`."""
    check_choices(by=(by, By), scope=(scope, Scope), keep=(keep, Keep))
    check_score(keep, score)
    return Exact(name=name, scope=scope, keep=keep, score=score, by=by)


def _alive(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.filter(pc.is_null(batch["dropped_by"]))
