"""Claim: MinHash finds pairs of real pages as often as the S-curve says, and what it finds is similar.

    python benchmarks/minhash_recall.py --pages FOLDER [--check]

FOLDER holds gold/articles.jsonl.gz and snapshots/ (the real pages of the tests). Recall: each article edited to Jaccard
0.5, 0.55 ... 0.95; for word 5-grams and character 24-grams and four (bands, rows), the number of pairs that become
candidates must lie within the 99 % interval of its expectation, the sum of 1-(1-s^rows)^bands over the true
similarities. One interval in a hundred misses by chance: the goal is missed where more miss than 999 in 1,000 runs
would. Precision: all pairs of the visible text of all pages, against true Jaccard.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.stats import binom

from curation.dedup.bands import band_keys
from curation.dedup.curve import candidate_probability
from curation.dedup.edited import count_interval_of, edited_to
from curation.dedup.kernel import signatures
from curation.dedup.sweep import Setting, sweep
from curation.extract.engines import resiliparse
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.run.stored import from_texts, sampled_pairs

BANDS_ROWS = ((14, 8), (20, 13), (9, 13), (25, 5))
UNITS = (("word", 5), ("char", 24))
TARGETS = np.round(np.arange(0.5, 0.951, 0.05), 2).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--similar-at", type=float, default=0.75)
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    arguments = parser.parse_args()
    cells = [cell for unit, ngram in UNITS for cell in recall(articles(arguments.pages), unit, ngram)]
    outside = [cell for cell in cells if not cell["low"] <= cell["candidates"] <= cell["high"]]
    allowed = int(binom.ppf(0.999, len(cells), 0.01))
    settings = [Setting(5, *one) for one in BANDS_ROWS]
    texts = page_texts(arguments.pages)
    material = from_texts(lambda: iter([(np.arange(len(texts)), pa.array(texts, pa.large_string()))]), settings)
    outcomes = sweep(settings, material.signed, sampled_pairs(material, len(texts)), arguments.similar_at)
    result = {
        "cells": len(cells),
        "outside_99_percent": len(outside),
        "allowed_outside": allowed,
        "outside": outside,
        "pages": len(texts),
        "similar_at": arguments.similar_at,
        "all_pairs": [
            {name: value for name, value in outcome.to_dict().items() if name != "rates"} for outcome in outcomes
        ],
        "missed": ["recall"] if len(outside) > allowed else [],
    }
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def recall(texts: list[str], unit: str, ngram: int) -> list[dict]:
    """For each target and setting the candidates among the edited pairs, and their 99 % interval."""
    cells = []
    for target in TARGETS:
        random = np.random.default_rng(round(1000 * target))
        edited, true = zip(*(edited_to(t, target, random, ngram=ngram, unit=unit) for t in texts), strict=True)
        hashes = max(bands * rows for bands, rows in BANDS_ROWS)
        left, right = (
            signatures(pa.array(side, pa.large_string()), ngram=ngram, hashes=hashes, unit=unit).values
            for side in (texts, list(edited))
        )
        for bands, rows in BANDS_ROWS:
            found = int((band_keys(left, bands, rows) == band_keys(right, bands, rows)).any(axis=1).sum())
            chances = candidate_probability(true, bands, rows)
            low, high = count_interval_of(chances.tolist())
            cells.append({
                "unit": unit, "jaccard": target, "setting": f"{bands}x{rows}", "pairs": len(texts),
                "candidates": found, "low": low, "high": high, "expected": round(float(chances.sum()), 1),
            })  # fmt: skip
    return cells


def articles(folder: Path) -> list[str]:
    """Main texts of real pages, of 60 words or more."""
    with gzip.open(folder / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["gold_text"] for line in file]
    return [text for text in texts if len(text.split()) >= 60]


def page_texts(folder: Path) -> list[str]:
    """Visible text of the pages of all snapshots."""
    texts = []
    for file in list_inputs(str(folder / "snapshots")):
        for split in plan_splits([file], 1 << 62):
            texts += [page.html for page in read_pages(split, SplitReport(split)) if page.alive]
    return [text for html in texts if (text := resiliparse(html, main_content=False))]


if __name__ == "__main__":
    main()
