"""Claim: on checked article bodies, read by our own WARC route, trafilatura scores F1 >= 0.955, resiliparse >= 0.91.

    python benchmarks/extraction_quality.py DATA [--check]

DATA holds snapshots/ and gold/articles.jsonl.gz: per line the file, the address and the checked text of one page. The
score is that of https://github.com/scrapinghub/article-extraction-benchmark: true and false positives over multisets of
4 word tokens, each page with the same weight, precision and recall averaged over pages, F1 of the two averages.
The goals are for the subset `article-extraction-benchmark`, whose gold is the article body alone; the others follow
other guidelines and are printed beside it. Every gold page must come out of the reader alive, with one of the texts
that its bytes allow (no replaced character). `fallback_X` are trafilatura and resiliparse with `fallback_below: X`.
The last line printed is one JSON object; --check exits 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean

from curation.extract import resiliparse, trafilatura
from curation.extract.fallback import with_fallback
from curation.page import Page
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.stage import extract

GOALS = {"trafilatura": 0.955, "resiliparse": 0.91}  # F1 on SUBSET
SUBSET = "article-extraction-benchmark"
SHARES = (0.02, 0.05, 0.1, 0.2)  # of the visible text, for the fallback


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    gold = read_gold(arguments.data)
    pages = read_alive(arguments.data)
    lost = sorted(key for key in gold if key not in pages)
    replaced = sorted(key for key in gold if key in pages and "replaced" in pages[key].notes)
    scores = {}
    for name, stage in engines().items():
        texts = {key: text_of(stage, pages[key].html) for key in gold if key in pages}
        scores[name] = {subset: score(gold, texts, subset) for subset in sorted({g["source"] for g in gold.values()})}
        print(f"{name:28}", *(f"{subset} {found['f1']:.3f}" for subset, found in scores[name].items()), sep="  ")
    missed = [name for name, goal in GOALS.items() if scores[name][SUBSET]["f1"] < goal]
    print(f"{len(gold)} gold pages, {len(lost)} lost by reading, {len(replaced)} with replaced characters {replaced}")
    print(json.dumps({"gold_pages": len(gold), "lost": lost, "replaced": replaced, "scores": scores, "missed": missed}))
    if arguments.check and (missed or lost):
        sys.exit(1)


def engines() -> dict[str, object]:
    """Name -> extract stage: each engine as recipes call it, and with the fallback at several shares."""
    plain: dict[str, Callable[[str], str]] = {
        "trafilatura": partial(trafilatura, favor="precision"),
        "trafilatura fast": partial(trafilatura, favor="precision", fast=True),
        "trafilatura balanced": partial(trafilatura, favor="balanced"),
        "resiliparse": resiliparse,
    }
    stages = {name: extract("main_text", engine) for name, engine in plain.items()}
    for name in ("trafilatura", "resiliparse"):
        for share in SHARES:
            stages[f"{name} fallback_{share:g}"] = extract("main_text", plain[name], with_fallback(name, share))
    return stages


def read_gold(data: Path) -> dict[tuple[str, str], dict]:
    """(snapshot file, address) -> gold line."""
    with gzip.open(data / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return {(Path(line["warc"]).name, line["url"]): line for line in found}


def read_alive(data: Path) -> dict[tuple[str, str], Page]:
    """(snapshot file, address) -> page, of all pages that reading leaves alive."""
    pages = {}
    for folder in sorted((data / "snapshots").iterdir()):
        for split in plan_splits(list_inputs(str(folder)), 1 << 30):
            for page in read_pages(split, SplitReport(split)):
                if page.alive:
                    pages.setdefault((Path(page.warc_file).name, page.url), page)
    return pages


def text_of(stage, html: str) -> str:
    page = Page(html=html)
    stage.run([page])
    return page.text


def score(gold: dict, texts: dict, subset: str) -> dict[str, float]:
    """Precision, recall and F1 over the pages of one subset; a page without text counts as found nothing."""
    counted = [
        agreement(line["gold_text"], texts.get(key, "")) for key, line in gold.items() if line["source"] == subset
    ]
    precision = mean(tp / (tp + fp) for tp, fp, _ in counted if tp + fp)
    recall = mean(tp / (tp + fn) for tp, _, fn in counted if tp + fn)
    f1 = 2 * precision * recall / (precision + recall)
    return {"pages": len(counted), "precision": precision, "recall": recall, "f1": f1}


def agreement(true: str, found: str) -> tuple[int, int, int]:
    """Shingles in both, in the found text only, in the true text only."""
    wanted, got = shingles(true), shingles(found)
    return (wanted & got).total(), (got - wanted).total(), (wanted - got).total()


def shingles(text: str) -> Counter:
    tokens = re.findall(r"\w+", text)
    return Counter(tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3)) if tokens)


if __name__ == "__main__":
    main()
