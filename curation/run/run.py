"""`run_recipe`: a whole run from inputs to report. From top to bottom it is the order in which things happen."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curation.dedup.duplicates import minhash
from curation.errors import InputError, MixtureError, StorageError
from curation.hidden import hide
from curation.mixture import check_names, solve
from curation.progress import Progress, silent
from curation.read.inputs import InputFile, check_names_differ, list_inputs
from curation.read.objects import check_addresses
from curation.read.splits import plan_splits
from curation.recipe.load import Recipe
from curation.recipe.run_files import Cluster, Source
from curation.report.html import write_report
from curation.run.accounts import keep_books
from curation.run.benchmarks import keep_items, with_benchmarks
from curation.run.driver import decide, run_pass
from curation.run.earlier import check_earlier
from curation.run.folder import RunFolder, read_json, root_of_run, write_json
from curation.run.forgotten import requests
from curation.run.funnel import add_tokens
from curation.run.lock import only_writer
from curation.run.log import RunLog
from curation.run.manifest import check_free, describe, now, open_folder, versions
from curation.run.models import ready_models
from curation.run.outage import stop_on_outage
from curation.run.page_pass import PassPlan
from curation.run.plan import Segment, Unit, cut_into_segments, plan_units
from curation.spark import spark_schema
from curation.stage import PageStage
from curation.stores.access import Access, use

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Near-copies of the curated text, over all snapshots, so that validation text has no near-copy in training. Exact ones
# where a text is shorter than a shingle.
VALIDATION_CLUSTERS = replace(minhash(name="validation_clusters", scope="global"), short_texts=True)
BAD_STATES = ("error_page", "unreadable", "unavailable", "unfinished", "empty")
LARGEST_SPLIT, SMALLEST_SPLIT = 128 << 20, 1 << 20  # bytes of a file in one split, where the user names no size
DISK_FULL = os.strerror(errno.ENOSPC)  # stands in the message whichever process, Python's or Java's, met it
LOGGED_CHARS = 2000  # of the message of what ended a run
UNITS_PER_CORE = 3  # enough that one slow unit does not leave the other cores idle


@dataclass(frozen=True)
class RunResult:
    """What a finished run says of itself. `problems` are sentences about inputs that could not be read."""

    folder: RunFolder
    funnel: dict[str, Any]
    problems: list[str]


def prepare(sources: Sequence[Source], cluster: Cluster, cores: int) -> tuple[list[InputFile], list[Unit]]:
    """What can go wrong about the input before Spark starts: it is listed and cut into units."""
    use(Access(**cluster.remote.model_dump()))
    inputs: list[InputFile] = []
    for one in sources:
        if not isinstance(one, Source):
            raise InputError(
                f"the source {one!r:.80} is no Source: give Source(where=...) of curation.recipe.run_files"
            )
        inputs += list_inputs(
            one.where, source=one.source, snapshots=one.snapshots, files=one.files, text=one.text or ""
        )
    inputs.sort(key=lambda file: (file.source, file.snapshot, file.name))
    if not inputs:
        raise InputError("no input file; give --input a crawl root, a file, a folder or a glob")
    check_addresses(inputs)
    check_names_differ(inputs)
    pieces = UNITS_PER_CORE * cores
    total = sum(file.size for file in inputs)
    split_size = cluster.split_size or min(LARGEST_SPLIT, max(SMALLEST_SPLIT, total // pieces))
    return inputs, plan_units(plan_splits(inputs, split_size), cluster.unit_size, pieces)


def run_recipe(
    start_spark: Callable[[], SparkSession],
    recipe: Recipe,
    sources: Sequence[Source],
    out: str | Path,
    *,
    benchmarks: str | Path | None = None,
    cluster: Cluster | None = None,
    cores: int = 2,
    resume: bool = False,
    against: Sequence[str | Path] = (),
    progress: Progress = silent,
) -> RunResult:
    """Runs a recipe over sources into the folder `out`. `benchmarks` is the folder of benchmark files.

    `against`: folders of earlier runs; corpus stages of scope global count their documents as seen.
    Raises InputError, ModelError, MixtureError, DecontaminationError or ResumeError before Spark starts,
    ConservationError when the books do not balance, MixtureError when the tokens that came out do not reach the mixture
    (all else is written by then).
    Input files that cannot be read do not stop the rest: they are named in the result's `problems` and the manifest.
    """
    cluster = cluster or Cluster()
    folder = RunFolder(root_of_run(out))
    recipe, models = with_benchmarks(recipe, benchmarks), ready_models(recipe)
    inputs, units = prepare(sources, cluster, cores)
    if recipe.mixture is not None:
        check_names(recipe.mixture, {file.source for file in inputs})
    earlier = [Path(run).absolute() for run in against]
    check_earlier(earlier, recipe, inputs)
    check_free(folder)
    with only_writer(folder.root):
        units = open_folder(folder, describe(recipe, inputs, models, earlier), units, resume)
        keep_items(folder, recipe)
        log = RunLog(folder.log)
        log("start", recipe=recipe.name, recipe_hash=recipe.hash, resume=resume, inputs=len(inputs), units=len(units))
        with _told(folder, log):
            return _run(start_spark, recipe, folder, units, cluster.partitions, earlier, progress, log)


@contextmanager
def _told(folder: RunFolder, log: RunLog) -> Iterator[None]:
    """Logs what ends a run; a full disk is named. Raises StorageError for that."""
    try:
        yield
    except BaseException as error:  # an interrupt is worth a line too
        full = DISK_FULL in str(error)
        with suppress(OSError) if full else nullcontext():  # there is no room for the line either
            log("failed", error=type(error).__name__, message=hide(str(error))[:LOGGED_CHARS])
        if not full:
            raise
        raise StorageError(
            f"no space is left on the disk of {folder.root} or of temporary files; what is finished is kept: "
            "make room and give the same command with --resume"
        ) from error


def _run(
    start_spark: Callable[[], SparkSession],
    recipe: Recipe,
    folder: RunFolder,
    units: Sequence[Unit],
    partitions: int | None,
    earlier: Sequence[Path],
    progress: Progress,
    log: RunLog,
) -> RunResult:
    """Everything from the first pass to the report; what an earlier start finished is not done again."""
    clock = _Clock(log)
    with clock("spark"):
        spark = start_spark()
    tasks = min(len(units), partitions or len(units))
    for segment, plan in _plans(recipe, folder):
        with clock(f"pass {segment.number}"):
            run_pass(spark, folder, plan, units, partitions, progress, log)
            if segment.number == 0:
                stop_on_outage(folder)
        with clock(f"decisions {segment.number}"):
            decide(spark, folder, segment, tasks, progress, log, earlier)
    spark.sparkContext.setJobDescription("curation: funnel")
    with clock("funnel"):
        funnel, files = keep_books(spark, folder, recipe)
    summary = _hand_over(spark, folder, recipe, funnel["stages"][-1]["kept"], progress, clock)
    unmixed = _mix(folder, recipe, summary)
    add_tokens(funnel, summary, recipe.resolved)
    write_json(folder.funnel, funnel)
    problems = [f"{f['name']}: {f['state']}" for f in files if f["state"] in BAD_STATES]
    manifest = {
        **{key: value for key, value in read_json(folder.plan).items() if key != "units"},
        "finished": now(),
        "status": "finished with unreadable inputs" if problems else "finished",
        "versions": versions(),
        "seconds": clock.seconds,
        "decisions": {s.name: folder.step_facts(s.name) for s in recipe.stages if not isinstance(s, PageStage)},
        "files": files,
        "forgotten": requests(folder),
    }
    write_json(folder.manifest, manifest)
    write_report(folder.root)
    for file in files:
        if file["state"] != "complete":
            log("problem", file=file["name"], state=file["state"])
    kept = funnel["stages"][-1]["kept"]
    log("finished", status=manifest["status"], pages_in=funnel["stages"][0]["pages_in"], kept=kept)
    if unmixed is not None:
        raise unmixed
    return RunResult(folder, funnel, problems)


def _plans(recipe: Recipe, folder: RunFolder) -> list[tuple[Segment, PassPlan]]:
    segments = cut_into_segments(recipe.stages)
    plans = []
    for segment in segments:
        last = segment is segments[-1]
        decided = segments[segment.number - 1].corpus_stages if segment.number else ()
        corpus = segment.corpus_stages
        if last and recipe.tokens is not None and recipe.tokens.validation > 0:
            corpus = (VALIDATION_CLUSTERS,)
        plan = PassPlan(
            root=str(folder.root),
            segment=segment.number,
            last=last,
            stages=segment.page_stages,
            decided=decided,
            corpus=corpus,
            audit_fraction=recipe.audit_fraction,
            annotate=recipe.annotate,
        )
        plans.append((segment, plan))
    return plans


def _hand_over(
    spark: SparkSession, folder: RunFolder, recipe: Recipe, kept: int, progress: Progress, clock: _Clock
) -> dict[str, Any] | None:
    """Tokenizer and token shards; None where the recipe ends with text, or no page was kept."""
    if recipe.tokens is None or not kept:
        return None
    from curation.tokens.build import build_tokens

    with clock("tokens"):
        if not (folder.tokens / "summary.json").is_file():  # build_tokens publishes the whole folder at once
            progress("tokens", 0, 1)
            spark.sparkContext.setJobDescription("curation: tokens")
            clusters = None
            if recipe.tokens.validation > 0:
                keys = spark.read.schema(spark_schema(VALIDATION_CLUSTERS.key_schema()))
                keys = keys.parquet(str(folder.signatures(VALIDATION_CLUSTERS.name)))
                clusters = VALIDATION_CLUSTERS.removals(keys).clusters
            build_tokens(spark, folder.curated, folder.tokens, recipe.tokens, clusters=clusters, mixture=recipe.mixture)
        progress("tokens", 1, 1)
    return read_json(folder.tokens / "summary.json")


def _mix(folder: RunFolder, recipe: Recipe, summary: dict[str, Any] | None) -> MixtureError | None:
    """Writes mixture.json; a mixture that cannot be reached comes back as an error, so that the rest is written."""
    if recipe.mixture is None or summary is None:
        return None
    available = {source: splits["train"] for source, splits in summary["tokens"].items()}
    try:
        write_json(folder.mixture, solve(available, recipe.mixture))
    except MixtureError as error:
        return MixtureError(
            f"{error}. Everything else of the run is written; with the mixture corrected in a file of its own: "
            f"curate mix solve FILE --run {folder.root} --out {folder.mixture}"
        )
    return None


class _Clock:
    """Seconds spent in each step of this start of the run; each is logged when it is done."""

    def __init__(self, log: RunLog) -> None:
        self.seconds: dict[str, float] = {}
        self._log = log

    @contextmanager
    def __call__(self, step: str):
        started = time.monotonic()
        yield
        self.seconds[step] = round(time.monotonic() - started, 2)
        self._log("step done", step=step, seconds=self.seconds[step])
