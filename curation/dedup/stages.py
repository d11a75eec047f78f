"""What a corpus stage is, and the tables in which it decides.

A corpus stage has two sides. The page side (`keys`) runs inside the pass, where the text is at hand, and makes one
small row per living document. The table side (`removals`) sees these rows only, of all units and runs, and decides;
it returns ids. `local_removals` is the table side on an Arrow table, without Spark, for notebooks, parameter sweeps
and tests: same result.

A row whose `unit` is null belongs to an earlier run: it is never removed, and in its cluster no later document stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

import pyarrow as pa

from curation.page import Drop, Page

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Scope = Literal["snapshot", "global"]

DESCRIPTION = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),  # the piece of documents/ that holds the text; null in rows of an earlier run
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
        pa.field("cluster_size", pa.int64()),  # documents, the kept one and those of earlier runs included
        pa.field("similarity", pa.float64()),  # to the kept one: Jaccard, estimated unless verify=exact; 1 for exact;
        # null where only bands are stored
    ]
)
CLUSTERS = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),  # null in rows of an earlier run
        pa.field("cluster_id", pa.int64()),
        pa.field("cluster_size", pa.int64()),
    ]
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
    `parts`: in how many files the decision is written, None = one for each task of a pass.
    """

    removals: DataFrame
    clusters: DataFrame
    cuts: DataFrame | None = None
    facts: Mapping[str, Any] = MappingProxyType({})
    evidence: Mapping[str, DataFrame | pa.Table] = MappingProxyType({})
    parts: int | None = None


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
