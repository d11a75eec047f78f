"""What follows from hits: which words of which item a page holds, what stays of it, which pages an item costs.

Pure functions on small lists, used alike by the Spark side and the local side. Intervals are half-open (begin, end).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from curation.decontaminate.index import Hit, Index
from curation.page import Drop

Interval = tuple[int, int]


class ItemMatch(NamedTuple):
    """What one page holds of one item: words of the item, and where they stand in the page (code points)."""

    item: int
    words: list[Interval]
    spans: list[Interval]


class Holder(NamedTuple):
    """A page that holds words of an item."""

    doc_id: int
    unit: str
    words: list[Interval]


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """The union of intervals as few intervals, in order; those that touch become one.

    >>> merged([(5, 9), (0, 2), (2, 4), (6, 7)])
    [(0, 4), (5, 9)]
    """
    result: list[Interval] = []
    for begin, end in sorted(intervals):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((begin, end))
    return result


def match_items(index: Index, hits: Sequence[Hit]) -> list[ItemMatch]:
    """The items that the n-grams of a page belong to, by number of the item."""
    words: dict[int, list[Interval]] = {}
    spans: dict[int, list[Interval]] = {}
    for hit in hits:
        for part, place in zip(*(array.tolist() for array in index.postings(hit.gram)), strict=True):
            item, begin = int(index.item_of[part]), int(index.place_of[part]) + place
            length = int(index.words[part]) if index.whole else index.ngram
            words.setdefault(item, []).append((begin, begin + length))
            spans.setdefault(item, []).append((hit.start, hit.end))
    return [ItemMatch(item, merged(words[item]), merged(spans[item])) for item in sorted(words)]


def ratio(index: Index, item: int, words: Iterable[Interval]) -> float:
    """Share of an item's checkable words that `words` cover; those in parts too short count on neither side."""
    return sum(end - begin for begin, end in merged(words)) / int(index.checkable[item])


def pieces_left(
    spans: Iterable[Interval], chars: int, *, around: int, shortest_piece: int, most_pieces: int
) -> list[Interval] | Drop:
    """The pieces that stay of a text of `chars` code points, or why it goes as a whole.

    Each span is cut out with `around` code points on both sides. A text that falls into more than `most_pieces` pieces
    is dropped; of the others, pieces of fewer than `shortest_piece` code points go as well.

    >>> pieces_left([(500, 560)], 1000, around=200, shortest_piece=201, most_pieces=10)
    [(0, 300), (760, 1000)]
    >>> pieces_left([(100, 160)], 700, around=200, shortest_piece=201, most_pieces=10)
    [(360, 700)]
    >>> pieces_left([(100, 160)], 400, around=200, shortest_piece=201, most_pieces=10)
    Drop(rule='nothing_left', value=40)
    """
    wide = merged((max(0, start - around), min(chars, end + around)) for start, end in spans)
    edges = [0, *(edge for interval in wide for edge in interval), chars]
    pieces = [(begin, end) for begin, end in zip(edges[::2], edges[1::2], strict=True) if begin < end]
    if len(pieces) > most_pieces:
        return Drop("too_many_pieces", len(pieces))
    kept = [(begin, end) for begin, end in pieces if end - begin >= shortest_piece]
    return kept or Drop("nothing_left", sum(end - begin for begin, end in pieces))


def pages_to_remove(index: Index, item: int, holders: Iterable[Holder], bound: float) -> list[Holder]:
    """The pages to remove so that those that stay hold less than `bound` of the item together.

    Pages go in order of what they hold on their own, most first, ties by doc_id, and no further than needed: a page
    that shares one common phrase with an item whose full text stands elsewhere stays.
    """
    ordered = sorted(holders, key=lambda holder: (-ratio(index, item, holder.words), holder.doc_id))
    offset = min((begin for holder in ordered for begin, _ in holder.words), default=0)
    size = max((end for holder in ordered for _, end in holder.words), default=0) - offset
    held = np.zeros(size, dtype=bool)
    for number in range(len(ordered) - 1, -1, -1):
        for begin, end in ordered[number].words:
            held[begin - offset : end - offset] = True
        if held.sum() / int(index.checkable[item]) >= bound:
            return ordered[: number + 1]
    return []
