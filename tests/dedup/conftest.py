"""Made texts with known duplicates, and a way from texts to keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from curation.dedup.stages import CorpusStage
from curation.document import to_batch
from curation.page import Page


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(20240601)


@pytest.fixture
def make_text(random) -> Callable[[int], str]:
    """`make_text(n)`: n words drawn from 4,000, so that two texts share no 5 words in a row but by accident."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(random.choice(letters, size=6)) for _ in range(4000)]
    return lambda count: " ".join(random.choice(words, size=count))


@pytest.fixture
def keys_of() -> Callable[..., pa.Table]:
    """`keys_of(stage, pages)`: the key table of pages, as the pass would write it in two units."""

    def keys_of(stage: CorpusStage, pages: list[Page]) -> pa.Table:
        half = (len(pages) + 1) // 2
        batches = [stage.keys(to_batch(pages[:half]), "unit-0"), stage.keys(to_batch(pages[half:]), "unit-1")]
        return pa.Table.from_batches(batches)

    return keys_of
