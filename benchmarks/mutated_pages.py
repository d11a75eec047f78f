"""Claim: 10,000 broken real pages through both engines neither end the worker nor leave a page without a fate.

    python benchmarks/mutated_pages.py DATA [--pages 10000] [--seed 1] [--check]

DATA holds snapshots/. Each page is a real one, broken in one of the ways of MUTATIONS and decoded as a page of unknown
charset is. It goes through trafilatura and resiliparse (main text, and all visible text) as recipes call them; what
counts is that the stage returns and the page then has text or a fate. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from curation.extract import resiliparse, trafilatura
from curation.page import Page
from curation.read.charset import decode
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.stage import PageStage, extract

DEADLINE = 30.0  # seconds, the engines' default
FATES = ("text", "no_text", "timeout", "crash", "memory", "error")
TAG = re.compile(r"(<[^<>]*>)")
CHARSETS = ("utf-16-le", "utf-16-be", "utf-7", "cp037", "shift_jis", "cp1251")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    real, started = real_html(arguments.data), time.monotonic()
    fates = {name: Counter() for name in ENGINES}
    for done, (_, html) in enumerate(mutated(real, arguments.pages, arguments.seed), 1):
        for name, stage in ENGINES.items():
            fates[name][fate_of(stage, html)] += 1
        if done % 1000 == 0:
            print(
                f"{done} pages, {time.monotonic() - started:.0f} s", {n: dict(f) for n, f in fates.items()}, flush=True
            )
    without = sum(count for counts in fates.values() for fate, count in counts.items() if fate not in FATES)
    print(json.dumps({"pages": arguments.pages, "fates": fates, "without_fate": without}))
    if arguments.check and without:
        sys.exit(1)


ENGINES: dict[str, PageStage] = {
    "trafilatura": extract("main_text", partial(trafilatura, deadline_seconds=DEADLINE)),
    "resiliparse": extract("main_text", partial(resiliparse, deadline_seconds=DEADLINE)),
    "visible": extract("main_text", partial(resiliparse, main_content=False, deadline_seconds=DEADLINE)),
}


def fate_of(stage: PageStage, html: str) -> str:
    """`text`, or the rule that dropped the page, or what is wrong with the outcome."""
    page = Page(html=html)
    stage.run([page])
    if page.alive:
        return "text" if page.text and page.html is None else "alive without text"
    return page.dropped_by.removeprefix("main_text.")


def real_html(data: Path) -> list[str]:
    """HTML of every different page of the snapshots, in the order of its first record."""
    found: dict[str, None] = {}
    for folder in sorted((data / "snapshots").iterdir()):
        for split in plan_splits(list_inputs(str(folder)), 1 << 30):
            found |= dict.fromkeys(p.html for p in read_pages(split, SplitReport(split)) if p.alive)
    return list(found)


def mutated(real: Sequence[str], count: int, seed: int) -> Iterator[tuple[str, str]]:
    """`count` times (name of the mutation, broken HTML), each mutation in turn, the same for the same seed."""
    chance = random.Random(seed)
    names = list(MUTATIONS)
    for number in range(count):
        name = names[number % len(names)]
        broken = MUTATIONS[name](chance.choice(real).encode("utf-8", "replace"), chance)
        yield name, decode(broken, None).text


def _truncated(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body) + 1)]


def _bits_flipped(body: bytes, chance: random.Random) -> bytes:
    flipped = bytearray(body)
    for _ in range(max(1, len(body) // 1000)):
        flipped[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _tags_shuffled(body: bytes, chance: random.Random) -> bytes:
    parts = TAG.split(body.decode())
    tags = parts[1::2]
    chance.shuffle(tags)
    parts[1::2] = tags
    return "".join(parts).encode()


def _tags_doubled(body: bytes, chance: random.Random) -> bytes:
    """Some opening tags many times over: deep trees."""
    return TAG.sub(lambda tag: tag[0] * (200 if chance.random() < 0.01 else 1), body.decode()).encode()


def _wrong_charset(body: bytes, chance: random.Random) -> bytes:
    return body.decode().encode(chance.choice(CHARSETS), "replace")


def _spliced(body: bytes, chance: random.Random) -> bytes:
    """A stretch of random bytes, NUL included, put into the middle."""
    at = chance.randrange(len(body) + 1)
    return body[:at] + chance.randbytes(chance.randrange(1, 2000)) + body[at:]


MUTATIONS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "truncated": _truncated,
    "bits flipped": _bits_flipped,
    "tags shuffled": _tags_shuffled,
    "tags doubled": _tags_doubled,
    "wrong charset": _wrong_charset,
    "spliced": _spliced,
}

if __name__ == "__main__":
    main()
