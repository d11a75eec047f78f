"""Proof on the finished shards: every document is decoded and searched again; nothing above the bound may be left.

The check goes the whole way that the trainer's data goes: the bytes of the token files, the frozen tokenizer, text. It
would have found what GPT-3 (arXiv 2005.14165, section 4) found too late: that a bug had let the overlaps through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F

from curation.decontaminate import tables
from curation.decontaminate.planted import self_test
from curation.decontaminate.stages import Decontamination
from curation.dedup.components import cut_lineage
from curation.errors import ConservationError
from curation.tokens.shards import Shard, open_shard, read_documents
from curation.tokens.tokenizer import FrozenTokenizer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCH_DOCUMENTS = 256
SHOWN = 20  # rows of evidence that are kept for people
_HITS_DDL = "doc_id long, unit string, gram long, start long, end long"


@dataclass(frozen=True)
class Verification:
    """What is left in the shards. `items` as in the evidence of a run; `left` = evidence of what should not be there.

    In `left`, `unit` is the shard and start, end are code points of the decoded document.
    """

    stage: str
    documents: int
    items: pa.Table
    documents_left: int
    left: Sequence[dict[str, Any]]

    @property
    def clean(self) -> bool:
        return self.documents_left == 0


def verify_shards(
    spark: SparkSession,
    shards: Sequence[Shard],
    tokenizer: FrozenTokenizer,
    stage: Decontamination,
    frequent: pa.Table | None,
) -> Verification:
    """Lets `stage` decide once more, on the decoded shards: what it would still remove or cut is left over.

    `frequent`: n-grams the run ignored; None counts them anew in the shards. An item is planted first and has to come
    back through the tokenizer. Raises DecontaminationError where it does not, ConservationError where a shard holds
    fewer documents than its footer says.
    """
    self_test(stage, through=lambda text: tokenizer.decode(tokenizer.encode(text)))
    paths = [(str(shard.path),) for shard in shards]
    described = spark.createDataFrame(spark.sparkContext.parallelize(paths, len(paths)), "path string")
    keys = cut_lineage(described.mapInArrow(_search(stage, tokenizer), _HITS_DDL))
    decision = tables.decide(stage, keys, frequent)
    bad = _to_act_on(decision).distinct()
    evidence = decision.evidence["spans"].join(bad, on=["doc_id", "unit"], how="left_semi")
    rows = evidence.orderBy(F.desc("ratio"), "doc_id", "start").limit(SHOWN).collect()
    return Verification(
        stage.name,
        sum(shard.counts.documents for shard in shards),
        decision.evidence["items"],
        bad.count(),
        [row.asDict() for row in rows],
    )


def _to_act_on(decision: Any) -> DataFrame:
    return decision.removals.select("doc_id", "unit").unionByName(decision.cuts.select("doc_id", "unit"))


def _search(stage: Decontamination, tokenizer: FrozenTokenizer):
    def search(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                yield from _hits_in(Path(path), stage, tokenizer)

    return search


def _hits_in(path: Path, stage: Decontamination, tokenizer: FrozenTokenizer) -> Iterator[pa.RecordBatch]:
    documents, seen = iter(read_documents(path, tokenizer)), 0
    while some := list(islice(documents, BATCH_DOCUMENTS)):
        seen += len(some)
        texts = pa.array([tokenizer.decode(ids) for _, ids in some], pa.large_string())
        yield stage.hit_rows(pa.array([doc_id for doc_id, _ in some], pa.int64()), texts, str(path))
    promised = open_shard(path).counts.documents
    if seen != promised:
        raise ConservationError(f"{path} holds {seen} documents, its footer says {promised}: write the shards again")
