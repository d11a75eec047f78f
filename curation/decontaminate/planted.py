"""The self-test: one item of each benchmark is planted into a page, and must be found, before anything is run.

A decontamination that finds nothing looks like one that has nothing to find. Fields of another name, a file of the
wrong split or items shorter than an n-gram are told apart from a clean corpus here, and only here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from curation.decontaminate.index import Index
from curation.decontaminate.stages import Decontamination
from curation.dedup.cuts import cut_page, ranges_of
from curation.errors import DecontaminationError, InputError
from curation.page import Page

FILLER_WORDS = 200  # on both sides of the item; about a thousand characters, more than `gpt3` cuts away
PLANTED, CONTROL = 0, 1  # doc_ids of the page with the item and of one without


def self_test(stage: Decontamination, through: Callable[[str], str] = lambda text: text) -> None:
    """Plants an item of each benchmark. `through` = what the planted page has to pass first, such as a tokenizer.

    Raises InputError where a benchmark has no item that could be found, DecontaminationError where one is not found,
    or something is found in a page of filler.
    """
    index = stage.index()
    for benchmark in stage.benchmarks:
        item = _longest(index, benchmark)
        filler = _filler()
        texts = [through(f"{filler}\n{_text(index, item)}\n{filler}"), through(filler)]
        pages = [Page(text, doc_id=number) for number, text in enumerate(texts)]
        planted, control = _act(stage, pages)
        if planted and stage.cuts_text:
            planted = not pages[PLANTED].alive or not _act(stage, pages)[PLANTED]
        if not planted:
            raise DecontaminationError(
                f"stage '{stage.name}': item {':'.join(index.item_names[item])} was planted into a page and not found "
                f"by {stage.mode}; do not trust a run with it: check the stage's settings, then report this as a bug"
            )
        if control:
            raise DecontaminationError(
                f"stage '{stage.name}': words that stand in no item were taken for one of {benchmark}; report this as "
                "a bug"
            )


def _act(stage: Decontamination, pages: list[Page]) -> tuple[bool, bool]:
    """Lets the stage decide on both pages, and cuts them. Returns which of them it found something in."""
    rows = stage.hit_rows(pa.array([PLANTED, CONTROL]), pa.array([page.text for page in pages]), "planted")
    decision = stage.local_removals(pa.Table.from_batches([rows]))
    ranges = ranges_of(decision.cuts)
    for page in pages:
        if page.alive:
            cut_page(page, stage, ranges.get(page.doc_id, ()))
    found = {*decision.removals["doc_id"].to_pylist(), *ranges}
    return PLANTED in found, CONTROL in found


def _longest(index: Index, benchmark: str) -> int:
    """Number of the item with most checkable words."""
    items = [number for number, (name, _) in enumerate(index.item_names) if name == benchmark]
    best = items[int(np.argmax(index.checkable[items]))]
    if not index.checkable[best]:
        words = np.bincount(index.item_of, weights=index.words)[items].max()
        unit = "line" if index.whole else "field"
        raise InputError(
            f"none of the {len(items)} items of benchmark '{benchmark}' can be checked: none has a {unit} of "
            f"{index.ngram} words (the longest item has {int(words)} in all its fields); name more fields, or set a "
            "smaller length"
        )
    return best


def _text(index: Index, item: int) -> str:
    return "\n".join(index.parts["text"].take(np.flatnonzero(index.item_of == item)).to_pylist())


def _filler() -> str:
    """Words that stand in no benchmark."""
    letters = np.random.default_rng(0).choice(list("bcdfghjklmnpqrstvwxz"), size=(FILLER_WORDS, 7))
    return " ".join("".join(word) for word in letters)
