"""Claim: Gopher, C4 and FineWeb rules at tens of times the documents per second and core of datatrove's.

    python benchmarks/rules_speed.py [--input WHERE] [--check]

Both sides decide on the same real English texts, one core, in one run: the four families with FineWeb's settings, the
words of a text cut once on each side, a text leaving a family at the first rule it fails. Seconds are of the process,
not of the clock, so that neighbours on the machine count little; ours is the median of ten passes, five before and five
after the one of datatrove.

What is fair to say: datatrove's words and sentences are spaCy's, its choice for English; "without_cutting" leaves the
cutting of words out on both sides (not that of sentences in C4). The share of the rules in a whole pass is by the
clock, over pages of the first file, stages of recipe fineweb one by one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from english_texts import DEFAULT_INPUT, crawl_files, english_texts
from peers import DATATROVE, peer_python, run_peer

from curation.page import Page
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import Split
from curation.recipe.load import load_recipe
from curation.run.page_pass import CHUNK_PAGES
from curation.stage import PageStage

FAMILIES = ("gopher_repetition", "gopher_quality", "fineweb_quality", "c4")  # C4 last: the others see the same text
GOAL, AIM = 40, 100  # times datatrove's documents per second and core
PASSES = 5
SHARE_PAGES = 150


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", default=DEFAULT_INPUT)
    parser.add_argument("--check", action="store_true", help=f"exit 1 below {GOAL} times")
    arguments = parser.parse_args()
    texts = english_texts(arguments.input)
    stages = {stage.name: stage for stage in load_recipe("fineweb").stages if isinstance(stage, PageStage)}
    families = {name: stages[name] for name in FAMILIES}
    one_pass(texts[:20], families)  # compiles, or reads the compiled code
    passes = [one_pass(texts, families) for _ in range(PASSES)]
    theirs = datatrove(texts)
    passes += [one_pass(texts, families) for _ in range(PASSES)]
    ours = {name: statistics.median(seconds[name] for seconds in passes) for name in passes[0]}
    result = figures(texts, ours, theirs)
    result["share_of_pass"] = share_of_pass(arguments.input, stages)
    print_table(result)
    print(json.dumps(result))
    if arguments.check and result["times_datatrove"] < GOAL:
        sys.exit(f"{result['times_datatrove']} times datatrove, the goal is {GOAL}")


def one_pass(texts: list[str], families: dict[str, PageStage]) -> dict[str, float]:
    """Seconds of each family, and of `words`: cutting alone, apart, as on the other side."""
    start = time.process_time()
    for text in texts:
        page = Page(text)
        page.word_cut, page.token_cut  # noqa: B018
    seconds = {"words": time.process_time() - start}
    seconds |= dict.fromkeys(families, 0.0)
    for first in range(0, len(texts), CHUNK_PAGES):  # as the pass does it
        pages = [Page(text) for text in texts[first : first + CHUNK_PAGES]]
        for name, stage in families.items():
            start = time.process_time()
            stage.run(pages)
            seconds[name] += time.process_time() - start
            for page in pages:
                page.dropped_by = None
    return seconds


def datatrove(texts: list[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "given.json")
        given.write_text(json.dumps({"texts": texts, "tokens": None}), encoding="ascii")
        return run_peer(peer_python(*DATATROVE), Path(__file__).with_name("datatrove_side.py"), given)["seconds"]


def figures(texts: list[str], ours: dict[str, float], theirs: dict[str, float]) -> dict:
    total, peer_total = (sum(side[name] for name in FAMILIES) for side in (ours, theirs))
    micro = {name: round(seconds / len(texts) * 1e6, 1) for name, seconds in ours.items()}
    peer_micro = {name: round(seconds / len(texts) * 1e6, 1) for name, seconds in theirs.items()}
    return {
        "texts": len(texts),
        "mean_chars": round(sum(map(len, texts)) / len(texts)),
        "documents_per_second_per_core": round(len(texts) / total),
        "datatrove_documents_per_second_per_core": round(len(texts) / peer_total),
        "times_datatrove": round(peer_total / total, 1),
        "times_datatrove_without_cutting": round((peer_total - theirs["words"]) / (total - ours["words"]), 1),
        "microseconds_a_document": micro,
        "datatrove_microseconds_a_document": peer_micro,
        "goal": GOAL,
        "aim": AIM,
    }


def share_of_pass(where: str, stages: dict[str, PageStage]) -> dict[str, float]:
    """Share of the time of each stage, reading included, in a pass over the first pages of the first file."""
    file = crawl_files(where)[0]
    split = Split(file, 0, file.size)
    seconds = dict.fromkeys(["read", *stages], 0.0)
    source = read_pages(split, SplitReport(split))
    for _ in range(SHARE_PAGES):
        start = time.perf_counter()
        page = next(source)
        seconds["read"] += time.perf_counter() - start
        for name, stage in stages.items():
            start = time.perf_counter()
            if page.alive:
                stage.run([page])
            seconds[name] += time.perf_counter() - start
    total = sum(seconds.values())
    shares = {name: round(spent / total, 5) for name, spent in seconds.items()}
    return {**shares, "rules": round(sum(seconds[name] for name in FAMILIES) / total, 5)}


def print_table(result: dict) -> None:
    print(f"{'microseconds a document':24} {'ours':>8} {'datatrove':>10}")
    for name, spent in result["microseconds_a_document"].items():
        print(f"{name:24} {spent:8.1f} {result['datatrove_microseconds_a_document'][name]:10.1f}")
    print(f"all four families: {result['times_datatrove']} times datatrove's documents per second and core")
    print(f"share of a whole pass: {result['share_of_pass']['rules']:.2%}")


if __name__ == "__main__":
    main()
