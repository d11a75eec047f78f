"""Claims: merges equal those of `tokenizers`; ten times the text takes less than 1.5 times the memory; no overflow.

    python benchmarks/tokenizer_training.py [--megabytes 10] [--check]

Merges: the visible text of the real pages in CURATION_REAL_DATA, up to 128,000 tokens, all merges compared.
Memory: made texts whose words never end (Zipf's law over all integers), N and 10 N megabytes, sampled, counted on Spark
and trained in a process of their own; the peak is the sum over the process and its children, the JVM among them. Two
files or more, so that both workers are busy in either.
Overflow: a pair that occurs 2.16 * 10^9 times, given to `tokenizers` and to our trainer. The last line is one JSON
object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from curation.tokens.pretokens import PATTERNS, TRAIN_RUN_CHARS, count_pretokens, cut_long_runs
from curation.tokens.train import learn_merges

DATA = Path(os.environ.get("CURATION_REAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PATTERN, VOCABULARY, MOST_PRETOKENS = "qwen35", 128_000, 100_000
JVM = {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "4", "spark.ui.enabled": "false"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=10, help="the smaller of two texts, in files of 5 MB")
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    parser.add_argument("--train", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        print(json.dumps(train_watched(arguments.train)))
        return
    memory = {size: in_own_process(size) for size in (arguments.megabytes, 10 * arguments.megabytes)}
    small, large = memory.values()
    result = {
        **merges(),
        **overflow(),
        "memory": memory,
        "memory_grows": round(large["peak_megabytes"] / small["peak_megabytes"], 2),
        "memory_grows_python": round(large["python_megabytes"] / small["python_megabytes"], 2),
    }
    missed = {
        "merges": not result["merges_equal"],
        "memory": result["memory_grows"] >= 1.5 or result["memory_grows_python"] >= 1.5,
        "overflow": result["ours_merges_the_commonest_pair"] is False,
    }
    result["missed"] = [name for name, yes in missed.items() if yes]
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def merges() -> dict[str, object]:
    from real_pages import real_pages

    texts = list({page.text: None for page in real_pages(DATA / "snapshots", 1 << 30)})
    start = time.process_time()
    counts = count_pretokens(texts, PATTERNS[PATTERN].regex)
    counted = time.process_time()
    ours = learn_merges(counts, VOCABULARY)
    trained = time.process_time()
    theirs = library_merges((part for text in texts for part in cut_long_runs(text, TRAIN_RUN_CHARS)), VOCABULARY)
    return {
        "megabytes": round(sum(len(text.encode()) for text in texts) / 1e6, 1),
        "pretokens": len(counts),
        "merges": len(ours),
        "merges_equal": [list(merge) for merge in ours] == theirs,
        "seconds_counting": round(counted - start, 1),
        "seconds_training": round(trained - counted, 1),
        "seconds_tokenizers": round(time.process_time() - trained, 1),
    }


def library_merges(texts, vocab_size: int) -> list[list[str]]:
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PATTERNS[PATTERN].regex), behavior="isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_bytes])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return json.loads(tokenizer.to_str())["model"]["merges"]


def overflow() -> dict[str, object]:
    """A word of 60,000 letters a, 36,000 times: 2,159,964,000 pairs `aa`; and `bc` five times."""
    word, times = "a" * 60_000, 36_000
    theirs = library_merges((text for text in [word] * times + ["bc"] * 5), 257)
    ours = learn_merges({word: times, "bc": 5}, 257)
    return {
        "tokenizers_merges_the_commonest_pair": theirs[:1] == [["a", "a"]],
        "ours_merges_the_commonest_pair": ours[:1] == [("a", "a")],
    }


def in_own_process(megabytes: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        write_texts(Path(folder) / "texts", megabytes)
        done = subprocess.run(
            [sys.executable, __file__, "--train", folder], check=True, stdout=subprocess.PIPE, text=True
        )
    return json.loads(done.stdout.strip().splitlines()[-1])


def write_texts(folder: Path, megabytes: int) -> None:
    """Files of 5 MB; a word is a number by Zipf's law, spelt in letters, so new words never end."""
    folder.mkdir()
    random, letters = np.random.default_rng(4), np.array(list("etaoinshrdlucmfwypvbgk"))
    for part in range(0, megabytes, 5):
        ranks = random.zipf(1.25, size=1_850_000)
        ranks = ranks[ranks < 22**9]
        digits = [letters[(ranks // 22**place) % 22] for place in range(9)]
        lengths = np.ceil(np.log(ranks + 1) / np.log(22)).astype(int)
        words = ["".join(spelt)[:length] for *spelt, length in zip(*digits, lengths, strict=True)]
        texts = [" ".join(words[at : at + 500]) for at in range(0, len(words), 500)]
        ids = range(part * 10_000, part * 10_000 + len(texts))
        table = pa.table({"doc_id": pa.array(ids, pa.int64()), "source": ["web"] * len(texts), "text": texts})
        table = table.append_column("language", pa.array([""] * len(texts)))
        pq.write_table(table, folder / f"{part:05d}.parquet", row_group_size=500)


def train_watched(folder: Path) -> dict[str, float]:
    from curation.spark import local_session
    from curation.tokens.make import REPORT, make_tokenizer
    from curation.tokens.settings import TokenizerSettings, TrainSettings

    with Watch() as watch:
        spark = local_session(2, JVM)
        documents = spark.read.parquet(str(folder / "texts"))
        train = TrainSettings(vocab_size=32_000, max_pretokens=MOST_PRETOKENS, sample_bytes=2**40, compare_sizes=())
        out = folder / "out"
        out.mkdir()
        make_tokenizer(documents, TokenizerSettings(train=train), out)
        spark.stop()
    report = json.loads((out / REPORT).read_text(encoding="utf-8"))
    told = {name: report["training"][name] for name in ("pretokens", "kept", "occurrences", "kept_occurrences")}
    drawn = sum(one["bytes_drawn"] for one in report["sample"].values())
    return {"drawn_megabytes": round(drawn / 1e6, 1), **told, **watch.peaks()}


class Watch:
    """Peak resident memory of this process and its children, looked at ten times a second."""

    def __enter__(self) -> Watch:
        self._peak = self._python = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def peaks(self) -> dict[str, float]:
        return {"peak_megabytes": round(self._peak / 1024), "python_megabytes": round(self._python / 1024)}

    def _look(self) -> None:
        while not self._done.wait(0.1):
            parents, sizes, java = {}, {}, set()
            for status in Path("/proc").glob("[0-9]*/status"):
                try:
                    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
                except OSError:  # the process ended in between
                    continue
                pid = int(status.parent.name)
                parents[pid], sizes[pid] = int(fields["PPid"]), int(fields.get("VmRSS", "0").split()[0])
                if fields["Name"].strip().startswith("java"):
                    java.add(pid)
            family = {os.getpid()}
            while more := {pid for pid, parent in parents.items() if parent in family} - family:
                family |= more
            self._peak = max(self._peak, sum(sizes.get(pid, 0) for pid in family))
            self._python = max(self._python, sum(sizes.get(pid, 0) for pid in family - java))


if __name__ == "__main__":
    main()
