"""`python -m curation.precompile`: compiles the kernels of a run and keeps the machine code beside their source.

`make package` does so for the environment of executors, each of whose processes would else compile them anew (7 seconds
of CPU). The code serves processors of the same kind; on another one it is compiled as before.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from curation.notebook import decide, pages_of_crawl
from curation.recipe.load import load_recipe
from curation.sample.roles import FEWEST_PAGES
from curation.sample.snapshots import write_snapshots
from curation.stage import PageStage
from curation.tokens.best_fit import assign_rows

RECIPE = "sample"  # cuts words, counts n-grams, signs and compares


def precompile() -> None:
    """Sends a sample crawl through all stages of RECIPE, in this process."""
    recipe = load_recipe(RECIPE)
    with tempfile.TemporaryDirectory() as folder:
        write_snapshots(Path(folder), pages=FEWEST_PAGES)
        pages = pages_of_crawl(recipe, folder)
    for stage in recipe.stages:
        if not isinstance(stage, PageStage):
            decide(stage, pages)
    assign_rows(np.array([3, 6, 5, 2]), capacity=8)


if __name__ == "__main__":
    precompile()
