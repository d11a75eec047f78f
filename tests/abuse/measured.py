"""Runs a function in a process of its own and tells what it cost: `measured("module", "function", *arguments)`.

Memory is the highest resident size (of /proc, so Linux only) above that of the process before the call: whatever
allocates, Python or a library in C, is counted. Arguments and result are JSON.
"""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
KILLED_AFTER = 300  # seconds: a test that gets here has failed
ADDRESS_SPACE = 8 << 30  # bytes; a bomb that goes off ends its process and not the machine


class Cost(NamedTuple):
    """`megabytes` of 10^6 bytes, `seconds` of wall time, `cpu` seconds of this process, and what the function gave."""

    megabytes: float
    seconds: float
    cpu: float
    result: Any


def measured(module: str, function: str, *arguments: Any) -> Cost:
    command = [sys.executable, str(HERE / "measured.py"), module, function, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=KILLED_AFTER, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2000:]}"
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def _memory(field: str) -> int:
    """Bytes: VmRSS is what the process holds, VmHWM the most it held. ru_maxrss would count its parent's too."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) * 1024


def main() -> None:
    module, function, arguments = sys.argv[1:]
    sys.path[:0] = [str(HERE), str(HERE.parent / "read"), str(HERE.parent.parent)]
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    call = getattr(importlib.import_module(module), function)
    before, started, cpu = _memory("VmRSS"), time.monotonic(), time.process_time()
    result = call(*json.loads(arguments))
    cost = Cost((_memory("VmHWM") - before) / 1e6, time.monotonic() - started, time.process_time() - cpu, result)
    print(json.dumps(cost._asdict()))


if __name__ == "__main__":
    main()
