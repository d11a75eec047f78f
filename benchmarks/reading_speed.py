"""Claim: one core reads 20 million tokens a second from shards, in the shares of the mixture.

    python benchmarks/reading_speed.py [--tokens 60] [--check]

Shards of made-up documents (log-normal lengths of median 500, ids of a Zipf distribution over 32,000) of three sources,
packed by best fit at 2,048 tokens, read by a mixture of 67, 23 and 10 %. CPU time of this process, median of five, the
files in the page cache. `decoded_by_ranks`: tokens that 8 ranks decode together, as a multiple of the tokens they get.
`repacked`: documents stored whole, packed to 4,096 tokens while reading. `share_error`: the largest deviation of a
source's share of the first million rows from the mixture, read through the reader from shards of short rows.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import statistics
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np

from curation.mixture import MixtureSettings, solve
from curation.reader import ShardReader, source
from curation.tokens.pack import pack
from curation.tokens.shards import ShardInfo, tokens_by_source, write_shard
from curation.tokens.tokenizer import token_bytes
from curation.tokens.train import train_tokenizer

GOAL_SPEED, GOAL_SHARE = 20.0, 0.001  # million tokens a second; absolute deviation
SHARES = {"code": 0.1, "web": 0.67, "wiki": 0.23}
VOCABULARY, END = 32_000, 31_999
REPEATS = 5
ROWS = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=60, help="millions of tokens to read")
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        tokens = arguments.tokens * 10**6
        packed = make_shards(root / "packed", "best_fit", 2048, tokens)
        result = {"million_tokens_per_second": speed(root / "packed", packed)}
        result["decoded_by_ranks"] = {ranks: decoded(root / "packed", packed, ranks) for ranks in (1, 2, 8, 64)}
        whole = make_shards(root / "whole", "none", 2048, tokens)
        start = time.process_time()
        ShardReader(root / "whole", whole, sequence_length=4096)
        result["repacked_start_seconds"] = round(time.process_time() - start, 3)
        result["repacked_million_tokens_per_second"] = speed(root / "whole", whole, sequence_length=4096)
        short = make_shards(root / "short", "concat", 16, ROWS * 16 // 2)
        result["share_error"] = share_error(root / "short", short)
    missed = []
    if result["million_tokens_per_second"] < GOAL_SPEED:
        missed.append(f"{result['million_tokens_per_second']} million tokens a second, the goal is {GOAL_SPEED}")
    if result["share_error"] > GOAL_SHARE:
        missed.append(f"a share is off by {result['share_error']}, the goal is {GOAL_SHARE}")
    print(json.dumps({**result, "missed": missed}))
    if arguments.check and missed:
        sys.exit("; ".join(missed))


def make_shards(root: Path, packing: str, length: int, tokens: int) -> dict:
    """Four shards a source, each source a third of the tokens; returns a mixture of as many tokens."""
    draw = np.random.default_rng(0)
    tokenizer = made_tokenizer()
    sizes = token_bytes(tokenizer)
    for name in SHARES:
        for number in range(4):
            lengths = np.maximum(1, np.exp(draw.normal(np.log(500), 1.0, size=tokens // 12 // 824))).astype(int)
            ids = np.minimum(draw.zipf(1.2, size=int(lengths.sum())), END - 1).astype(np.int32)
            doc_ids = draw.integers(2**62, size=len(lengths)).tolist()
            documents = zip(doc_ids, np.split(ids, np.cumsum(lengths)[:-1]), strict=True)
            info = ShardInfo(hashlib.sha256(tokenizer).hexdigest(), VOCABULARY, length, END, packing, name, "train")
            rows = pack(documents, packing, length, END, sizes)
            write_shard(root / "train" / name / f"part-{number:05d}.parquet", info, rows)
    (root / "tokenizer.json").write_bytes(tokenizer)
    return solve(tokens_by_source(root), MixtureSettings(budget_tokens=tokens, sources=SHARES))


def made_tokenizer() -> bytes:
    """The 256 bytes, made-up tokens of two to four letters, and the end token."""
    spec = json.loads(train_tokenizer(["a"], vocab_size=257))
    vocabulary = spec["model"]["vocab"]
    letters = sorted(piece for piece in vocabulary if piece.isascii() and len(piece) == 1 and piece.isalpha())
    words = ("".join(word) for size in (2, 3, 4) for word in itertools.product(letters, repeat=size))
    vocabulary.pop("<|endoftext|>", None)
    while len(vocabulary) < END:
        vocabulary[next(words)] = len(vocabulary)
    spec["added_tokens"][0]["id"] = END
    return json.dumps(spec).encode()


def speed(root: Path, mixture: dict, **options: int) -> float:
    rates = []
    for _ in range(REPEATS):
        reader = ShardReader(root, mixture, **options)
        start, tokens = time.process_time(), 0
        for row in reader:
            tokens += len(row["input_ids"])
        rates.append(tokens / (time.process_time() - start) / 1e6)
    return round(statistics.median(rates), 1)


def decoded(root: Path, mixture: dict, ranks: int) -> float:
    """Tokens in the units that the ranks decode, over the tokens of their rows."""
    counted = {"decoded": 0}
    original = source.SourceRows._decode

    def counting(self, unit):
        rows = original(self, unit)
        counted["decoded"] += sum(len(row.input_ids) for row in rows)
        return rows

    source.SourceRows._decode = counting
    try:
        readers = [ShardReader(root, mixture, rank=rank, world=ranks) for rank in range(ranks)]
        read = sum(len(row["input_ids"]) for reader in readers for row in reader)
    finally:
        source.SourceRows._decode = original
    return round(counted["decoded"] / read, 2)


def share_error(root: Path, mixture: dict) -> float:
    counts = dict.fromkeys(SHARES, 0)
    for row in islice(ShardReader(root, mixture), ROWS):
        counts[row["source"]] += 1
    total = sum(counts.values())
    return round(max(abs(counts[name] / total - share) for name, share in SHARES.items()), 6)


if __name__ == "__main__":
    main()
