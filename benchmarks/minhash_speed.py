"""Claim: text to signature at 60 MB/s/core or more; at least 100 times datatrove, 20 datasketch, 5 rensa.

    python benchmarks/minhash_speed.py [--megabytes 40] [--file texts.txt] [--check]

All sides sign the same texts on one core in one run, word 5-grams and 112 hashes: from UTF-8 text to signature.
Normalising is included here, in datatrove and in `datasketch_same_form`; `datasketch_split` and rensa get the least a
user could do (`text.lower().split()`). Slow peers run on a share of the texts. Texts are made (words by Zipf's law) or,
with --file, the lines of a file. The last line printed is one JSON object; ratios carry from machine to machine better
than speeds do.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from datasketch import MinHash
from peers import DATATROVE, peer_python, run_peer

from curation.dedup.form import form_words
from curation.dedup.kernel import exact_keys, signatures

NGRAM, HASHES, SEED = 5, 112, 1
PEER_SHARE = 0.02  # of the texts, for slow peers
PEERS = (*DATATROVE, "rensa==0.5.0")
GOALS = {"kernel_megabytes_per_second": 60, "times_datatrove": 100, "times_datasketch_split": 20, "times_rensa": 5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=40.0)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    arguments = parser.parse_args()
    texts = read_texts(arguments.file) if arguments.file else made_texts(arguments.megabytes, english_words())
    chinese = made_texts(arguments.megabytes / 4, [chr(code) for code in range(0x4E00, 0x5800)], space="")
    few = texts[: max(1, int(len(texts) * PEER_SHARE))]
    signatures(pa.array(few[:2]), ngram=NGRAM, hashes=HASHES)  # compiles, or reads the compiled code
    exact_keys(pa.array(few[:2]))

    figures = {
        "kernel": best_speed(lambda: signatures(column, ngram=NGRAM, hashes=HASHES), column := pa.array(texts)),
        "kernel_chars": best_speed(lambda: signatures(column, ngram=24, hashes=HASHES, unit="char"), column),
        "kernel_chinese": best_speed(lambda: signatures(hanzi, ngram=NGRAM, hashes=HASHES), hanzi := pa.array(chinese)),
        "exact_keys": best_speed(lambda: exact_keys(column), column),
        "datasketch_same_form": best_speed(lambda: [peer(form_words(text)) for text in few], pa.array(few), runs=1),
        "datasketch_split": best_speed(lambda: [peer(text.lower().split()) for text in few], pa.array(few), runs=1),
        **other_peers(texts[: max(1, int(len(texts) * 10 * PEER_SHARE))]),
    }
    times = {f"times_{name}": round(figures["kernel"] / figures[name], 1) for name in figures if "kernel" not in name}
    result = {
        "texts": len(texts),
        "megabytes": round(size(column) / 1e6, 1),
        "megabytes_per_second": {name: round(speed, 2) for name, speed in figures.items()},
        **{name: ratio for name, ratio in times.items() if name != "times_exact_keys"},
    }
    reached = {"kernel_megabytes_per_second": figures["kernel"], **times}
    result["missed"] = [name for name, goal in GOALS.items() if reached[name] < goal]
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def other_peers(texts: list[str]) -> dict[str, float]:
    """Speeds of datatrove, on a tenth of these texts, and of rensa."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts), encoding="utf-8")
        script = Path(__file__).with_name("peer_signatures.py")
        return run_peer(peer_python(*PEERS), script, str(file), "0.1")


def peer(words: list[str]) -> np.ndarray:
    signature = MinHash(num_perm=HASHES, seed=SEED, scheme="affine32")
    signature.update_batch([" ".join(words[k : k + NGRAM]).encode() for k in range(len(words) - NGRAM + 1)])
    return signature.hashvalues


def best_speed(work: Callable[[], object], texts: pa.Array, runs: int = 3) -> float:
    """Megabytes (10^6 bytes of UTF-8) per second of CPU time, the best of `runs`: the others measure the neighbours."""
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return size(texts) / 1e6 / min(seconds)


def size(texts: pa.Array) -> int:
    return sum(len(text.as_py().encode()) for text in texts)


def english_words() -> list[str]:
    random = np.random.default_rng(1)
    letters = np.array(list("eeeettaaooiinnsshhrrddlluucmfwgypbvk"))
    return ["".join(random.choice(letters, size=length)) for length in random.integers(2, 10, 20_000)]


def made_texts(megabytes: float, words: list[str], space: str = " ") -> list[str]:
    """Texts of some 500 words, lengths log-normal, a sentence every 12 words."""
    random = np.random.default_rng(2)
    weights = 1 / np.arange(1, len(words) + 1)
    weights /= weights.sum()
    texts, total = [], 0
    while total < megabytes * 1e6:
        drawn = [
            words[place] for place in random.choice(len(words), size=int(random.lognormal(6, 0.8)) + 10, p=weights)
        ]
        sentences = [space.join(drawn[start : start + 12]).capitalize() for start in range(0, len(drawn), 12)]
        texts.append(f".{space}".join(sentences))
        total += len(texts[-1].encode())
    return texts


def read_texts(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


if __name__ == "__main__":
    main()
