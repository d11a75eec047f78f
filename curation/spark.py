"""The one place that builds a Spark session. Local mode needs no set-up; spark-submit brings its own master."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from curation.conf import cache_folder, conf_folder
from curation.errors import SetUpError
from curation.hidden import SECRET_NAMES
from curation.java import ensure_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

DEFAULTS = {
    "spark.sql.adaptive.enabled": "true",
    # One Arrow batch goes through Python memory as a whole: bound it by bytes; rows are the bound before Spark 4.1.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
    "spark.sql.parquet.compression.codec": "zstd",
    # Signatures and token rows are wide: fewer rows a batch keep the column vectors small.
    "spark.sql.parquet.columnarReaderBatchSize": "1024",
    "spark.python.worker.reuse": "true",
    "spark.ui.showConsoleProgress": "false",
    "spark.redaction.regex": SECRET_NAMES,  # what the pages and event logs of Spark do not show
}
# Tries of a task in local mode, where Spark's own default is one: a worker that the system killed for want of memory
# costs its unit's time and not the run. Not more: what fails twice alike, a broken page or model, fails for ever.
LOCAL_TRIES = 2
LOCAL = {
    "spark.driver.memory": "4g",  # local mode runs everything in the driver's JVM
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
}
# For runs of seconds on a few cores: the JVM compiles quickly rather than well, and collects with one thread. Seen for
# three runs of 160 pages: 32 s of its CPU in place of 76 s. Where it works for minutes this is the wrong choice.
SHORT_RUN = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def start_session(cores: int | str = "*", settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session of this process: that of spark-submit where it started us, else a local one."""
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # spark-submit leaves the port of its JVM there
    return submitted_session(settings) if submitted else local_session(cores, settings)


def local_session(cores: int | str = "*", settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session on this machine. Finds or brings a Java; workers run the interpreter of the caller.

    `cores` is a count or "*"; `settings` are Spark properties that win over the defaults here. Raises SetUpError where
    SPARK_HOME or PYSPARK_PYTHON names nothing.
    """
    _check_environment()
    _speak_utf8()
    ensure_java()
    _prepare_workers()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    quiet = f"-Dlog4j2.configurationFile={(conf_folder() / 'cluster' / 'log4j2.properties').as_uri()}"
    os.environ.setdefault("SPARK_SUBMIT_OPTS", quiet)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{cores},{LOCAL_TRIES}]").appName("curation")
    for key, value in {**DEFAULTS, **LOCAL, **(settings or {})}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def submitted_session(settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session of a spark-submit job: master and resources come from spark-submit, its properties win."""
    _prepare_workers()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("curation")
    session = builder.getOrCreate()
    given = {key for key, _ in session.sparkContext.getConf().getAll()}
    for key, value in {**DEFAULTS, **(settings or {})}.items():
        if key.startswith("spark.sql.") and key not in given and session.conf.isModifiable(key):
            session.conf.set(key, value)
    return session


def spark_schema(schema: pa.Schema) -> StructType:
    """Spark's name for an Arrow schema. Spark has no binary of a fixed width, and 3.5 does not take one for binary."""
    from pyspark.sql.pandas.types import from_arrow_schema

    fields = [field.with_type(pa.binary()) if pa.types.is_fixed_size_binary(field.type) else field for field in schema]
    return from_arrow_schema(pa.schema(fields))


def _check_environment() -> None:
    """pyspark starts the Spark that SPARK_HOME names, else its own, and workers by PYSPARK_PYTHON, else by this Python.

    Raises SetUpError where one of them names nothing that is there.
    """
    home = os.environ.get("SPARK_HOME")
    if home and not os.access(os.path.join(home, "bin", "spark-submit"), os.X_OK):
        raise SetUpError(f"SPARK_HOME is {home}, and no bin/spark-submit is there: unset it, or name a Spark")
    python = os.environ.get("PYSPARK_PYTHON")
    if python and not shutil.which(python):
        raise SetUpError(f"PYSPARK_PYTHON is {python}, and no program is there: unset it, or name a Python")


def _speak_utf8() -> None:
    """Java names files in the encoding of the locale: in that of C, as in bare containers, it finds no umlaut."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    if "utf8" not in locale.lower().replace("-", ""):
        os.environ["LC_ALL"] = "C.UTF-8"  # for Java and the workers; this process has read its own locale


def _prepare_workers() -> None:
    """Workers use the driver's interpreter; compiled kernels are cached in a writable folder."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / "numba"))
