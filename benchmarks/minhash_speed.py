"""Claim: the kernel signs texts tens of times faster than datasketch fed with shingles made in Python.

    python benchmarks/minhash_speed.py [--megabytes 40] [--file texts.txt]

Both sides sign the same texts on one core in one run, word 5-grams and 112 hashes: from UTF-8 text to signature,
normalising included. The peer runs on a share of the texts (it is slow), twice: with the same comparison form, and
with the least a user could do (`text.lower().split()`). Texts are made (words by Zipf's law) or, with --file, the
lines of a file. The last line printed is one JSON object; the ratios carry from machine to machine better than the
speeds do.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from datasketch import MinHash

from curation.dedup.form import form_words
from curation.dedup.kernel import exact_keys, signatures

NGRAM, HASHES, SEED = 5, 112, 1
PEER_SHARE = 0.02  # of the bytes, for the peer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=40.0)
    parser.add_argument("--file", type=Path)
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
    }
    result = {
        "texts": len(texts),
        "megabytes": round(size(column) / 1e6, 1),
        "megabytes_per_second": {name: round(speed, 2) for name, speed in figures.items()},
        "times_datasketch_same_form": round(figures["kernel"] / figures["datasketch_same_form"], 1),
        "times_datasketch_split": round(figures["kernel"] / figures["datasketch_split"], 1),
    }
    print(json.dumps(result))


def peer(words: list[str]) -> np.ndarray:
    signature = MinHash(num_perm=HASHES, seed=SEED, scheme="affine32")
    signature.update_batch([" ".join(words[k : k + NGRAM]).encode() for k in range(len(words) - NGRAM + 1)])
    return signature.hashvalues


def best_speed(work: Callable[[], object], texts: pa.Array, runs: int = 3) -> float:
    """Megabytes (10^6 bytes of UTF-8) per second, the best of `runs`: the others measure the neighbours."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
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
