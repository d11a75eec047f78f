"""Case A8: a run killed anywhere, in any process, or out of disk, goes on to the uninterrupted result."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import psutil
import pytest

from curation.errors import StorageError
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.run.log import RunLog
from curation.run.run import run_recipe
from tests.recovery.frozen import frozen_states, furthest
from tests.run.outcome import assert_same

pytestmark = [pytest.mark.recovery, pytest.mark.spark]
ROOT = Path(__file__).resolve().parents[2]
MOMENTS = 20
SIZES = "split_size: 32KiB\nspark: {spark.driver.memory: 1g, spark.sql.shuffle.partitions: '2'}\n"


@pytest.fixture(scope="module")
def command(crawl, tmp_path_factory):
    """A function from a run folder to the command line that fills it: about a dozen units, two cores."""
    sizes = tmp_path_factory.mktemp("sizes") / "small.yaml"
    sizes.write_text(SIZES)

    def line(out: Path, *more: str) -> list[str]:
        given = ["--input", str(crawl), "--out", str(out), "--cluster", str(sizes), *more]
        return [sys.executable, "-m", "curation.cli", "run", "sample", *given]

    return line


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK_GATEWAY")}
    return {**inherited, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def resume(spark, crawl):
    """A function that goes on with a run folder, with a number of tasks of its own."""

    def go_on(out: Path, partitions: int) -> None:
        where = [Source(where=str(crawl))]
        run_recipe(
            lambda: spark, load_recipe("sample"), where, out, cluster=Cluster(partitions=partitions), resume=True
        )

    return go_on


@pytest.fixture(scope="module")
def states(command, environment, tmp_path_factory) -> list[Path]:
    """Frozen states of one run."""
    folder = tmp_path_factory.mktemp("frozen")
    return frozen_states(command(folder / "run"), environment, folder / "run", folder / "states", seed=3)


def test_twenty_moments_of_death_and_one_outcome(states, resume, finished, tmp_path):
    by_place = defaultdict(list)
    for state in states:
        by_place[furthest(state)].append(state)
    draw = random.Random(11)
    chosen = [draw.choice(group) for group in by_place.values()]  # each stage at least once
    rest = [state for state in states if state not in chosen]
    chosen += draw.sample(rest, MOMENTS - len(chosen))
    assert {"pass 0", "pass 1", "tokens"} <= by_place.keys() and any("decision" in place for place in by_place)
    for number, state in enumerate(chosen):
        run = tmp_path / "run"
        shutil.copytree(state, run)
        done, lines = _done(run), len(RunLog(run / "run.log").lines())
        resume(run, partitions=1 + number % 5)
        assert_same(run, finished.folder.root)
        assert _done(run).items() >= done.items(), "a finished part was written again"
        logged = [line for line in RunLog(run / "run.log").lines()[lines:] if line["event"] == "unit"]
        assert not {(line["step"], line["unit"]) for line in logged} & done.keys()
        assert not list(run.rglob("*.tmp"))
        shutil.rmtree(run)


def _done(run: Path) -> dict[tuple[str, str], int]:
    """When each committed unit of a pass and each decision of a corpus stage was written."""
    units = {(f"pass {p.parent.parent.name[5:]}", p.stem): p for p in run.glob("documents/pass-*/_units/*.json")}
    decisions = {("decision", path.stem): path for path in run.glob("state/*.json")}
    return {name: path.stat().st_mtime_ns for name, path in (units | decisions).items()}


@pytest.mark.parametrize("victim", ["driver", "jvm"])
def test_a_killed_process_costs_time_only(victim, command, environment, resume, finished, tmp_path):
    out = tmp_path / "run"
    ended, message = _killed_after_a_unit(command(out), environment, out, victim)
    assert ended != 0 and not (out / "manifest.json").exists(), message
    done = _done(out)
    assert done
    resume(out, partitions=3)
    assert _done(out).items() >= done.items()
    assert_same(out, finished.folder.root)


def test_a_killed_worker_does_not_end_the_run(command, environment, finished, tmp_path):
    out = tmp_path / "run"
    ended, message = _killed_after_a_unit(command(out), environment, out, "worker")
    assert ended == 0, message
    assert_same(out, finished.folder.root)


def _killed_after_a_unit(command: list[str], environment: dict[str, str], out: Path, victim: str) -> tuple[int, str]:
    """Starts a run, kills its processes of one role once a unit is committed; how it ended, and what it said."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        commits = out / "documents" / "pass-0" / "_units"
        while not list(commits.glob("*.json")):
            assert run.poll() is None, run.stderr.read()
            time.sleep(0.02)
        family = [psutil.Process(run.pid), *psutil.Process(run.pid).children(recursive=True)]
        victims = [one for one in family if _role(one, run.pid) == victim]
        assert victims
        for process in victims:
            process.send_signal(signal.SIGKILL)
        _, said = run.communicate(timeout=120)
        _, left = psutil.wait_procs(family, timeout=60)
    assert not left, f"still there: {left}"
    return run.returncode, said.decode(errors="replace")


def _role(process: psutil.Process, driver: int) -> str:
    if process.pid == driver:
        return "driver"
    try:
        if process.name() == "java":
            return "jvm"
        # The daemon forks the workers; each of them is called as the daemon is.
        forked = "pyspark.daemon" in process.cmdline() and "pyspark.daemon" in process.parent().cmdline()
    except (psutil.ZombieProcess, psutil.NoSuchProcess):  # what the shell of Spark's launcher left
        return "other"
    return "worker" if forked else "other"


def test_full_disk_is_named_and_the_run_goes_on_when_there_is_room(crawl, spark, finished, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("a disk of a small size needs the right to mount one")
    try:
        full, size = [], 64
        while True:
            try:
                where = [Source(where=str(crawl))]
                sizes = Cluster(split_size=32 << 10, partitions=2)
                run_recipe(lambda: spark, load_recipe("sample"), where, disk / "run", cluster=sizes, resume=True)
                break
            except StorageError as error:
                assert "--resume" in str(error)
                full.append(furthest(disk / "run"))
            size = int(size * 1.6)
            subprocess.run(["mount", "-o", f"remount,size={size}k", disk], check=True)
        assert len(set(full)) >= 3, f"the disk was full at {full} only"
        assert_same(disk / "run", finished.folder.root)
    finally:
        # Lazily: a write that failed may have left its file open in the JVM.
        subprocess.run(["umount", "--lazy", disk], check=True)
