"""A trainer that is killed again and again sees the rows that one sees which runs through."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_shards import write_source
from trainer import line_of

from curation.reader import ShardReader
from curation.tokens import shards as shard_module

pytestmark = pytest.mark.recovery

MIXTURE = {
    "phases": [
        {"name": "main", "sequence_length": None, "sources": {"web": {"epochs": 1.7}, "wiki": {"epochs": 3.1}}},
        {"name": "anneal", "sequence_length": None, "sources": {"web": {"epochs": 0.2}, "wiki": {"epochs": 1.0}}},
    ]
}


@pytest.mark.parametrize(("packing", "length", "kills"), [("best_fit", 0, 20), ("none", 32, 4)])
def test_kills_at_random_rows_change_nothing(tmp_path, monkeypatch, packing, length, kills):
    monkeypatch.setattr(shard_module, "ROW_GROUP_TOKENS", 512)
    tokens_dir = tmp_path / "tokens"
    for name, documents in (("web", 9000), ("wiki", 1500)):
        write_source(tokens_dir, name, [(n, 1 + n * 7 % 40) for n in range(documents)], packing, 32, shards=3)
    mixture = tmp_path / "mixture.json"
    mixture.write_text(json.dumps(MIXTURE))
    reader = ShardReader(tokens_dir, mixture, rank=1, world=2, seed=5, sequence_length=length or None)
    expected = [line_of(row) for row in reader]
    draw = random.Random(packing)
    points = sorted(draw.sample(range(1, len(expected) - 200), kills))
    for point in points:
        assert killed_at(point, [tokens_dir, mixture, 1, 2, length, tmp_path], len(expected[0]))
    run_through([tokens_dir, mixture, 1, 2, length, tmp_path])
    assert (tmp_path / "seen").read_bytes() == b"".join(expected)


def start(arguments: list) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("trainer.py")), *map(str, arguments)], env=environment
    )


def killed_at(row: int, arguments: list, line: int) -> bool:
    """Start the trainer and kill it once it has seen about so many rows; whether it was still running then."""
    process, seen = start(arguments), arguments[-1] / "seen"
    while process.poll() is None and (not seen.is_file() or seen.stat().st_size < row * line):
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def run_through(arguments: list) -> None:
    assert start(arguments).wait() == 0
    assert (arguments[-1] / "done").is_file()
