"""Whole runs, and their tables."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.run.run import run_recipe


@pytest.fixture(scope="session")
def run_over(spark):
    """A function that runs the recipe `sample` over an input, with cluster settings."""

    def run(where, out, recipe="sample", overrides=(), resume=False, against=(), **cluster):
        return run_recipe(
            lambda: spark,
            load_recipe(recipe, overrides),
            [Source(where=str(where))],
            out,
            cluster=Cluster(**cluster),
            resume=resume,
            against=against,
        )

    return run


def table(*folders) -> pa.Table:
    """All rows of Parquet folders, in order of doc_id."""
    return ds.dataset([str(file) for f in folders for file in sorted(f.glob("*.parquet"))]).to_table().sort_by("doc_id")
