"""What the decision of a corpus stage does to one page: the same on the next pass of a run and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from curation.dedup.stages import CorpusStage
from curation.page import Drop, Page

Spans = Mapping[int, list[tuple[int, int]]]  # doc_id -> (start, end) of what is cut out of it


class Removals(NamedTuple):
    """`kept_ids`: doc_id of each removed page -> the copy that is kept, if it is a copy; `spans` as above."""

    kept_ids: Mapping[int, int | None]
    spans: Spans


def removals_of(removed: pa.Table, cuts: pa.Table | None) -> Removals:
    """Decisions by document, from rows of REMOVALS and CUTS (at least their ids, kept_id, start and end)."""
    spans: dict[int, list[tuple[int, int]]] = {}
    if cuts is not None:
        for doc_id, start, end in zip(*(cuts[name].to_pylist() for name in ("doc_id", "start", "end")), strict=True):
            spans.setdefault(doc_id, []).append((start, end))
    kept_ids = dict(zip(removed["doc_id"].to_pylist(), removed["kept_id"].to_pylist(), strict=True))
    return Removals(kept_ids, {doc_id: sorted(found) for doc_id, found in spans.items()})


def apply(stage: CorpusStage, decided: Removals, page: Page) -> None:
    """Drops or cuts a living page, and appends to its trail if it lives on."""
    if page.doc_id in decided.kept_ids:
        page.drop(stage.name, stage.rule, stage.deciding_value(page, decided.kept_ids[page.doc_id]))
        return
    if page.doc_id in decided.spans:
        edited = stage.cut(page.text, decided.spans[page.doc_id])
        if isinstance(edited, Drop):
            page.drop(stage.name, edited.rule, edited.value)
            return
        page.text = edited
    page.trail.append(page.chars)
