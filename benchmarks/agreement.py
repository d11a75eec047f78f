"""Claim: our Gopher, C4 and FineWeb rules keep and drop what datatrove's do; what differs is known by its cause.

    python benchmarks/agreement.py [--input WHERE] [--check]

The same real English texts (`english_texts`) go to datatrove 0.10.1, in an environment of its own, and to the stages of
recipe fineweb. A page on which the two disagree is given to our rules again with one thing at a time done datatrove's
way (`agreement_causes`); the first that makes the decisions equal is its cause. A second run feeds our tokens to
datatrove's filters, so that only what is not a matter of words can differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from agreement_causes import UNEXPLAINED, cause_of
from english_texts import DEFAULT_INPUT, english_texts
from peers import DATATROVE, peer_python, run_peer

from curation.page import Page
from curation.recipe.load import load_recipe
from curation.stage import PageStage
from curation.text import tokens

FAMILIES = ("gopher_repetition", "gopher_quality", "c4", "fineweb_quality")
GOAL, GOAL_EQUAL_WORDS = 0.98, 0.995  # share of pages with equal decisions, in each family


class Difference(NamedTuple):
    """One page on which the two disagree; `ours` and `theirs` are the rule that dropped it, or "kept"."""

    ours: str
    theirs: str
    cause: str
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", default=DEFAULT_INPUT)
    parser.add_argument("--check", action="store_true", help=f"exit 1 below {GOAL} ({GOAL_EQUAL_WORDS} on equal words)")
    arguments = parser.parse_args()
    texts = english_texts(arguments.input)
    stages = {stage.name: stage for stage in load_recipe("fineweb").stages if isinstance(stage, PageStage)}
    peer = datatrove(texts)
    fed = datatrove(texts, [tokens(text) for text in texts])
    result: dict = {"texts": len(texts), "datatrove": peer["version"], "words": peer["tokenizer"], "families": {}}
    for family in FAMILIES:
        ours = decisions(stages[family], texts)
        found = differences(stages[family], texts, ours, peer)
        on_equal_words = sum(a.alive == b[0] for a, b in zip(ours, fed["decisions"][family], strict=True))
        result["families"][family] = {
            "equal": round(1 - len(found) / len(texts), 4),
            "equal_on_equal_words": round(on_equal_words / len(texts), 4),
            "kept": sum(page.alive for page in ours),
            "kept_by_datatrove": sum(kept for kept, _ in peer["decisions"][family]),
            "causes": dict(Counter(one.cause for one in found).most_common()),
        }
        show(family, result["families"][family], found)
    result["c4_same_text"] = same_text(stages["c4"], texts, peer)
    print(json.dumps(result))
    if arguments.check:
        check(result)


def datatrove(texts: list[str], fed: list[list[str]] | None = None) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "given.json")
        given.write_text(json.dumps({"texts": texts, "tokens": fed}), encoding="ascii")
        return run_peer(peer_python(*DATATROVE), Path(__file__).with_name("datatrove_side.py"), given)


def decisions(stage: PageStage, texts: list[str]) -> list[Page]:
    pages = [Page(text) for text in texts]
    stage.run(pages)
    return pages


def differences(stage: PageStage, texts: list[str], ours: list[Page], peer: dict) -> list[Difference]:
    found = []
    for number, (page, (kept, reason)) in enumerate(zip(ours, peer["decisions"][stage.name], strict=True)):
        if page.alive != kept:
            cause = cause_of(stage, texts[number], kept, peer["tokens"][number], peer["c4_sentences"][number])
            found.append(Difference(page.dropped_by or "kept", reason or "kept", cause, texts[number]))
    return found


def same_text(stage: PageStage, texts: list[str], peer: dict) -> dict[str, int]:
    """Pages both keep: on how many C4's edit gives the same text, and with white space squeezed."""
    both = [
        (page.text, text)
        for page, text, (kept, _) in zip(
            decisions(stage, texts), peer["c4_texts"], peer["decisions"]["c4"], strict=True
        )
        if page.alive and kept
    ]
    squeezed = sum(a.split() == b.split() for a, b in both)
    return {"both_keep": len(both), "same_text": sum(a == b for a, b in both), "same_but_for_white_space": squeezed}


def show(family: str, figures: dict, found: list[Difference]) -> None:
    print(f"{family}: equal on {figures['equal']:.2%}, on equal words on {figures['equal_on_equal_words']:.2%}")
    for cause, count in figures["causes"].items():
        print(f"  {count} x {cause}")
        for one in [one for one in found if one.cause == cause][:3]:
            print(f"      ours {one.ours}, datatrove {one.theirs}: {' '.join(one.text.split())[:70]!a}")


def check(result: dict) -> None:
    missed = [
        f"{family}: {name} is {figures[name]}, the goal is {goal}"
        for family, figures in result["families"].items()
        for name, goal in (("equal", GOAL), ("equal_on_equal_words", GOAL_EQUAL_WORDS))
        if figures[name] < goal
    ]
    missed += [f"{family}: {UNEXPLAINED}" for family, f in result["families"].items() if UNEXPLAINED in f["causes"]]
    if missed:
        sys.exit("\n".join(missed))


if __name__ == "__main__":
    main()
