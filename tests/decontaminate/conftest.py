"""The planted corpus and a way from it to hits."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from curation.decontaminate import stages
from curation.decontaminate.stages import Decontamination
from curation.document import to_batch
from tests.decontaminate.planted import FIELDS, Corpus, make_corpus

SETTINGS = {"gpt3": {}, "ngram_drop": {}, "coverage": {"max_coverage": 0.6}, "paragraph": {}}


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return make_corpus()


@pytest.fixture(scope="session")
def stage_of(corpus, tmp_path_factory) -> Callable[..., Decontamination]:
    """`stage_of(mode, **settings)`: a stage called clean that looks for the corpus' benchmark."""
    items = corpus.items(tmp_path_factory.mktemp("benchmarks"))

    def stage_of(mode: str, **settings) -> Decontamination:
        made = getattr(stages, mode)(name="clean", benchmarks=FIELDS, **{**SETTINGS[mode], **settings})
        return made.with_items(items)

    return stage_of


@pytest.fixture(scope="session")
def keys_of() -> Callable[..., pa.Table]:
    """`keys_of(stage, pages)`: the hits of pages, as the pass would write them in two units."""

    def keys_of(stage, pages) -> pa.Table:
        halves = {"unit-0": pages[: len(pages) // 2], "unit-1": pages[len(pages) // 2 :]}
        return pa.Table.from_batches([stage.keys(to_batch(half), unit) for unit, half in halves.items()])

    return keys_of
