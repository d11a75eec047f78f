"""What is shipped to a cluster, made once; and a cluster that has nothing but that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from curation.java import ensure_java
from tests.cluster.standalone import Standalone

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def environment(tmp_path_factory) -> Path:
    """environment.tar.gz as `make package` makes it (about a minute)."""
    folder = tmp_path_factory.mktemp("package")
    subprocess.run([ROOT / "jobs" / "package.sh", folder], env={**os.environ, "PYTHON": sys.executable}, check=True)
    return folder / "environment.tar.gz"


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
    }


@pytest.fixture(scope="session")
def cluster(bare, tmp_path_factory):
    with Standalone(Path(bare["SPARK_HOME"]), tmp_path_factory.mktemp("cluster"), bare) as started:
        yield started


@pytest.fixture(scope="session")
def submit(cluster, bare, environment):
    """A function that starts `spark-submit` of a job with arguments; the driver runs in this interpreter."""

    def start(job: str, *arguments: str) -> subprocess.Popen:
        command = [str(Path(bare["SPARK_HOME"]) / "bin" / "spark-submit"), "--master", cluster.address]
        command += ["--archives", f"{environment}#environment", "--executor-memory", "600m", "--driver-memory", "1g"]
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
