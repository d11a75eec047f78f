"""What the cutting stages should cut, in plain Python over whole texts, and a way to run a stage in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from curation.dedup.cuts import ranges_of
from curation.document import to_batch
from curation.page import Page
from curation.text import words


def local_cuts(stage, pages: Sequence[Page]) -> pa.Table:
    """The CUTS of a stage, decided without Spark on pages that lie in two units."""
    units = dict(zip(("unit-0", "unit-1"), (pages[::2], pages[1::2]), strict=True))
    keys = pa.Table.from_batches([stage.keys(to_batch(half), unit) for unit, half in units.items()])
    if hasattr(stage, "with_texts"):
        stage = stage.with_texts(lambda unit: iter([to_batch(units[unit])]))
    return stage.local_removals(keys).cuts


def pieces_cut(stage, pages: Sequence[Page]) -> dict[int, list[str]]:
    """doc_id -> the pieces of its text that are cut."""
    text = {page.doc_id: page.text for page in pages}
    found = ranges_of(local_cuts(stage, pages))
    return {doc_id: [text[doc_id][start:end] for start, end in ranges] for doc_id, ranges in found.items()}


def words_in(cuts: pa.Table, pages: Sequence[Page]) -> dict[int, set[int]]:
    """doc_id -> numbers of the words that a cut takes."""
    ranges, taken = ranges_of(cuts), {}
    for page in pages:
        at, numbers = 0, set()
        for number, word in enumerate(words(page.text)):
            at = page.text.index(word, at)
            if any(start <= at < end for start, end in ranges.get(page.doc_id, ())):
                numbers.add(number)
            at += len(word)
        if numbers:
            taken[page.doc_id] = numbers
    return taken


def repeated_words(pages: Sequence[Page], length: int) -> dict[int, set[int]]:
    """doc_id -> numbers of the words in a window that stands earlier too, pages in order of date and doc_id."""
    first: dict[tuple[str, ...], tuple[int, int]] = {}
    taken: dict[int, set[int]] = {}
    for page in sorted(pages, key=lambda page: (page.date or "9", page.doc_id)):
        all_words = words(page.text)
        for number in range(len(all_words) - length + 1):
            doc_id, earlier = first.setdefault(tuple(all_words[number : number + length]), (page.doc_id, number))
            if doc_id != page.doc_id or number >= earlier + length:
                taken.setdefault(page.doc_id, set()).update(range(number, number + length))
    return taken


def lines_that_go(pages: Sequence[Page], remove: str, more_than: int) -> dict[int, list[str]]:
    """doc_id -> lines that are cut, each as often as it goes, by counting them all; pages in order of doc_id."""
    lines = {page.doc_id: [line.strip() for line in page.text.split("\n") if line.strip()] for page in pages}
    copies = Counter(line for each in lines.values() for line in each)
    documents = Counter(line for each in lines.values() for line in set(each))
    gone: dict[int, list[str]] = {}
    seen: set[str] = set()
    for doc_id in sorted(lines):
        here: set[str] = set()
        for line in lines[doc_id]:
            goes = {
                "frequent": copies[line] > more_than,
                "seen_elsewhere": documents[line] > 1 or line in here,
                "all_but_first": line in seen,
            }[remove]
            here.add(line)
            seen.add(line)
            if goes:
                gone.setdefault(doc_id, []).append(line)
    return gone
