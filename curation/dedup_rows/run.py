"""`deduplicate_rows`: from files of rows to the same files without copies. From top to bottom the order of things."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from curation.dedup.duplicates import Duplicates
from curation.dedup_rows.columns import Found, columns_for, find_columns
from curation.dedup_rows.removed import removed_rows
from curation.dedup_rows.worker import Counts, RowUnit, plan_rows, write_keys, write_survivors
from curation.errors import InputError, RecipeError, ResumeError, StoreError
from curation.progress import Progress, silent
from curation.read.inputs import InputFile, check_names_differ, list_inputs
from curation.read.splits import plan_splits
from curation.recipe.load import Recipe
from curation.recipe.run_files import Cluster
from curation.run.driver import access_of_executor, decide, watching
from curation.run.earlier import check_earlier
from curation.run.folder import RunFolder, root_of_run, write_json
from curation.run.lock import only_writer
from curation.run.log import RunLog
from curation.run.manifest import check_free, describe, now, open_folder, versions
from curation.run.plan import Segment
from curation.run.run import LARGEST_SPLIT, SMALLEST_SPLIT, UNITS_PER_CORE
from curation.stores.access import Access, use

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class RowsResult:
    """Rows read, without a text (they stay, uncompared), removed by each stage, and written."""

    folder: RunFolder
    rows: int
    without_text: int
    removed: dict[str, int]
    written: int


def deduplicate_rows(
    start_spark: Callable[[], SparkSession],
    recipe: Recipe,
    where: Sequence[str],
    out: str | Path,
    *,
    text: str | None = None,
    id: str | None = None,
    date: str | None = None,
    source: str = "web",
    cluster: Cluster | None = None,
    cores: int = 2,
    against: Sequence[str | Path] = (),
    progress: Progress = silent,
) -> RowsResult:
    """Writes OUT/text (the files without their copies), OUT/removed, and the keys for a later --against.

    `recipe` holds corpus stages `exact` and `minhash` only. `text`, `id`, `date` name columns; keep: newest needs a
    date, and keep: first without one keeps the first in the order of the input. `against`: earlier outputs, or runs,
    whose documents count as seen.

    Raises InputError, RecipeError or ResumeError before Spark starts; InputError too where a file turns out to be
    damaged.
    """
    cluster = cluster or Cluster()
    use(Access(**cluster.remote.model_dump()))
    stages = _only_duplicates(recipe)
    columns = columns_for(stages, text, id, date)
    files = _list(where, source)
    found = find_columns(files, columns)
    earlier = [Path(run).absolute() for run in against]
    check_earlier(earlier, recipe, files)
    folder = RunFolder(root_of_run(out))
    check_free(folder)
    if folder.plan.is_file():
        raise ResumeError(f"{folder.root} already holds an output, and dedup cannot go on in one; choose another --out")
    with only_writer(folder.root):
        open_folder(folder, describe(recipe, files, {}, earlier), [], resume=False)
        return _deduplicate(start_spark, recipe, folder, files, found, stages, earlier, cluster, cores, progress)


def _deduplicate(
    start_spark: Callable[[], SparkSession],
    recipe: Recipe,
    folder: RunFolder,
    files: Sequence[InputFile],
    found: Sequence[Found],
    stages: Sequence[Duplicates],
    earlier: Sequence[Path],
    cluster: Cluster,
    cores: int,
    progress: Progress,
) -> RowsResult:
    """All that is written, from the keys to the manifest."""
    largest = max(SMALLEST_SPLIT, sum(file.size for file in files) // (UNITS_PER_CORE * cores))
    splits = plan_splits(files, cluster.split_size or min(LARGEST_SPLIT, largest))
    units = plan_rows(splits, {file.path: one for file, one in zip(files, found, strict=True)})

    spark = start_spark()
    read = _over_units(spark, units, partial(write_keys, folder, stages), "keys", folder.root / "rows", progress)
    tasks = min(len(units), cluster.partitions or len(units))
    decide(spark, folder, Segment(0, (), tuple(stages)), tasks, progress, RunLog(folder.log), earlier)
    names = [stage.name for stage in stages]
    progress("removed", 0, 1)
    removed = removed_rows(spark, folder, stages, [RunFolder(root) for root in earlier])
    removed.write.mode("overwrite").parquet(str(folder.root / "removed"))
    progress("removed", 1, 1)
    done = _over_units(spark, units, partial(write_survivors, folder, names), "text", folder.root / "text", progress)

    counted = spark.read.parquet(str(folder.root / "removed")).groupBy("stage").count().collect()
    gone = {row["stage"]: row["count"] for row in counted}
    result = RowsResult(
        folder,
        rows=sum(counts.rows for counts in read),
        without_text=sum(counts.without_text for counts in read),
        removed={name: gone.get(name, 0) for name in names},
        written=sum(counts.written for counts in done),
    )
    assert result.rows == result.written + sum(result.removed.values()), f"rows went astray: {result}"
    figures = {key: value for key, value in asdict(result).items() if key != "folder"}
    decisions = {name: folder.step_facts(name) for name in names}
    write_json(
        folder.manifest,
        {
            **describe(recipe, files, {}, earlier),
            **figures,
            "decisions": decisions,
            "finished": now(),
            "versions": versions(),
        },
    )
    return result


def _only_duplicates(recipe: Recipe) -> list[Duplicates]:
    others = [stage.name for stage in recipe.stages if not isinstance(stage, Duplicates)]
    if others:
        raise RecipeError(
            recipe.name, [f"stage '{name}' is neither minhash nor exact; `curate run` knows it" for name in others]
        )
    return list(recipe.stages)


def _list(where: Sequence[str], source: str) -> list[InputFile]:
    files = [file for one in where for file in list_inputs(one, source=source)]
    check_names_differ(files)
    if not files:
        raise InputError("no input file; give a Parquet or JSON lines file, a folder or a glob")
    return sorted(files, key=lambda file: file.name)


def _over_units(
    spark: SparkSession,
    units: Sequence[RowUnit],
    work: Callable[[RowUnit], Counts],
    step: str,
    folder: Path,
    progress: Progress,
) -> list[Counts]:
    """Runs `work` on every unit, a Spark task each; progress counts the files that appear in `folder`."""
    granted = access_of_executor(spark)
    described = [(pickle.dumps(unit),) for unit in units]
    frame = spark.createDataFrame(spark.sparkContext.parallelize(described, len(units)), "unit binary")

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use(granted)
        for batch in batches:
            for packed in batch["unit"].to_pylist():
                try:
                    counts, problem = work(pickle.loads(packed)), None
                except (InputError, StoreError) as error:  # a retry would meet the same file
                    counts, problem = Counts(0), str(error)
                figures = {name: [value] for name, value in asdict(counts).items()}
                yield pa.record_batch({**figures, "problem": pa.array([problem], pa.string())})

    def look() -> None:
        files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
        progress(step, len(files), len(units))

    spark.sparkContext.setJobDescription(f"curation: {step}, {len(units)} units")
    progress(step, 0, len(units))
    with watching(look):
        rows = frame.mapInArrow(run, "rows long, without_text long, written long, problem string").collect()
    problems = sorted(row["problem"] for row in rows if row["problem"])
    if problems:
        raise InputError("\n".join(problems))
    return [Counts(row["rows"], row["without_text"], row["written"]) for row in rows]
