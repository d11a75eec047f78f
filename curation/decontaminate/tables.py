"""The Spark side of decontamination: a table of hits in; removals, cuts and evidence out.

What travels is one row for each hit. Only what is bounded by the size of the benchmarks comes to the driver: the
frequent n-grams, and for each item how many documents hold it and which of its words they cover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from curation.decontaminate.findings import EVIDENCE, frequent_table, items_table, matches_of
from curation.decontaminate.index import Hit
from curation.decontaminate.judge import Holder, merged, pages_to_remove
from curation.decontaminate.stages import Decontamination
from curation.dedup.components import cut_lineage
from curation.dedup.stages import CLUSTERS, CUTS, REMOVALS, Decision

_INTERVALS = "array<struct<begin: long, end: long>>"
_MATCH = (
    "number long, benchmark string, item string, doc_id long, unit string, ratio double, "
    f"words {_INTERVALS}, spans {_INTERVALS}"
)
_KINDS = {"int64": "long", "string": "string", "double": "double"}
_PAGE = ["doc_id", "unit"]

Row = dict[str, Any]


def decide(stage: Decontamination, keys: DataFrame, frequent: pa.Table | None = None) -> Decision:
    """What the hits of a corpus (rows of HITS) lead to.

    `frequent`: n-grams to ignore, instead of those in more than `max_documents` documents of this corpus.
    """
    index = stage.index()
    documents = _frequent(stage, keys) if frequent is None else _as_mapping(frequent)
    counted = keys
    if documents:
        ignored = keys.sparkSession.createDataFrame([(gram,) for gram in documents], "gram long")
        counted = keys.join(F.broadcast(ignored), on="gram", how="left_anti")
    hits = F.collect_list(F.struct("gram", "start", "end")).alias("hits")
    matches = cut_lineage(_by_row(counted.groupBy(*_PAGE).agg(hits), lambda row: _match(stage, row), _MATCH))
    held = {
        row["number"]: (row["documents"], merged((w["begin"], w["end"]) for w in row["words"]))
        for row in _held(matches).collect()
    }
    evidence = matches.select("*", F.explode("spans").alias("span")).select("*", "span.begin", "span.end")
    return Decision(
        _shaped(_removed(stage, matches, counted), stage, REMOVALS),
        _shaped(keys.limit(0), stage, CLUSTERS),
        cuts=_shaped(_spans(stage, counted), stage, CUTS),
        evidence={
            "spans": _shaped(evidence.withColumnRenamed("begin", "start"), stage, EVIDENCE),
            "items": items_table(index, held, list(documents)),
            "frequent": frequent_table(index, documents),
        },
    )


def _frequent(stage: Decontamination, keys: DataFrame) -> dict[int, int]:
    if stage.max_documents is None:
        return {}
    counted = keys.groupBy("gram").agg(F.countDistinct("doc_id").alias("documents"))
    return {row["gram"]: row["documents"] for row in counted.where(F.col("documents") > stage.max_documents).collect()}


def _as_mapping(frequent: pa.Table) -> dict[int, int]:
    return dict(zip(frequent["gram"].to_pylist(), frequent["documents"].to_pylist(), strict=True))


def _held(matches: DataFrame) -> DataFrame:
    """(number, documents, words): of each item, how many documents hold something, and all intervals they hold."""
    each = matches.select("number", "doc_id", F.explode("words").alias("interval"))
    return each.groupBy("number").agg(
        F.countDistinct("doc_id").alias("documents"), F.collect_set("interval").alias("words")
    )


def _removed(stage: Decontamination, matches: DataFrame, counted: DataFrame) -> DataFrame:
    if stage.cuts_text:
        return counted.limit(0)
    if stage.mode != "coverage":
        return counted.select(*_PAGE).distinct()
    holders = F.collect_list(F.struct(*_PAGE, "words")).alias("holders")
    lost = _by_row(matches.groupBy("number").agg(holders), lambda row: _lost(stage, row), "doc_id long, unit string")
    return lost.distinct()


def _spans(stage: Decontamination, counted: DataFrame) -> DataFrame:
    if not stage.cuts_text:
        return counted.limit(0)
    spans = F.collect_list(F.struct("start", "end")).alias("spans")
    return _by_row(counted.groupBy(*_PAGE).agg(spans), _merged_spans, "doc_id long, unit string, start long, end long")


def _match(stage: Decontamination, row: Row) -> list[Row]:
    hits = [Hit(hit["gram"], hit["start"], hit["end"]) for hit in row["hits"]]
    return [
        {**match, **{name: [{"begin": b, "end": e} for b, e in match[name]] for name in ("words", "spans")}}
        for match in matches_of(stage.index(), row["doc_id"], row["unit"], hits)
    ]


def _lost(stage: Decontamination, row: Row) -> list[Row]:
    holders = [
        Holder(one["doc_id"], one["unit"], [(w["begin"], w["end"]) for w in one["words"]]) for one in row["holders"]
    ]
    lost = pages_to_remove(stage.index(), row["number"], holders, stage.max_coverage)
    return [{"doc_id": one.doc_id, "unit": one.unit} for one in lost]


def _merged_spans(row: Row) -> list[Row]:
    spans = merged((span["start"], span["end"]) for span in row["spans"])
    return [{"doc_id": row["doc_id"], "unit": row["unit"], "start": start, "end": end} for start, end in spans]


def _by_row(frame: DataFrame, judge: Callable[[Row], list[Row]], ddl: str) -> DataFrame:
    """The rows that a Python function makes of each row."""
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    schema = to_arrow_schema(StructType.fromDDL(ddl))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pylist([made for row in batch.to_pylist() for made in judge(row)], schema)

    return frame.mapInArrow(work, ddl)


def _shaped(frame: DataFrame, stage: Decontamination, schema: pa.Schema) -> DataFrame:
    """The columns of `schema`; `stage` is this stage's name, and what the frame lacks is null."""
    known = {name: F.col(name) for name in frame.columns} | {"stage": F.lit(stage.name)}
    return frame.select(
        *(known.get(f.name, F.lit(None)).cast(_KINDS[str(f.type)]).alias(f.name) for f in schema)
    )  # fmt: skip
