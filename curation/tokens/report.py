"""How well a tokenizer compresses text it was not trained on: by language and source, beside other tokenizers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from curation.tokens.tokenizer import FrozenTokenizer, per_token

Judged = tuple[str, str, str]  # source, language, text


def compression_report(tokenizers: Mapping[str, FrozenTokenizer], texts: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """For each tokenizer by its name: `vocab_size`, and characters and bytes per token in `all`, `language`, `source`.

    More is better. `tokens` are counted without special tokens.
    """
    return {name: {"vocab_size": one.vocab_size, **_rates(one, texts)} for name, one in tokenizers.items()}


def _rates(tokenizer: FrozenTokenizer, texts: Sequence[Judged]) -> dict[str, Any]:
    counts: dict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros(3, dtype=np.int64))
    for source, language, text in texts:
        sizes = (len(text), len(text.encode("utf-8")), len(tokenizer.encode(text)))
        for group in (("all", ""), ("language", language), ("source", source)):
            counts[group] += sizes
    whole = counts.pop(("all", ""), np.zeros(3, dtype=np.int64))
    report: dict[str, Any] = {"all": _facts(whole), "language": {}, "source": {}}
    for (kind, name), sizes in sorted(counts.items()):
        report[kind][name] = _facts(sizes)
    return report


def _facts(sizes: np.ndarray) -> dict[str, float]:
    chars, size, tokens = sizes.tolist()
    return {**per_token(chars, size, tokens), "bytes": size, "tokens": tokens}
