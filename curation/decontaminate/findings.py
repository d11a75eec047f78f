"""What a stage reports besides its decision: evidence for each page, a line for each item, the n-grams ignored.

RUN/evidence/<stage>/spans/*.parquet    EVIDENCE: which words of which page belong to which item
RUN/evidence/<stage>/items.parquet      ITEMS: every item, also those without a hit and those nobody could check
RUN/evidence/<stage>/frequent.parquet   FREQUENT: n-grams that stand in too many documents to count
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from curation.decontaminate.index import Hit, Index
from curation.decontaminate.judge import Interval, match_items, ratio

EVIDENCE = pa.schema(
    [
        pa.field("benchmark", pa.string()),
        pa.field("item", pa.string()),  # <file>:<line>
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),
        pa.field("start", pa.int64()),  # code points of the text as it stood at the stage
        pa.field("end", pa.int64()),
        pa.field("ratio", pa.float64()),  # share of the item's checkable words that the page holds in all its spans
    ]
)
ITEMS = pa.schema(
    [
        pa.field("benchmark", pa.string()),
        pa.field("item", pa.string()),
        pa.field("state", pa.string()),  # uncheckable | clean | frequent (only ignored n-grams were found) | found
        pa.field("words", pa.int64()),
        pa.field("checkable_words", pa.int64()),  # in fields (or lines) long enough
        pa.field("documents", pa.int64()),  # that hold an n-gram of it which counts
        pa.field("ratio", pa.float64()),  # share of the checkable words that the corpus holds anywhere; null: no words
        pa.field("frequent", pa.int64()),  # n-grams of it that were found and ignored
    ]
)
FREQUENT = pa.schema(
    [pa.field("gram", pa.int64()), pa.field("documents", pa.int64()), pa.field("words", pa.string())]
)  # fmt: skip


def matches_of(index: Index, doc_id: int, unit: str, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """One row for each item of which a page holds something: EVIDENCE with lists of spans, and the item's words."""
    names, rows = index.item_names, []
    for item, words, spans in match_items(index, hits):
        benchmark, name = names[item]
        rows.append(
            {"number": item, "benchmark": benchmark, "item": name, "doc_id": doc_id, "unit": unit,
             "ratio": ratio(index, item, words), "words": words, "spans": spans}
        )  # fmt: skip
    return rows


def items_table(index: Index, held: Mapping[int, tuple[int, Sequence[Interval]]], frequent: Sequence[int]) -> pa.Table:
    """ITEMS. `held`: item -> (documents, words of it that the corpus holds); `frequent`: n-grams found and ignored."""
    ignored: Counter[int] = Counter()
    for gram in frequent:
        ignored.update(set(index.item_of[index.postings(gram)[0]].tolist()))
    words = np.bincount(index.item_of, weights=index.words, minlength=len(index.item_names)).astype(np.int64)
    rows = []
    for number, (benchmark, item) in enumerate(index.item_names):
        checkable = int(index.checkable[number])
        documents, intervals = held.get(number, (0, ()))
        state = "found" if documents else "frequent" if ignored[number] else "clean"
        rows.append(
            {"benchmark": benchmark, "item": item, "state": state if checkable else "uncheckable",
             "words": int(words[number]), "checkable_words": checkable, "documents": documents,
             "ratio": ratio(index, number, intervals) if checkable else None, "frequent": ignored[number]}
        )  # fmt: skip
    return pa.Table.from_pylist(rows, ITEMS)


def frequent_table(index: Index, documents: Mapping[int, int]) -> pa.Table:
    """FREQUENT, most frequent first. `documents`: n-gram -> documents that hold it."""
    ordered = sorted(documents.items(), key=lambda entry: (-entry[1], entry[0]))
    rows = [{"gram": gram, "documents": n, "words": " ".join(index.gram_words(gram))} for gram, n in ordered]
    return pa.Table.from_pylist(rows, FREQUENT)
