"""Ranges of characters are taken out of a text, by offset and never by search; and what becomes of the page."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from curation.dedup.stages import CuttingStage
from curation.page import Drop, Page

Ranges = Sequence[tuple[int, int]]


def cut_text(text: str, ranges: Ranges) -> str:
    """The text without `ranges`, which ascend and do not overlap. White space goes too at an end that was cut.

    >>> cut_text("Home\\nA story.\\nShare", [(0, 5), (14, 19)])
    'A story.'
    """
    kept, at = [], 0
    for start, end in ranges:
        assert at <= start < end <= len(text), f"cut {start}:{end} after {at} in a text of {len(text)}"
        kept.append(text[at:start])
        at = end
    kept.append(text[at:])
    left = "".join(kept)
    if ranges[0][0] == 0:
        left = left.lstrip()
    return left.rstrip() if at == len(text) else left


def cut_page(page: Page, stage: CuttingStage, ranges: Ranges, *, annotate: bool = False) -> None:
    """Applies what a cutting stage decided to a living page; without ranges it stays as it is.

    `annotate`: a page that would go gets a signal `<stage>.<rule>` of 1 instead, and stays as it was.
    """
    if ranges:
        left = stage.cut(page.text, ranges)
        if isinstance(left, Drop) and annotate:
            page.signals[f"{stage.name}.{left.rule}"] = 1.0
            left = page.text
        if isinstance(left, Drop):
            page.drop(stage.name, left.rule, left.value)
            return
        page.text = left
    page.trail.append(page.chars)


def ranges_of(cuts: pa.Table) -> dict[int, list[tuple[int, int]]]:
    """doc_id -> its ranges, ascending."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    ordered = cuts.sort_by([("doc_id", "ascending"), ("start", "ascending")])
    for doc_id, *places in zip(*(ordered[name].to_pylist() for name in ("doc_id", "start", "end")), strict=True):
        ranges.setdefault(doc_id, []).append(tuple(places))
    return ranges
