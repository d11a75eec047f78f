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
from curation.dedup.applied import removals_of
from curation.errors import DecontaminationError, InputError
from curation.page import Drop

FILLER_WORDS = 200  # on both sides of the item; about a thousand characters, more than `gpt3` cuts away
PLANTED, CONTROL = 1, 2  # doc_ids of the page with the item and of one without


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
        rows = stage.hit_rows(pa.array([PLANTED, CONTROL]), pa.array(texts), "planted")
        decided = stage.local_removals(pa.Table.from_batches([rows]))
        removals = removals_of(decided.removals, decided.cuts)
        if PLANTED in removals.spans:
            left = stage.cut(texts[0], removals.spans[PLANTED])
            again = [] if isinstance(left, Drop) else stage.hit_rows(pa.array([PLANTED]), pa.array([left]), "planted")
            gone = len(again) == 0
        else:
            gone = PLANTED in removals.kept_ids
        if not gone:
            raise DecontaminationError(
                f"stage '{stage.name}': item {':'.join(index.item_names[item])} was planted into a page and not found "
                f"by {stage.mode}; do not trust a run with it: check the stage's settings, then report this as a bug"
            )
        if CONTROL in removals.kept_ids or CONTROL in removals.spans:
            raise DecontaminationError(
                f"stage '{stage.name}': words that stand in no item were taken for one of {benchmark}; report this as "
                "a bug"
            )


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
