"""The table side of decontamination on an Arrow table, without Spark: for notebooks, the planted item and tests."""

from __future__ import annotations

from collections import defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from curation.decontaminate.findings import EVIDENCE, frequent_table, items_table, matches_of
from curation.decontaminate.index import Hit
from curation.decontaminate.judge import Holder, merged, pages_to_remove
from curation.decontaminate.stages import Decontamination
from curation.dedup.stages import CLUSTERS, CUTS, REMOVALS, LocalDecision


def decide(stage: Decontamination, keys: pa.Table, frequent: pa.Table | None = None) -> LocalDecision:
    """Same result as `tables.decide`. `frequent`: n-grams to ignore, instead of those that are frequent here."""
    index = stage.index()
    documents: dict[int, int] = {}
    if frequent is not None:
        documents = dict(zip(frequent["gram"].to_pylist(), frequent["documents"].to_pylist(), strict=True))
    elif stage.max_documents is not None:
        counted = keys.group_by("gram").aggregate([("doc_id", "count_distinct")])
        counted = counted.filter(pc.greater(counted["doc_id_count_distinct"], stage.max_documents))
        documents = dict(zip(*(counted[name].to_pylist() for name in ("gram", "doc_id_count_distinct")), strict=True))
    pages: dict[tuple[int, str], list[Hit]] = defaultdict(list)
    for row in keys.to_pylist():
        if row["gram"] not in documents:
            pages[row["doc_id"], row["unit"]].append(Hit(row["gram"], row["start"], row["end"]))
    matches = [
        match for (doc_id, unit), hits in sorted(pages.items()) for match in matches_of(index, doc_id, unit, hits)
    ]
    holders: dict[int, list[Holder]] = defaultdict(list)
    for match in matches:
        holders[match["number"]].append(Holder(match["doc_id"], match["unit"], match["words"]))
    held = {item: (len(all_), merged(w for one in all_ for w in one.words)) for item, all_ in holders.items()}
    removed, cuts = set(), []
    if stage.cuts_text:
        cuts = [
            {"doc_id": doc_id, "stage": stage.name, "unit": unit, "start": start, "end": end}
            for (doc_id, unit), hits in sorted(pages.items())
            for start, end in merged((hit.start, hit.end) for hit in hits)
        ]
    elif stage.mode == "coverage":
        lost = [pages_to_remove(index, item, all_, stage.max_coverage) for item, all_ in holders.items()]
        removed = {(one.doc_id, one.unit) for pages_ in lost for one in pages_}
    else:
        removed = set(pages)
    spans = [{**match, "start": start, "end": end} for match in matches for start, end in match["spans"]]
    gone = [{"doc_id": doc_id, "stage": stage.name, "unit": unit} for doc_id, unit in sorted(removed)]
    return LocalDecision(
        pa.Table.from_pylist(gone, REMOVALS),
        CLUSTERS.empty_table(),
        cuts=pa.Table.from_pylist(cuts, CUTS),
        evidence={
            "spans": pa.Table.from_pylist(spans, EVIDENCE),
            "items": items_table(index, held, list(documents)),
            "frequent": frequent_table(index, documents),
        },
    )
