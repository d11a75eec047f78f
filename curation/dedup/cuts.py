"""Ranges of characters are taken out of a text, by offset and never by search; and what becomes of the page."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import pyarrow as pa

from curation.dedup.pieces import places
from curation.dedup.stages import CuttingStage
from curation.page import Drop, Page
from curation.text import words

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


def whole_sentences(text: str, ranges: Ranges) -> Ranges:
    """Each range narrowed to the sentences that lie in it as a whole, where these make up half of it; else as it is.

    What repeats begins and ends wherever it happens to: a word beside a sentence that thousands of pages share is soon
    shared by some of them too. Narrowed, a cut leaves no broken sentence and takes no word of its neighbours. Ranges
    that reach for one sentence without words between them (a row of stars) become one.

    >>> text = "It was so. The cat sat on the mat. The dog ran."
    >>> [text[start:end] for start, end in whole_sentences(text, [(7, 38)])]
    ['The cat sat on the mat. ']
    """
    sentences = places(text, "sentence")
    starts, stops = [place.start for place in sentences], [place.stop for place in sentences]
    narrowed: list[tuple[int, int]] = []
    for start, end in ranges:
        first, last = bisect_left(starts, start), bisect_right(stops, end) - 1
        # Ranges reach from word to word: a sentence lies in one as a whole though its opening quote does not.
        if first and not words(text[starts[first - 1] : start]):
            first -= 1
        if last + 1 < len(stops) and not words(text[end : stops[last + 1]]):
            last += 1
        if first <= last and 2 * (stops[last] - starts[first]) >= end - start:
            start, end = starts[first], sentences[last].end
        if narrowed and start < narrowed[-1][1]:
            start, end = narrowed[-1][0], max(end, narrowed[-1][1])
            narrowed.pop()
        narrowed.append((start, end))
    return narrowed


def cut_page(page: Page, stage: CuttingStage, ranges: Ranges, annotate: bool = False) -> None:
    """Applies what a cutting stage decided to a living page; without ranges it stays as it is.

    `annotate`: a page of which too little is left stays as it was, and a signal `<stage>.<rule>` of 1 is stored.
    """
    left = stage.cut(page.text, ranges) if ranges else page.text
    if isinstance(left, Drop) and not annotate:
        page.drop(stage.name, left.rule, left.value)
        return
    if isinstance(left, Drop):
        page.signals[f"{stage.name}.{left.rule}"] = 1.0
    else:
        page.text = left
    page.trail.append(page.chars)


def ranges_of(cuts: pa.Table) -> dict[int, list[tuple[int, int]]]:
    """doc_id -> its ranges, ascending."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    ordered = cuts.sort_by([("doc_id", "ascending"), ("start", "ascending")])
    for doc_id, *between in zip(*(ordered[name].to_pylist() for name in ("doc_id", "start", "end")), strict=True):
        ranges.setdefault(doc_id, []).append(tuple(between))
    return ranges
