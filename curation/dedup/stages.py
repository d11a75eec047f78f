"""The corpus stages `minhash` and `exact`: which documents of a corpus are copies, and which copy stays.

A corpus stage has two sides. The page side (`keys`) runs inside the pass, where the text is at hand, and makes one
small row per living document. The table side (`removals`) sees these rows only, of all units and runs, and decides;
it returns ids. `local_removals` is the table side on an Arrow table, without Spark, for notebooks, parameter sweeps
and tests: same result.

A document whose id occurs twice in the keys (a collision, or an input read twice) takes no part: both stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from curation.dedup.address import canonical_url
from curation.dedup.columns import fixed_binary
from curation.dedup.kernel import Unit, exact_keys, signatures
from curation.dedup.settings import check_choices, check_ranges
from curation.document import named_values
from curation.page import Drop, Page

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Scope = Literal["snapshot", "global"]
Keep = Literal["longest", "newest", "best_score", "first"]
By = Literal["text", "url"]

DESCRIPTION = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),  # the piece of documents/ that holds the text
        pa.field("source", pa.string()),
        pa.field("snapshot", pa.string()),
        pa.field("date", pa.string()),
        pa.field("chars", pa.int64()),
        pa.field("score", pa.float64()),  # null unless keep=best_score
    ]
)
REMOVALS = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("kept_id", pa.int64()),
        pa.field("stage", pa.string()),
        pa.field("unit", pa.string()),
        pa.field("cluster_id", pa.int64()),  # the smallest doc_id of the cluster; null without copies
        pa.field("cluster_size", pa.int64()),  # documents, the kept one included
        pa.field("similarity", pa.float64()),  # to the kept one: estimated Jaccard, 1 for exact
    ]
)
CLUSTERS = pa.schema(
    [pa.field("doc_id", pa.int64()), pa.field("cluster_id", pa.int64()), pa.field("cluster_size", pa.int64())]
)
CUTS = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),
        pa.field("start", pa.int64()),  # code points of the text as it stood when the stage decided
        pa.field("end", pa.int64()),  # exclusive; ranges of one document do not overlap
        pa.field("stage", pa.string()),
        pa.field("kept_id", pa.int64()),  # document that keeps a copy of what begins here; null where none does
        pa.field("copies", pa.int64()),  # of the piece in this range that occurs most often
    ]
)
Texts = Callable[[str], Iterator[pa.RecordBatch]]  # unit -> batches of its documents, with doc_id and text


class Decision(NamedTuple):
    """`removals` as REMOVALS; `clusters` as CLUSTERS: all members of clusters of two or more, survivors included.

    Of a stage with `cuts_text` only `cuts`, as CUTS, counts. `facts` go into the manifest: what was decided that no row
    says, such as a threshold that was found. `evidence` are tables for people: why it decided so; small ones of Arrow.
    """

    removals: DataFrame
    clusters: DataFrame
    cuts: DataFrame | None = None
    facts: Mapping[str, Any] = MappingProxyType({})
    evidence: Mapping[str, DataFrame | pa.Table] = MappingProxyType({})


class LocalDecision(NamedTuple):
    """The same as Arrow tables, sorted by doc_id (and start)."""

    removals: pa.Table
    clusters: pa.Table
    cuts: pa.Table | None = None
    evidence: Mapping[str, pa.Table] = MappingProxyType({})


class CorpusStage(Protocol):
    """What the runner needs of a corpus stage."""

    name: str
    cuts_text: bool  # it takes ranges out of texts, and removes no page by itself

    def key_schema(self) -> pa.Schema: ...

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        """Rows of `key_schema` for the living documents of a batch of `curation.document.DOCUMENT`."""

    def removals(self, keys: DataFrame) -> Decision: ...

    def local_removals(self, keys: pa.Table) -> LocalDecision: ...


class RemovingStage(CorpusStage, Protocol):
    """A corpus stage without `cuts_text`: a removed page has the fate <name>.<rule>."""

    rule: str

    def deciding_value(self, page: Page, kept_id: int | None) -> str | None:
        """What the fate of a removed page gives as its value; `kept_id` is null where no copy of it is kept."""


class CuttingStage(CorpusStage, Protocol):
    """A corpus stage with `cuts_text`: whatever stands after it sees the texts without the ranges."""

    def cut(self, text: str, ranges: Sequence[tuple[int, int]]) -> str | Drop:
        """What is left of a text, or why the page goes. `ranges` ascend and do not overlap; there is at least one."""


@runtime_checkable
class LooksAgain(Protocol):
    """A corpus stage whose table side needs a second look at some texts, unit by unit, where they lie."""

    def with_texts(self, texts: Texts) -> CorpusStage: ...


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

    def key_schema(self) -> pa.Schema:
        return DESCRIPTION.append(pa.field("signature", pa.binary(self.bands * self.rows * 4)))

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = _alive(batch)
        signed = signatures(
            batch["text"], ngram=self.ngram, hashes=self.bands * self.rows, seed=self.seed, unit=self.unit
        )
        key = fixed_binary(signed.values, signed.shingles > 0)
        return pa.record_batch([*self._describe(batch, unit), key], schema=self.key_schema())


@dataclass(frozen=True, kw_only=True)
class Exact(Duplicates):
    """Copies: documents whose comparison form, or whose address, is the same."""

    by: By

    def key_schema(self) -> pa.Schema:
        return DESCRIPTION.append(pa.field("key", pa.binary(16)))

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = _alive(batch)
        key = exact_keys(batch["text"]) if self.by == "text" else _url_keys(batch["url"])
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
) -> MinHash:
    """Near-duplicate removal. Numbers of FineWeb (arXiv 2406.17557): word 5-grams, 14 bands of 8 rows, per snapshot.

    `scope`: snapshot (copies within one source and snapshot) or global (all documents of the run, whatever their
    source). `score` names the entry of `scores` that keep=best_score compares. Raises ValueError on a setting out of
    its range.
    """
    check_choices(scope=(scope, Scope), keep=(keep, Keep), unit=(unit, Unit))
    check_ranges(ngram=(ngram, 1, 1000), bands=(bands, 1, 10_000), rows=(rows, 1, 10_000), seed=(seed, 0, 2**32 - 1))
    _check_score(keep, score)
    return MinHash(
        name=name, scope=scope, keep=keep, score=score, ngram=ngram, bands=bands, rows=rows, unit=unit, seed=seed
    )


def exact(
    *, name: str, by: By = "text", scope: Scope = "global", keep: Keep = "longest", score: str | None = None
) -> Exact:
    """Removal of copies, by comparison form (text) or canonical address (url). Settings as in `minhash`."""
    check_choices(by=(by, By), scope=(scope, Scope), keep=(keep, Keep))
    _check_score(keep, score)
    return Exact(name=name, scope=scope, keep=keep, score=score, by=by)


def _alive(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.filter(pc.is_null(batch["dropped_by"]))


def _url_keys(urls: pa.Array) -> pa.Array:
    canonical = [canonical_url(url or "") for url in urls.to_pylist()]
    digests = b"".join(xxhash.xxh3_128_digest(url.encode()) for url in canonical)
    keys = np.frombuffer(digests, dtype=np.uint8).reshape(-1, 16)
    return fixed_binary(keys, np.array([bool(url) for url in canonical], dtype=bool))


def _check_score(keep: str, score: str | None) -> None:
    if (keep == "best_score") != (score is not None):
        raise ValueError(
            f"keep is {keep!r} and score is {score!r}; keep: best_score needs score: <name of an entry of scores>, "
            "and no other policy takes one"
        )
