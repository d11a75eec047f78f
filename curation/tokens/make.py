"""From curated documents to the frozen tokenizer: sample, training or import, proof, and a report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from curation.mixture import MixtureSettings
from curation.tokens.pretokens import choose_pattern
from curation.tokens.report import Judged, compression_report
from curation.tokens.sample import (
    WEIGHT_ONE,
    SourceSample,
    held_out_texts,
    judged_sources,
    keep_commonest,
    plan_sample,
    read_counts,
    write_counts,
)
from curation.tokens.settings import TokenizerSettings, TrainSettings
from curation.tokens.tiktoken_file import read_tokenizer
from curation.tokens.tokenizer import FrozenTokenizer, freeze
from curation.tokens.train import learn_merges, pieces_of, tokenizer_json

TOKENIZER, REPORT = "tokenizer.json", "tokenizer_report.json"
CHECK_BYTES = 4 * 2**20  # on which encoder and round trip are checked: seconds of the reference encoder
IMPORT_SAMPLE = 2**30  # bytes; an imported tokenizer only needs the held-out part of a plan


def make_tokenizer(
    documents: DataFrame,
    settings: TokenizerSettings,
    folder: Path,
    *,
    seed: int = 1,
    mixture: MixtureSettings | None = None,
    notes: Sequence[str] = (),
    beside: Mapping[str, FrozenTokenizer] | None = None,
) -> FrozenTokenizer:
    """Train or import the tokenizer, prove it on held-out text, and write tokenizer.json and tokenizer_report.json.

    `documents` has doc_id, source, language and text; `mixture` weights the sources of the sample (see `plan_sample`).
    The report repeats `notes` and compares with `beside`, tokenizers by name. `folder` must be one that workers reach.

    Raises TokenizerError where the tokenizer is not exact, and what `plan_sample` raises.
    """
    train = settings.train
    if train is None:
        content, others, learned = read_tokenizer(settings), {}, None
        plan = plan_sample(documents, seed, IMPORT_SAMPLE)
    else:
        plan = plan_sample(documents, seed, train.sample_bytes, mixture)
        content, others, learned = _trained(documents, train, plan, seed, folder)
    judged = held_out_texts(documents, plan, seed)
    eos_token = settings.eos_token or (train.special_tokens[0] if train else None)
    frozen = freeze(content, _checked(judged), folder / TOKENIZER, eos_token=eos_token, engine=settings.engine)
    rungs = {name: FrozenTokenizer(one, eos_token=eos_token) for name, one in others.items()}
    report = {
        "sha256": frozen.sha256,
        "vocab_size": frozen.vocab_size,
        "engine": frozen.engine,
        "settings": settings.model_dump(mode="json", exclude_none=True),
        "sample": _told(plan) if train else None,
        "training": learned,
        "notes": list(notes),
        "judged_on": {
            "documents": len(judged),
            "bytes": sum(len(text.encode("utf-8")) for *_, text in judged),
            "held_out": judged_sources(plan)[1],
            "sources": judged_sources(plan)[0],
        },
        "compression": compression_report({"this": frozen, **rungs, **(beside or {})}, judged),
    }
    (folder / REPORT).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return frozen


def _trained(
    documents: DataFrame, train: TrainSettings, plan: Mapping[str, SourceSample], seed: int, folder: Path
) -> tuple[bytes, dict[str, bytes], dict[str, Any]]:
    """tokenizer.json, those of the other sizes that the data allow, and what was learned from what."""
    counts = folder / "pretokens"
    write_counts(documents, plan, seed, choose_pattern(train.pattern, train.split_digits).regex, counts)
    least, facts = keep_commonest(documents.sparkSession.read.parquet(str(counts)), train.max_pretokens)
    words = read_counts(counts, least)
    shutil.rmtree(counts)
    special = len(train.special_tokens) + train.reserved_tokens
    merges = learn_merges(words, max((train.vocab_size, *train.compare_sizes)) - special)
    possible = pieces_of(merges) + special
    options = train.model_dump(include={"split_digits", "pattern", "special_tokens", "reserved_tokens"})
    sizes = sorted({size for size in train.compare_sizes if size <= possible} - {train.vocab_size})
    others = {
        f"{size:,}": tokenizer_json(merges, vocab_size=size, **options) for size in sizes if size >= 256 + special
    }
    content = tokenizer_json(merges, vocab_size=train.vocab_size, **options)
    return content, others, {**facts, "largest_vocabulary": possible if possible < train.vocab_size else None}


def _checked(judged: Sequence[Judged]) -> list[str]:
    """The texts on which every id is compared: of each source and language in turn, up to CHECK_BYTES."""
    groups: dict[tuple[str, str], list[str]] = {}
    for source, language, text in judged:
        groups.setdefault((source, language), []).append(text)
    chosen, size = [], 0
    for turn in range(max(map(len, groups.values()), default=0)):
        for texts in groups.values():
            if turn < len(texts) and (not chosen or size + len(texts[turn].encode("utf-8")) <= CHECK_BYTES):
                chosen.append(texts[turn])
                size += len(texts[turn].encode("utf-8"))
    return chosen


def _told(plan: Mapping[str, SourceSample]) -> dict[str, Any]:
    counted = sum(one.counted for one in plan.values())
    return {
        source: {
            "bytes_held": one.held,
            "bytes_drawn": one.drawn,
            "times": round(one.weight / WEIGHT_ONE, 4),
            "share_asked": None if one.asked is None else round(one.asked, 6),
            "share": round(one.counted / counted, 6),
        }
        for source, one in plan.items()
    }
