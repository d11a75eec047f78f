"""Claim: 8 million tokens a second on one core, 10 times `tokenizers`, and equal ids for every real page.

    python benchmarks/encoding_speed.py [--vocab-size 50257] [--check]

A tokenizer is trained on half of the real pages in CURATION_REAL_DATA (their visible text, all languages). Speed is
measured on the other half, with a fresh encoder each time, so no text was seen before; CPU time, all sides in one run.
Ids are compared with those of `tokenizers` for every page of both halves. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from real_pages import real_pages
from tokenizers import Tokenizer

from curation.score.language import fasttext
from curation.stage import annotate, run_stages
from curation.tokens.engines import plain_spec
from curation.tokens.tokenizer import FrozenTokenizer
from curation.tokens.train import train_tokenizer

DATA = Path(os.environ.get("CURATION_REAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
GOALS = {"million_tokens_per_second": 8, "times_tokenizers": 10, "pages_equal": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vocab-size", type=int, default=50_257)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    arguments = parser.parse_args()
    languages, texts = pages()
    halves = ([], [])
    for text in texts:
        halves[hashlib.sha256(text.encode()).digest()[0] % 2].append(text)
    content = train_tokenizer(halves[0], vocab_size=arguments.vocab_size)
    engines = {name: lambda name=name: FrozenTokenizer(content, engine=name) for name in ("gigatoken", "tiktoken")}
    speeds = {name: speed(lambda make=make: make().encode, halves[1], arguments.runs) for name, make in engines.items()}
    speeds["tokenizers"] = speed(lambda: reference(content), halves[1], 1)
    equal, different = compare(content, texts)
    best = speeds["gigatoken"]
    result = {
        "pages": len(texts),
        "megabytes": round(sum(len(text.encode()) for text in texts) / 1e6, 1),
        "languages": len(languages),
        "largest_languages": dict(languages.most_common(12)),
        "vocab_size": arguments.vocab_size,
        "engine_taken": FrozenTokenizer(content).engine,
        "million_tokens_per_second_by_engine": {name: round(one, 2) for name, one in speeds.items()},
        "million_tokens_per_second": round(best, 2),
        "times_tokenizers": round(best / speeds["tokenizers"], 1),
        "pages_equal": equal / len(texts),
        "pages_different": different[:5],
    }
    result["missed"] = [name for name, goal in GOALS.items() if result[name] < goal]
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def pages() -> tuple[Counter[str], list[str]]:
    """Pages by language, and their different texts."""
    label = [annotate("language", fasttext, ["language", "language_score"])]
    languages: Counter[str] = Counter()
    texts: dict[str, None] = {}
    for page in real_pages(DATA / "snapshots", 1 << 30):
        if page.text not in texts:
            texts[page.text] = None
            run_stages(label, [page])
            languages[page.language] += 1
    return languages, list(texts)


def speed(opened: Callable[[], Callable[[str], np.ndarray]], texts: list[str], runs: int) -> float:
    """Million tokens per second of CPU time, the median of `runs` fresh encoders; opening one is not counted."""
    found = []
    for _ in range(runs):
        encode = opened()
        encode("warm")
        start = time.process_time()
        tokens = sum(len(encode(text)) for text in texts)
        found.append(tokens / (time.process_time() - start) / 1e6)
    return statistics.median(found)


def reference(content: bytes) -> Callable[[str], list[int]]:
    library = Tokenizer.from_str(json.dumps(plain_spec(json.loads(content))))
    return lambda text: library.encode(text, add_special_tokens=False).ids


def compare(content: bytes, texts: list[str]) -> tuple[int, list[str]]:
    """Pages whose ids are equal, and the beginnings of those whose ids are not."""
    ours, theirs = FrozenTokenizer(content), reference(content)
    different = [text[:60] for text in texts if ours.encode(text).tolist() != theirs(text)]
    return len(texts) - len(different), different


if __name__ == "__main__":
    main()
