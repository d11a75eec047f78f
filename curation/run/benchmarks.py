"""Benchmarks of a run: read at its start, tried on a planted page, kept in the run folder for later checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from curation.decontaminate.items import Items, read_items
from curation.decontaminate.planted import self_test
from curation.decontaminate.stages import Decontamination
from curation.errors import InputError
from curation.recipe.load import Recipe
from curation.run.folder import RunFolder, parquet_files


def decontaminations(recipe: Recipe) -> list[Decontamination]:
    """The decontamination stages of a recipe."""
    return [stage for stage in recipe.stages if isinstance(stage, Decontamination)]


def with_benchmarks(recipe: Recipe, folder: Path | str | None) -> Recipe:
    """The recipe, its decontamination stages ready to work: with their items, and each has found a planted one.

    Raises InputError where files, fields or the folder itself are missing, DecontaminationError where the planted item
    is not found.
    """
    names = [stage.name for stage in decontaminations(recipe)]
    if not names and folder is not None:
        raise InputError(
            f"recipe {recipe.name} has no decontaminate stage; leave --benchmarks {folder} out, or add one"
        )
    if names and folder is None:
        raise InputError(
            f"stage '{names[0]}' of recipe {recipe.name} looks for benchmark items; give their folder with "
            "--benchmarks (or `benchmarks:` in the paths file)"
        )

    def ready(stage: Decontamination) -> Decontamination:
        found = stage.with_items(read_items(folder, stage.benchmarks))
        self_test(found)
        return found

    return _with_each(recipe, ready)


def _with_each(recipe: Recipe, change: Callable[[Decontamination], Decontamination]) -> Recipe:
    stages = (change(stage) if isinstance(stage, Decontamination) else stage for stage in recipe.stages)
    return replace(recipe, stages=tuple(stages))


def benchmark_digests(recipe: Recipe) -> Mapping[str, str]:
    """{stage: sha256 of its items}: part of what a run is."""
    return {stage.name: stage.items.digest for stage in decontaminations(recipe) if stage.items is not None}


def keep_items(folder: RunFolder, recipe: Recipe) -> None:
    """Writes the items of each stage into the run folder."""
    for stage in decontaminations(recipe):
        table = stage.items.table
        with parquet_files([(folder.benchmark_items(stage.name), table.schema)]) as (file,):
            for batch in table.to_batches():
                file.add(batch)


def with_kept_items(folder: RunFolder, recipe: Recipe) -> Recipe:
    """The recipe of a run, its decontamination stages with the items that the run looked for."""

    def with_items(stage: Decontamination) -> Decontamination:
        return stage.with_items(Items(pq.read_table(folder.benchmark_items(stage.name))))

    return _with_each(recipe, with_items)
