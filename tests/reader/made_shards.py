"""Shards of made-up documents for the tests of the reader, over the tokenizer of the 256 bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from curation.tokens.pack import pack
from curation.tokens.shards import Counts, ShardInfo, write_shard
from curation.tokens.tokenizer import token_bytes
from curation.tokens.train import train_tokenizer

TOKENIZER = train_tokenizer(["a"], vocab_size=257)
END = 256
BYTES = token_bytes(TOKENIZER)  # 1 each, 0 of the end token


def write_source(
    root: Path, name: str, documents: list[tuple[int, int]], packing: str, length: int, shards: int = 1
) -> dict[str, Counts]:
    """Shards of documents given as (doc_id, tokens); token n of a document is its number plus n, modulo 256."""
    root.mkdir(exist_ok=True)
    (root / "tokenizer.json").write_bytes(TOKENIZER)
    written = {}
    for number in range(shards):
        part = documents[number * len(documents) // shards : (number + 1) * len(documents) // shards]
        arrays = ((doc_id, ids_of(doc_id, tokens)) for doc_id, tokens in part)
        info = ShardInfo(hashlib.sha256(TOKENIZER).hexdigest(), END + 1, length, END, packing, name, "train")
        path = root / "train" / name / f"part-{number:05d}.parquet"
        written[str(path.relative_to(root))] = write_shard(path, info, pack(arrays, packing, length, END, BYTES)).counts
    return written


def ids_of(doc_id: int, tokens: int) -> np.ndarray:
    return ((doc_id + np.arange(tokens)) % 256).astype(np.int32)


def write_summary(root: Path, written: dict[str, Counts]) -> None:
    (root / "summary.json").write_text(json.dumps({"files": {name: list(counts) for name, counts in written.items()}}))
