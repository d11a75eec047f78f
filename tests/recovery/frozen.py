"""States of a run folder as a SIGKILL would leave them, many of them out of one run.

All processes of the run are stopped (SIGSTOP), the folder is copied, and they go on: the copy holds what the files hold
when every process of the run dies at that moment, and the run itself is spared being started anew for each moment.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil

SHORTEST, LONGEST = 0.05, 0.9  # seconds between two moments
MOST = 8  # moments of one part of the run: on a slow machine it lasts long


def frozen_states(command: list[str], environment: dict[str, str], run: Path, copies: Path, seed: int) -> list[Path]:
    """Runs `command`, which writes the run folder `run`, to its end; returns the copies in the order of time."""
    draw, states, places = random.Random(seed), [], Counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            time.sleep(draw.uniform(SHORTEST, LONGEST))
            if (run / "plan.json").is_file() and places[furthest(run)] < MOST:
                state = copies / f"{len(states):03d}"
                if _copied(process.pid, run, state):
                    states.append(state)
                    places[furthest(state)] += 1
        complaint = process.stderr.read().decode(errors="replace")
    assert process.returncode == 0, complaint[-4000:]
    return states


def _copied(pid: int, run: Path, state: Path) -> bool:
    """Copies while all processes are stopped; False where the run ended meanwhile."""
    stopped: list[psutil.Process] = []
    try:
        root = psutil.Process(pid)
        while fresh := [one for one in [root, *root.children(recursive=True)] if one not in stopped]:
            for one in fresh:  # until none is left that was born while the others were being stopped
                stopped.append(one)
                try:
                    one.suspend()
                except psutil.NoSuchProcess:
                    continue
        shutil.copytree(run, state)
        return True
    except psutil.NoSuchProcess:
        return False
    finally:
        for one in stopped:
            try:
                one.resume()
            except psutil.NoSuchProcess:
                continue


def furthest(state: Path) -> str:
    """The last thing that had begun when the run was frozen: where in the run the moment lies."""
    if (state / "manifest.json").exists():
        return "end"
    for folder, name in (("tokens", "after tokens"), ("tokens.building", "tokens"), ("curated", "pass 1")):
        if (state / folder).exists():
            return name
    begun = {path.name for parent in ("removals", "clusters", "cuts") for path in (state / parent).glob("*")}
    if begun:
        return f"decision {len(begun)}"
    units = len(list((state / "documents" / "pass-0" / "_units").glob("*.json")))
    return "pass 0" if units else "before the first unit"
