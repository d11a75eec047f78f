"""The cap on requests holds over processes that share an executor's scratch folder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from curation.stores import access as access_module
from curation.stores.access import Access
from curation.stores.files import size_of
from curation.stores.slots import share_of_executor, slot
from tests.stores.fault_server import FaultServer, folder

ASK = """
import sys
import threading
from curation.stores.access import Access, use
from curation.stores.files import sizes_of
use(Access(requests=2, first_wait=0.0))
assert sizes_of([sys.argv[1]] * 6) == [3] * 6
"""


def test_two_processes_together_keep_to_the_cap(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    (tmp_path / "scratch").mkdir()
    with FaultServer(folder(tmp_path)) as server:
        gate = threading.Event()
        server.before_reply = lambda: gate.wait(0.05)
        environment = {**os.environ, "SPARK_LOCAL_DIRS": f"{tmp_path / 'scratch'},/other", "no_proxy": "127.0.0.1"}
        command = [sys.executable, "-c", ASK, f"{server.url}/x"]
        workers = [subprocess.Popen(command, env=environment) for _ in range(2)]
        assert [worker.wait(60) for worker in workers] == [0, 0]
        assert server.seen["HEAD"] == 12
        assert server.most_at_once == 2


def test_a_slot_comes_back_after_an_error():
    access_module._access = Access(requests=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), slot():
            raise ZeroDivisionError
    with slot():
        pass


def test_a_killed_process_gives_its_slot_back(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    holder = "import time\nfrom curation.stores.access import *\nfrom curation.stores.slots import slot\n"
    holder += "use(Access(requests=1))\nwith slot():\n    print('held', flush=True)\n    time.sleep(60)\n"
    environment = {**os.environ, "SPARK_LOCAL_DIRS": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", holder], env=environment, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    process.kill()
    process.wait(10)
    with FaultServer(folder(tmp_path)) as server:
        ask = "import sys\nfrom curation.stores.files import size_of\nfrom curation.stores.access import *\n"
        ask += "use(Access(requests=1))\nassert size_of(sys.argv[1]) == 3\n"
        done = subprocess.run([sys.executable, "-c", ask, f"{server.url}/x"], env=environment, timeout=30)
    assert done.returncode == 0
    assert size_of(str(tmp_path / "x")) == 3


@pytest.mark.parametrize(
    ("requests", "executors", "share"), [(32, 1, 32), (32, 32, 1), (32, 33, 1), (33, 2, 16), (1, 0, 1)]
)
def test_shares_of_executors_keep_the_cap_while_it_is_not_below_their_number(requests, executors, share):
    assert share_of_executor(requests, executors) == share
    assert share * executors <= max(requests, executors)
