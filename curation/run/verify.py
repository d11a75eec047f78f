"""`verify_run`: a finished run is searched for benchmark items, in its token shards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from curation.decontaminate.stages import Decontamination
from curation.decontaminate.verify import Verification, verify_shards
from curation.errors import InputError
from curation.recipe.load import Recipe, rebuild_recipe
from curation.run.benchmarks import decontaminations, with_benchmarks, with_kept_items
from curation.run.folder import RunFolder, read_json
from curation.run.tokenizer import tokenizer_of
from curation.tokens.shards import list_shards

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


def verify_run(
    start_spark: Callable[[], SparkSession],
    folder: RunFolder,
    recipe: Recipe | None = None,
    benchmarks: Path | str | None = None,
) -> list[Verification]:
    """One verification for each decontamination stage: of the run itself, or of `recipe` with `benchmarks`.

    The run's own stages look for the items it kept, and ignore the n-grams it ignored. Those of another recipe count
    frequent n-grams in the shards. Raises InputError where there is nothing to verify, or nothing to look for.
    """
    if not folder.manifest.is_file():
        raise InputError(
            f"{folder.root} is no finished run (no manifest.json); finish it with `curate run ... --resume`"
        )
    own = rebuild_recipe(read_json(folder.plan)["resolved"])
    if recipe is None:
        stages = [(stage, _ignored(folder, stage)) for stage in decontaminations(with_kept_items(folder, own))]
    else:
        stages = [(stage, None) for stage in decontaminations(with_benchmarks(recipe, benchmarks))]
    if not stages:
        raise InputError(
            f"recipe {own.name if recipe is None else recipe.name} has no decontaminate stage, so nothing says what to "
            "look for; name a recipe that has one with --recipe, and its files with --benchmarks"
        )
    shards = [shard for split in ("train", "validation") for found in list_shards(folder.tokens, split).values()
              for shard in found]  # fmt: skip
    if not shards:
        raise InputError(f"{folder.root} holds no token shards; run a recipe with a tokens section")
    tokenizer, spark = tokenizer_of(folder, own), start_spark()
    return [verify_shards(spark, shards, tokenizer, stage, frequent) for stage, frequent in stages]


def _ignored(folder: RunFolder, stage: Decontamination) -> pa.Table:
    return pq.read_table(folder.evidence(stage.name) / "frequent.parquet")
