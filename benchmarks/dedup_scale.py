"""Claim: cost grows with documents; a million fit in 8 GiB; five times faster than datatrove, with the same clusters.

    python benchmarks/dedup_scale.py [--documents 10000 100000 1000000] [--peer 100000] [--check]

Documents of about 2 kB, 30 % of them near-copies of another (Jaccard 0.55 to 0.98, known exactly), as Parquet. Each
run is a process of its own: `curate dedup`'s work from files to files with verify: none (datatrove has no other).
Seconds are those of the work without the start of Spark; memory is the peak of resident memory of the process and all
its children, sampled every 0.2 s; shuffle bytes are Spark's own count. With --peer the four MinHash stages of datatrove
run on that many documents, on as many processes as cores. Every cluster is a pair here, so clusters are compared by
number: what each side removed must lie within the 99.9 % interval of the S-curve. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from peers import DATATROVE, peer_python, run_peer

from curation.commands.run import cores_of
from curation.dedup.curve import candidate_probability
from curation.dedup.edited import count_interval_of
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster

WORDS, COPIES = 330, 0.3  # words of a document, share of copies
MOST_CHANGED = 18  # words changed in a copy, each at least 5 from the next, so each costs 5 shingles on either side
GOALS = {"growth": 12.0, "memory_gib": 8.0, "times_datatrove": 5.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--peer", type=int, default=0, metavar="DOCUMENTS")
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    parser.add_argument("--one", nargs=2, metavar=("IN", "OUT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(deduplicate(*arguments.one)))
        return
    result: dict = {"runs": [], "missed": []}
    with tempfile.TemporaryDirectory() as folder:
        for count in arguments.documents:
            result["runs"].append(measured(Path(folder), count, with_peer=count == arguments.peer))
            print(json.dumps(result["runs"][-1]), flush=True)
    pairs = zip(result["runs"], result["runs"][1:], strict=False)
    result["growth"] = [
        round(after["seconds"] / before["seconds"] / (after["documents"] / before["documents"] / 10), 2)
        for before, after in pairs
    ]
    result["missed"] = missed(result)
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def missed(result: dict) -> list[str]:
    runs = result["runs"]
    found = ["growth"] if any(growth > GOALS["growth"] for growth in result["growth"]) else []
    found += ["memory"] if any(run["memory_gib"] > GOALS["memory_gib"] for run in runs) else []
    found += ["clusters"] if not all(run["as_expected"] for run in runs) else []
    found += ["datatrove"] if any(run.get("times_datatrove", 99) < GOALS["times_datatrove"] for run in runs) else []
    return found


def measured(folder: Path, count: int, with_peer: bool) -> dict:
    texts = folder / f"texts-{count}"
    expected = write_documents(texts, count)
    low, high = count_interval_of(expected.tolist(), 0.999) if count <= 20_000 else normal_interval(expected)
    run = {"documents": count, "expected_removed": [low, high]}
    command = [sys.executable, __file__, "--one", str(texts), str(folder / f"out-{count}")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with Memory(process.pid) as memory:
        printed, _ = process.communicate()
    run |= json.loads(printed.strip().splitlines()[-1]) | {"memory_gib": round(memory.peak / 2**30, 2)}
    run["as_expected"] = low <= run["removed"] <= high
    if with_peer:
        python, cores = peer_python(*DATATROVE), str(cores_of(Cluster()))
        script = Path(__file__).with_name("peer_dedup.py")
        peer = run_peer(python, script, str(texts), str(folder / "peer"), cores, str(len(list(texts.iterdir()))))
        left = sum(pq.read_metadata(path).num_rows for path in (folder / "peer" / "output").glob("*.parquet"))
        run["datatrove"] = peer | {"removed": count - left}
        run["times_datatrove"] = round(peer["total"] / run["seconds"], 1)
        run["as_expected"] &= low <= count - left <= high
    return run


def deduplicate(texts: str, out: str) -> dict:
    from functools import partial

    from curation.dedup_rows.run import deduplicate_rows
    from curation.spark import start_session

    recipe = load_recipe("dedup", ["near_duplicates.verify=none"])
    cores = cores_of(Cluster())
    spark = start_session(cores, {"spark.ui.enabled": "true", "spark.ui.port": "0"})
    started = time.perf_counter()
    result = deduplicate_rows(partial(lambda: spark), recipe, [texts], out, cores=cores)
    seconds = time.perf_counter() - started
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    shuffled = sum(executors.apply(n).totalShuffleWrite() for n in range(executors.size()))
    megabytes = sum(path.stat().st_size for path in Path(texts).iterdir()) / 1e6
    spark.stop()
    return {
        "seconds": round(seconds, 1), "removed": sum(result.removed.values()), "shuffle_mb": round(shuffled / 1e6, 1),
        "shuffle_bytes_per_document": round(shuffled / result.rows), "input_mb": round(megabytes, 1),
    }  # fmt: skip


def write_documents(folder: Path, count: int) -> np.ndarray:
    """Files of 25,000 documents or fewer; returns for each copy the chance that it shares a band with its original."""
    folder.mkdir()
    random = np.random.default_rng(count)
    letters = np.array(list("eeeettaaooiinnsshhrrddlluucmfwgypbvk"))
    vocabulary = np.array(["".join(random.choice(letters, size=n)) for n in random.integers(3, 9, 50_000)])
    copies = int(count * COPIES)
    size = min(25_000, count // 4)
    changes = random.integers(1, MOST_CHANGED + 1, copies)
    originals = random.permutation(count - copies)[:copies]
    for number, start in enumerate(range(0, count, size)):
        texts = []
        for place in range(start, min(start + size, count)):
            # A document is a function of its number: a copy makes its original again and changes some words.
            original = place if place < count - copies else int(originals[place - count + copies])
            own = np.random.default_rng(original)
            words = vocabulary[own.integers(0, len(vocabulary), WORDS)]
            if place >= count - copies:
                slots = own.permutation(np.arange(5, WORDS - 5, 6))[: changes[place - count + copies]]
                words[slots] = [f"x{place}q{slot}" for slot in slots]
            texts.append(" ".join(words.tolist()))
        ids = [str(n) for n in range(start, start + len(texts))]
        pq.write_table(pa.table({"id": ids, "text": texts}), folder / f"{number:05d}.parquet", row_group_size=2_000)
    shingles = WORDS - 4
    return candidate_probability((shingles - 5 * changes) / (shingles + 5 * changes), 14, 8)


def normal_interval(chances: np.ndarray) -> tuple[int, int]:
    """99.9 % interval of the number of successes; exact enough for thousands of trials."""
    middle, spread = chances.sum(), 3.29 * np.sqrt((chances * (1 - chances)).sum())
    return int(middle - spread), int(middle + spread) + 1


class Memory:
    """Peak of the resident memory of a process and everything it started, in bytes, while the block runs."""

    def __init__(self, pid: int):
        self._pid, self.peak, self._stop = pid, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *failure) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.2):
            self.peak = max(self.peak, sum(map(_resident, _tree(self._pid))))


def _tree(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:  # it ended meanwhile
            continue
    return found


def _resident(pid: int) -> int:
    """Proportional set size: pages shared between forked workers count once."""
    try:
        line = next(one for one in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if one.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
