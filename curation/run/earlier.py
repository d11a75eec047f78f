"""Earlier runs that a new one is deduplicated against: their stored keys stand beside the new documents' keys.

A row of an earlier run has a null `unit`: it takes part in every comparison, is never removed, and stays before any new
document. So a run against its predecessors removes of its own documents what one joint run of all of them, keeping the
earliest snapshot, would remove.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from curation.dedup.duplicates import Duplicates, MinHash
from curation.dedup.stages import CorpusStage
from curation.errors import InputError
from curation.read.inputs import InputFile
from curation.recipe.load import Recipe, rebuild_recipe
from curation.run.folder import RunFolder, read_json
from curation.run.plan import cut_into_segments

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def check_earlier(against: Sequence[Path], recipe: Recipe, inputs: Sequence[InputFile]) -> None:
    """Raises InputError where an earlier run cannot serve: not a run, other settings, unfinished, the same input."""
    if not against:
        return
    stages = [stage for stage in recipe.stages if isinstance(stage, Duplicates) and stage.scope == "global"]
    if not stages:
        raise InputError(
            f"--against {against[0]}: recipe {recipe.name} has no corpus stage of scope global, so nothing would be "
            "compared; set scope: global, such as --set near_duplicates.scope=global"
        )
    mine = {(file.source, file.snapshot, file.name) for file in inputs}
    for root in against:
        folder = RunFolder(root)
        if not folder.plan.is_file():
            raise InputError(f"--against {root}: no run folder, it holds no plan.json")
        plan = read_json(folder.plan)
        for file in plan["inputs"]:
            if (file["source"], file["snapshot"], file["name"]) in mine:
                raise InputError(
                    f"--against {root}: that run read {file['name']} of {file['source']} {file['snapshot']} too, so "
                    "ids would be the same; leave the file out, or give other files another --source"
                )
        theirs = {stage.name: stage for stage in rebuild_recipe(plan["resolved"]).stages}
        for stage in stages:
            _check_stage(folder, stage, theirs.get(stage.name))


def earlier_keys(spark: SparkSession, against: Sequence[Path], stage: CorpusStage) -> DataFrame | None:
    """Keys of a stage in the earlier runs, as the stage saw them there, with a null unit. None where there are none."""
    from pyspark.sql import functions as F

    if not (isinstance(stage, Duplicates) and stage.scope == "global"):
        return None
    found: DataFrame | None = None
    for root in against:
        folder = RunFolder(root)
        keys = spark.read.parquet(str(folder.signatures(stage.name)))
        for before in decided_before(folder, stage.name):
            removed = spark.read.parquet(str(folder.removals(before))).select("doc_id")
            keys = keys.join(removed, on="doc_id", how="left_anti")
        keys = keys.select(*stage.key_schema().names).withColumn("unit", F.lit(None).cast("string"))
        found = keys if found is None else found.union(keys)
    return found


def stored_keys(against: Sequence[Path], stage: CorpusStage) -> pa.Table | None:
    """The same as an Arrow table, in memory."""
    if not (isinstance(stage, Duplicates) and stage.scope == "global") or not against:
        return None
    schema, found = stage.key_schema(), []
    for root in against:
        folder = RunFolder(root)
        keys = ds.dataset(folder.signatures(stage.name), format="parquet").to_table(columns=schema.names)
        for before in decided_before(folder, stage.name):
            removed = ds.dataset(folder.removals(before), format="parquet").to_table(columns=["doc_id"])["doc_id"]
            keys = keys.filter(pc.invert(pc.is_in(keys["doc_id"], value_set=removed)))
        at = schema.get_field_index("unit")
        found.append(keys.set_column(at, schema.field(at), pa.nulls(len(keys), pa.string())))
    return pa.concat_tables(found)


def decided_before(folder: RunFolder, name: str) -> list[str]:
    """Corpus stages of that run whose removals the stage `name` did not see any more."""
    recipe = rebuild_recipe(read_json(folder.plan)["resolved"])
    for segment in cut_into_segments(recipe.stages):
        names = [stage.name for stage in segment.corpus_stages]
        if name in names:
            return names[: names.index(name)]
    raise AssertionError(f"{name} was checked to be a stage of {folder.root}")


def _check_stage(folder: RunFolder, mine: Duplicates, theirs: CorpusStage | None) -> None:
    where = f"--against {folder.root}: stage '{mine.name}'"
    if type(theirs) is not type(mine):
        raise InputError(f"{where} is no such stage there; stages are matched by name, so give both the same one")
    for setting in _same_settings(mine):
        ours, there = getattr(mine, setting), getattr(theirs, setting)
        if ours != there:
            raise InputError(f"{where} has {setting} {there!r} there and {ours!r} here; keys compare only where equal")
    if not folder.step_done(mine.name):
        raise InputError(f"{where} has not decided there yet; finish that run with --resume")


def _same_settings(stage: Duplicates) -> tuple[str, ...]:
    """Settings that make two keys comparable; the scope of the earlier run and its choice of survivors do not."""
    if not isinstance(stage, MinHash):
        return ("by",)
    exact = ("verify",) if stage.verify == "exact" else ()
    return ("ngram", "unit", "seed", "store", "bands", "rows", *exact)
