"""Run by minhash_speed.py inside the peers' environment: signs a JSON list of texts with datatrove and with rensa."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

NGRAM, HASHES = 5, 112


def main() -> None:
    texts = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    few = texts[: max(1, int(len(texts) * float(sys.argv[2])))]
    print(json.dumps({"datatrove": speed(datatrove_signer(), few), "rensa": speed(rensa_signer(), texts)}))


def datatrove_signer() -> Callable[[str], object]:
    """Stage 1 as `MinhashDedupSignature.run` does it for each document, with its defaults (English)."""
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature

    config = MinhashConfig(n_grams=NGRAM, num_buckets=14, hashes_per_bucket=8)
    stage = MinhashDedupSignature("/nowhere", config=config)
    return lambda text: stage.get_signature(stage.get_shingles(text))


def rensa_signer() -> Callable[[str], object]:
    """Shingles made in Python, as its README does, of words split at white space."""
    from rensa import RMinHash

    def sign(text: str) -> object:
        words = text.lower().split()
        minhash = RMinHash(num_perm=HASHES, seed=1)
        minhash.update([" ".join(words[k : k + NGRAM]) for k in range(len(words) - NGRAM + 1)])
        return minhash.digest()

    return sign


def speed(sign: Callable[[str], object], texts: list[str]) -> float:
    """Megabytes (10^6 bytes of UTF-8) per second of CPU time, the best of three."""
    sign(texts[0])
    seconds = []
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            sign(text)
        seconds.append(time.process_time() - start)
    return sum(len(text.encode()) for text in texts) / 1e6 / min(seconds)


if __name__ == "__main__":
    main()
