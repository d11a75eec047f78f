"""jobs/run.py on a real Spark standalone cluster, with the project shipped, against a run in local mode."""

from __future__ import annotations

import json
import time

import pytest

from tests.run.outcome import assert_same

pytestmark = [pytest.mark.cluster, pytest.mark.spark]
WAIT_SECONDS = 400


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    """A cluster file that cuts the crawl into about a dozen units."""
    path = tmp_path_factory.mktemp("sizes") / "small.yaml"
    path.write_text("cores: 4\nsplit_size: 64KiB\n")
    return path


def finish(job) -> str:
    out, err = job.communicate(timeout=WAIT_SECONDS)
    assert job.returncode == 0, f"{out[-2000:]}\n{err[-4000:]}"
    return out


def test_every_executor_has_what_a_run_needs(submit, tmp_path):
    out = finish(submit("doctor.py", "--out", str(tmp_path / "runs")))
    assert out.count("ok ") == 2, out
    assert "2 of 2 executors answered" in out
    assert not list((tmp_path / "runs").iterdir())


def test_cluster_gives_what_local_mode_gives(submit, crawl, sizes, finished, tmp_path):
    finish(submit("run.py", "sample", "--input", str(crawl), "--out", str(tmp_path / "run"), "--cluster", str(sizes)))
    assert_same(tmp_path / "run", finished.folder.root)


def test_losing_a_worker_in_the_middle_changes_nothing(submit, cluster, crawl, sizes, finished, tmp_path):
    job = submit("run.py", "sample", "--input", str(crawl), "--out", str(tmp_path / "run"), "--cluster", str(sizes))
    commits = tmp_path / "run" / "documents" / "pass-0" / "_units"
    end = time.monotonic() + WAIT_SECONDS
    while not list(commits.glob("*.json")):
        assert job.poll() is None and time.monotonic() < end, "the run ended before a worker could be killed"
        time.sleep(0.1)
    cluster.kill_worker(0)
    units = json.loads((tmp_path / "run" / "plan.json").read_text())["units"]
    assert len(list(commits.glob("*.json"))) < len(units), "all units were done: nothing was lost with the worker"
    try:
        finish(job)
    finally:
        cluster.add_workers("worker-again")
    assert_same(tmp_path / "run", finished.folder.root)
