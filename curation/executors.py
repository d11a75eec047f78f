"""What every executor of a cluster has: Python, packages, language model, compiled kernels, the run folder's mount.

Each check runs in the Python workers themselves, with the environment that was shipped to them.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from curation.doctor import language_model
from curation.errors import CurationError
from curation.run.manifest import versions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS_PER_CORE = 4  # so that every executor gets some, though Spark promises none
HELD_SECONDS = 0.5  # a task is held this long, so that no executor takes them all


@dataclass(frozen=True)
class Executor:
    """What one executor found. `problems` are sentences; `folder` is its working directory, unique on a cluster."""

    host: str
    folder: str
    python: str
    versions: dict[str, str]
    free_bytes: int  # where it keeps temporary files
    problems: list[str]


def examine_executors(spark: SparkSession, out: Path | None = None) -> tuple[list[Executor], int]:
    """Every executor that answered, in order of host, and how many Spark knows.

    `out`: a folder that all must reach, as a run's `--out` must be: each executor writes a file there, and the driver
    reads it.
    """
    context = spark.sparkContext
    tasks = TASKS_PER_CORE * context.defaultParallelism
    token = uuid.uuid4().hex if out is not None else ""
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    context.setJobDescription("curation: doctor")
    look = partial(_look, out=None if out is None else str(out), token=token, expected=versions())
    rows = spark.range(0, tasks, 1, tasks).mapInArrow(look, "found string").collect()
    known = {}
    for row in rows:
        found = json.loads(row["found"])
        written = found.pop("written")
        if written and not Path(written).is_file():
            found["problems"].append(f"its files in {out} do not reach the driver: give a folder on a shared mount")
        known.setdefault((found["host"], found["folder"]), Executor(**found))
    for path in out.glob(f".doctor-{token}-*") if out is not None else ():
        path.unlink()
    # The driver has a block manager too, which is the only one in local mode.
    managers = context._jsc.sc().getExecutorMemoryStatus().size()
    return [known[key] for key in sorted(known)], max(1, managers - 1)


def _look(
    batches: Iterator[pa.RecordBatch], out: str | None, token: str, expected: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not batch.num_rows:
            continue
        time.sleep(HELD_SECONDS)
        here, problems = versions(), []
        for name, version in expected.items():
            if name != "pyspark" and here[name] != version:  # an executor has the cluster's own pyspark
                problems.append(f"{name} is {here[name]}, the driver's is {version}: ship the same environment")
        for check in (_kernels, language_model):
            try:
                check()
            except (CurationError, ImportError, OSError, RuntimeError) as error:
                problems.append(str(error))
        written = ""
        if out is not None:
            name = Path(out) / f".doctor-{token}-{socket.gethostname()}-{os.getpid()}"
            try:
                name.write_text("reached", encoding="utf-8")
                written = str(name)
            except OSError as error:
                problems.append(f"cannot write to {out} ({error}): give a folder that every executor reaches")
        free = shutil.disk_usage(os.environ.get("TMPDIR", "/tmp")).free
        found = Executor(socket.gethostname(), os.getcwd(), platform.python_version(), here, free, problems)
        yield pa.record_batch({"found": [json.dumps({**asdict(found), "written": written})]})


def _kernels() -> None:
    from curation.dedup.kernel import signatures

    signed = signatures(pa.array(["one two three four five six"]), hashes=112)
    if signed.values.shape[1] != 112:
        raise RuntimeError(f"the compiled kernel gave {signed.values.shape[1]} hashes, 112 were asked for")
