"""Claim: the cascade doubles a recipe's pages per second per core, loses 0.5 % of survivors at most, changes no text.

    python benchmarks/cascade.py DATA [--recipe fineweb] [--runs 3] [--check]

DATA holds snapshots/. Both sides, plain (`cascade: false`) and with the cascade, run the same page stages over the same
pages in this process, from WARC bytes to fates, chunk by chunk in turn, so that a busy machine slows both. Time is CPU
seconds of this process and its extraction children; the ratio is the median over the runs. Fates and texts are compared
page by page, without the audit, which would hide losses. Beside it, in one run each: other values of `loosen`, and
trafilatura `fast: true` instead of a cascade. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from curation.page import Page
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.recipe.load import load_recipe
from curation.run.page_pass import CHUNK_PAGES
from curation.run.plan import cut_into_segments
from curation.stage import PageStage, run_stages

GOAL_RATIO, AIM_RATIO, GOAL_LOSS = 2.0, 3.0, 0.005
ONE_CHILD = "main_text.recycle_pages=100000"  # a new one would be on the clock of whichever side needs it
SIDES = {
    "plain": [ONE_CHILD, "main_text.cascade=false"],
    "cascade": [ONE_CHILD, "main_text.cascade={audit: 0}"],
}
VARIANTS = {
    **{f"loosen {x:g}": [ONE_CHILD, f"main_text.cascade={{audit: 0, loosen: {x:g}}}"] for x in (0.3, 0.8, 1)},
    "fast": [ONE_CHILD, "main_text.cascade=false", "main_text.fast=true"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--recipe", default="fineweb")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    sides = {name: page_stages(arguments.recipe, overrides) for name, overrides in SIDES.items()}
    runs = [compare(arguments.data, sides) for _ in range(arguments.runs)]
    ratios = [seconds["plain"] / seconds["cascade"] for seconds, _ in runs]
    plain, cascade = runs[0][1]["plain"], runs[0][1]["cascade"]
    result = {
        "recipe": arguments.recipe,
        "pages": len(plain),
        "times_plain": round(statistics.median(ratios), 2),
        "times_plain_runs": [round(ratio, 2) for ratio in ratios],
        "pages_per_second_per_core": {
            name: round(statistics.median(len(plain) / seconds[name] for seconds, _ in runs), 1) for name in SIDES
        },
        **losses(plain, cascade),
        "given_up": given_up(cascade),
        "variants": variants(arguments, plain),
    }
    missed = [
        goal
        for goal, met in (
            (f"{GOAL_RATIO} times plain", result["times_plain"] >= GOAL_RATIO),
            (f"loss of {GOAL_LOSS} at most", result["loss"] <= GOAL_LOSS),
            ("equal texts", not result["other_text"] and not result["new_survivors"]),
        )
        if not met
    ]
    for key, value in result.items():
        print(f"{key}: {value}")
    print(json.dumps({**result, "aim": AIM_RATIO, "missed": missed}))
    if arguments.check and missed:
        sys.exit(1)


def page_stages(recipe: str, overrides: Sequence[str]) -> tuple[PageStage, ...]:
    return cut_into_segments(load_recipe(recipe, overrides).stages)[0].page_stages


def compare(data: Path, sides: dict[str, tuple[PageStage, ...]]) -> tuple[dict[str, float], dict[str, dict]]:
    """CPU seconds of each side, reading included in both; and doc_id -> (fate, text)."""
    seconds = dict.fromkeys(sides, 0.0)
    outcome: dict[str, dict] = {name: {} for name in sides}
    streams = {name: chunks(data) for name in sides}
    for stages in sides.values():  # children, models and word lists are up before the clock runs
        run_stages(stages, [Page(html="<p>warm up</p>")])
    finished = False
    while not finished:
        for name, stages in sides.items():
            started = cpu_seconds()
            pages = next(streams[name], None)
            if pages is None:
                finished = True
                continue
            run_stages(stages, pages)
            seconds[name] += cpu_seconds() - started
            outcome[name] |= {page.doc_id: (page.dropped_by, page.text) for page in pages}
    return seconds, outcome


def chunks(data: Path) -> Iterator[list[Page]]:
    """The living pages of all snapshots, as the pass takes them."""
    held: list[Page] = []
    for folder in sorted((data / "snapshots").iterdir()):
        for split in plan_splits(list_inputs(str(folder)), 1 << 30):
            for page in read_pages(split, SplitReport(split)):
                if not page.alive:
                    continue
                held.append(page)
                if len(held) == CHUNK_PAGES:
                    yield held
                    held = []
    yield held


def cpu_seconds() -> float:
    """Of this process and of its children, living and gone."""
    ticks = os.sysconf("SC_CLK_TCK")
    gone = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + gone.ru_utime + gone.ru_stime
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / ticks  # utime and stime, proc(5)
    return total


def losses(plain: dict, other: dict) -> dict[str, object]:
    survivors = {doc_id for doc_id, (fate, _) in plain.items() if fate is None}
    kept = {doc_id for doc_id, (fate, _) in other.items() if fate is None}
    return {
        "survivors": len(survivors),
        "lost": len(survivors - kept),
        "loss": round(len(survivors - kept) / len(survivors), 5),
        "new_survivors": len(kept - survivors),
        "other_text": sum(plain[doc_id][1] != other[doc_id][1] for doc_id in kept & survivors),
    }


def given_up(outcome: dict) -> dict[str, int]:
    return dict(Counter(fate for fate, _ in outcome.values() if fate and ".cascade_" in fate).most_common())


def variants(arguments: argparse.Namespace, plain: dict) -> dict[str, dict]:
    """The same figures for other settings, each in one run of its own."""
    found = {}
    for name, overrides in VARIANTS.items():
        seconds, outcome = compare(arguments.data, {name: page_stages(arguments.recipe, overrides)})
        found[name] = {"seconds": round(seconds[name], 1), **losses(plain, outcome[name])}
    return found


if __name__ == "__main__":
    main()
