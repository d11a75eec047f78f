"""A Spark standalone cluster on this machine: a master and workers, each a process of its own, stopped at the end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

START_SECONDS = 90


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Standalone:
    """Use as a context manager. Processes get `environment` only: nothing of this checkout is there unshipped."""

    def __init__(self, spark_home: Path, folder: Path, environment: Mapping[str, str], workers: int = 2):
        self._class = [str(spark_home / "bin" / "spark-class")]
        self._folder, self._environment, self._workers = folder, dict(environment), workers
        self.address = f"spark://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen] = []
        self._processes: list[subprocess.Popen] = []

    def __enter__(self) -> Standalone:
        port = self.address.rpartition(":")[2]
        options = ["--host", "127.0.0.1", "--port", port, "--webui-port", str(free_port())]
        self._start("master", ["org.apache.spark.deploy.master.Master", *options])
        self._wait_for("master", r"Starting Spark master at")
        self.add_workers(*(f"worker-{number}" for number in range(self._workers)))
        return self

    def add_workers(self, *names: str) -> None:
        for name in names:
            options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", str(self._folder / name)]
            options += ["--webui-port", str(free_port())]
            self.workers.append(self._start(name, ["org.apache.spark.deploy.worker.Worker", *options, self.address]))
        for name in names:
            self._wait_for(name, r"Successfully registered with master")

    def _start(self, name: str, command: list[str]) -> subprocess.Popen:
        log = (self._folder / f"{name}.log").open("wb")
        process = subprocess.Popen(
            [*self._class, *command], env=self._environment, stdout=log, stderr=log, start_new_session=True
        )
        log.close()
        self._processes.append(process)
        return process

    def _wait_for(self, name: str, pattern: str) -> None:
        log, end = self._folder / f"{name}.log", time.monotonic() + START_SECONDS
        while not re.search(pattern, log.read_text(errors="replace")):
            assert time.monotonic() < end, f"{name} did not start:\n{log.read_text(errors='replace')[-2000:]}"
            time.sleep(0.2)

    def kill_worker(self, number: int) -> None:
        """SIGKILL to a worker and its executors, which are in its process group."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()

    def __exit__(self, *failure) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
