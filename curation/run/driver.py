"""The driver's side of a run: sends units to workers, lets corpus stages decide, and shows progress meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from curation.dedup.duplicates import Duplicates, MinHash
from curation.dedup.giants import cluster_facts
from curation.dedup.stages import CLUSTERS, REMOVALS, LooksAgain
from curation.progress import Progress
from curation.run.earlier import earlier_keys
from curation.run.folder import RunFolder, UnitTexts, parquet_files, read_json
from curation.run.log import RunLog
from curation.run.page_pass import PassPlan, run_unit
from curation.run.plan import Segment, Unit
from curation.spark import spark_schema
from curation.stores.access import Access, access, use
from curation.stores.slots import share_of_executor

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POLL_SECONDS = 0.5


def run_pass(
    spark: SparkSession,
    folder: RunFolder,
    plan: PassPlan,
    units: Sequence[Unit],
    partitions: int | None,
    progress: Progress,
    log: RunLog,
) -> None:
    """Runs the units of one pass that are not committed yet, one `mapInArrow` over their descriptions.

    `partitions` = number of Spark tasks; None gives each unit its own.
    """
    step, done = f"pass {plan.segment}", folder.committed(plan.segment)
    waiting = [unit for unit in units if unit.name not in done]
    log("step", step=step, units=len(units), committed_before=len(units) - len(waiting))
    commits = _Commits(folder, plan.segment, done, len(units), progress, log)
    commits.look()
    if not waiting:
        return
    tasks, granted = min(partitions or len(waiting), len(waiting)), access_of_executor(spark)
    rows = [(json.dumps(unit.to_dict()),) for unit in waiting]
    described = spark.createDataFrame(spark.sparkContext.parallelize(rows, tasks), "unit string")

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use(granted)
        for batch in batches:
            for text in batch.column("unit").to_pylist():
                commit = run_unit(plan, Unit.from_dict(json.loads(text)))
                yield pa.record_batch({"unit": [commit["unit"]], "pages": pa.array([commit["pages_in"]], pa.int64())})

    spark.sparkContext.setJobDescription(f"curation: {step}, {len(waiting)} units")
    with watching(commits.look):
        finished = described.mapInArrow(work, "unit string, pages long").count()
    assert finished == len(waiting), f"{step}: {len(waiting)} units sent, {finished} came back"


def access_of_executor(spark: SparkSession) -> Access:
    """The access of this process, with the requests that one executor may make at a time.

    Their sum is the cap while there are no more executors than now, or than the settings allow where they say so.
    """
    settings = spark.sparkContext.getConf()
    dynamic = settings.get("spark.dynamicAllocation.enabled", "false") == "true"
    limit = settings.get("spark.dynamicAllocation.maxExecutors" if dynamic else "spark.executor.instances", "1")
    known = len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1  # the driver is in the list
    executors = max(known, int(limit) if limit.isdigit() else 1)
    return replace(access(), requests=share_of_executor(access().requests, executors))


class _Commits:
    """Looks which units of a pass were committed since the last look, logs them and shows how far the pass is."""

    def __init__(
        self, folder: RunFolder, segment: int, before: set[str], units: int, progress: Progress, log: RunLog
    ) -> None:
        self._folder, self._segment, self._step = folder, segment, f"pass {segment}"
        self._seen, self._units = set(before), units
        self._pages = self._dropped = 0  # of this start
        self._progress, self._log = progress, log

    def look(self) -> None:
        for unit in sorted(self._folder.committed(self._segment) - self._seen):
            commit = read_json(self._folder.commits(self._segment) / f"{unit}.json")
            self._seen.add(unit)
            self._pages += commit["pages_in"]
            self._dropped += commit["dead"]
            told = {name: commit[name] for name in ("unit", "pages_in", "alive", "dead", "seconds")}
            self._log("unit", step=self._step, **told)
        self._progress(self._step, len(self._seen), self._units, self._pages, self._dropped)


def decide(
    spark: SparkSession,
    folder: RunFolder,
    segment: Segment,
    tasks: int,
    progress: Progress,
    log: RunLog,
    against: Sequence[Path] = (),
) -> None:
    """Lets each corpus stage of a segment decide, in order; a page that one stage removes is not seen by the next.

    `against`: folders of earlier runs whose documents count as seen.
    """
    gone: DataFrame | None = None
    for stage in segment.corpus_stages:
        log("step", step=stage.name, done_before=folder.step_done(stage.name))
        if not folder.step_done(stage.name):
            progress(stage.name, 0, 1)
            spark.sparkContext.setJobDescription(f"curation: {stage.name}")
            keys = spark.read.schema(spark_schema(stage.key_schema())).parquet(str(folder.signatures(stage.name)))
            if gone is not None:
                keys = keys.join(gone, on="doc_id", how="left_anti")
            earlier = earlier_keys(spark, against, stage)
            if earlier is not None:
                keys = keys.unionByName(earlier)
            if isinstance(stage, LooksAgain):
                stage = stage.with_texts(UnitTexts(folder.alive(segment.number, last=False)))
            decision = stage.removals(keys)
            facts = {}
            if stage.cuts_text:
                _write_by_unit(decision.cuts, tasks, folder.cuts(stage.name))
            else:
                parts = decision.parts or tasks
                _write_by_unit(decision.removals, parts, folder.removals(stage.name))
                _write_by_unit(decision.clusters, parts, folder.clusters(stage.name))
                if isinstance(stage, Duplicates):
                    clusters = spark.read.schema(spark_schema(CLUSTERS)).parquet(str(folder.clusters(stage.name)))
                    facts = cluster_facts(stage.name, clusters, stage.giant if isinstance(stage, MinHash) else None)
            for name, table in decision.evidence.items():
                _write_evidence(table, tasks, folder.evidence(stage.name) / name)
            folder.mark_done(stage.name, {**facts, **decision.facts})
        progress(stage.name, 1, 1)
        if stage.cuts_text:
            return  # the last of its segment
        removed = spark.read.schema(spark_schema(REMOVALS)).parquet(str(folder.removals(stage.name))).select("doc_id")
        gone = removed if gone is None else gone.unionByName(removed)


def _write_by_unit(decided: DataFrame, parts: int, folder: Path) -> None:
    """Sorted by unit, so that the next pass finds the rows of one unit by the statistics of the row groups."""
    ranged = decided.repartitionByRange(parts, "unit") if parts > 1 else decided.coalesce(1)
    ranged.sortWithinPartitions("unit", "doc_id").write.mode("overwrite").parquet(str(folder))


def _write_evidence(table: DataFrame | pa.Table, tasks: int, path: Path) -> None:
    """A folder of Parquet for a table of Spark, one file for a small one."""
    if not isinstance(table, pa.Table):
        table.coalesce(tasks).write.mode("overwrite").parquet(str(path))
        return
    with parquet_files([(path.with_suffix(".parquet"), table.schema)]) as (file,):
        for batch in table.to_batches():
            file.add(batch)


class watching:
    """Calls `look` every POLL_SECONDS while the block runs: a Spark action blocks the thread that started it."""

    def __init__(self, look: Callable[[], None]):
        self._look = look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            self._look()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *failure) -> None:
        self._stop.set()
        self._thread.join()
        self._look()
