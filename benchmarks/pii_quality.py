"""Claim: personal data is found where it is, left alone where it only seems to be, and text without it costs little.

    python benchmarks/pii_quality.py [--per-kind 30] [--check]

Items of 15 locales (Faker; phone numbers that exist, as Faker writes them) and negatives are planted one by one at the
end of a random line of a real page in the locale's language; `mask` runs on the page. An item counts as found when it
is gone as a whole, under the placeholder of its kind, and the text around it is untouched. A negative that changed, and
an item under another kind's placeholder, count against the kind whose placeholder stands there. Throughput is that of
`mask` with all kinds on the untouched pages, megabytes of UTF-8 per second of CPU time on one core, best of five.
Reads the real pages in CURATION_REAL_DATA (../shared/data when unset). The last line is one JSON object; with --check
the exit code is 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from pii_items import LOCALES, NEGATIVES, Maker

from curation.extract.engines import resiliparse
from curation.page import Page
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.rewrite import pii
from curation.score.language import fasttext

RECALL = {**dict.fromkeys(("email", "ip", "card", "iban", "credential"), 0.98), "ssn": 0.95, "phone": 0.95}
PRECISION = {**dict.fromkeys(pii.KINDS, 0.98), "phone": 0.95}
LEAST_SPEED = 20.0  # MB/s/core
LEAST_ITEMS, LEAST_NEGATIVES = 3000, 1000
PLACEHOLDERS = {
    pii.EMAIL: "email", pii.IPV4: "ip", pii.IPV6: "ip", pii.CARD: "card", pii.IBAN: "iban", pii.SSN: "ssn",
    pii.PHONE: "phone", pii.CREDENTIAL: "credential",
}  # fmt: skip
_ANY = "|".join(map(re.escape, PLACEHOLDERS))
CARRIER_CHARS = 3000  # of the beginning of a page
OPEN, CLOSE = " qvx ", " xvq"  # words around what is planted, by which it is found again


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-kind", type=int, default=30, help="items of each kind in each locale")
    parser.add_argument("--seed", type=int, default=1, help="another seed plants other items elsewhere")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="print so many mistakes of each kind")
    arguments = parser.parse_args()
    pages = real_pages()
    tally = Tally(arguments.show)
    for locale in LOCALES:
        own = [page for page in pages if page.language == locale[:2]]
        plant_locale(locale, own or pages, arguments, tally)
    figures = tally.figures()
    figures |= {"pages": len(pages), "megabytes_per_second": round(speed(pages), 1)}
    for kind in pii.KINDS:
        print(f"{kind:12} recall {figures['recall'][kind]:.4f}  precision {figures['precision'][kind]:.4f}")
    missed = goals_missed(figures)
    print("\n".join(missed) or "every goal is met")
    print(json.dumps(figures))
    return 1 if arguments.check and missed else 0


class Tally:
    """Counts by kind: planted, found, and what was masked that should not have been."""

    def __init__(self, show: int):
        self.planted, self.found, self.wrong = Counter(), Counter(), Counter()
        self.negatives = Counter()
        self._show, self._shown = show, defaultdict(int)

    def item(self, kind: str, as_kind: str | None, what: str) -> None:
        self.planted[kind] += 1
        self.found[kind] += as_kind == kind
        if as_kind != kind:
            self.wrong[as_kind] += as_kind is not None
            self._print(f"missed {kind} (as {as_kind})", what)

    def negative(self, family: str, kinds: list[str], what: str) -> None:
        self.negatives[family] += 1
        self.wrong.update(kinds)
        if kinds:
            self._print(f"{family} as {kinds}", what)

    def figures(self) -> dict:
        recall = {kind: self.found[kind] / self.planted[kind] for kind in pii.KINDS}
        precision = {kind: self.found[kind] / max(1, self.found[kind] + self.wrong[kind]) for kind in pii.KINDS}
        return {
            "items": self.planted.total(),
            "negatives": self.negatives.total(),
            "recall": {kind: round(value, 4) for kind, value in recall.items()},
            "precision": {kind: round(value, 4) for kind, value in precision.items()},
            "wrong": {kind: self.wrong[kind] for kind in pii.KINDS},
        }

    def _print(self, head: str, what: str) -> None:
        self._shown[head] += 1
        if self._shown[head] <= self._show:
            print(f"{head}: {what!r}")


def plant_locale(locale: str, pages: list[Page], arguments: argparse.Namespace, tally: Tally) -> None:
    maker, draw = Maker(locale, arguments.seed), random.Random(f"{locale} {arguments.seed}")
    for kind in pii.KINDS:
        for _ in range(arguments.per_kind):
            before, item, after = maker.item(kind)
            masked = masked_with(draw, pages, maker, before + item + after)
            match = (
                re.search(f"{OPEN}{re.escape(before)}({_ANY}){re.escape(after)}{CLOSE}", masked)
                if item not in masked
                else None
            )
            tally.item(kind, PLACEHOLDERS[match.group(1)] if match else None, before + item + after)
    for family, make in NEGATIVES.items():
        for _ in range(4):
            what = make(draw)
            masked = masked_with(draw, pages, maker, f"({what})")
            left = masked[masked.index(OPEN) : masked.index(CLOSE)]
            tally.negative(family, [PLACEHOLDERS[one] for one in re.findall(_ANY, left)], what)


def masked_with(draw: random.Random, pages: list[Page], maker: Maker, planted: str) -> str:
    """A stretch of a page with its own personal data gone, then with something planted, then masked."""
    carrier = draw.choice(pages)
    lines = pii.mask_page_text(carrier)[:CARRIER_CHARS].split("\n")
    at = draw.randrange(len(lines))
    lines[at] = f"{lines[at]}{OPEN}{planted}{CLOSE}"
    country = {"US": "com", "GB": "co.uk"}.get(maker.region, maker.region.lower())
    return pii.mask(Page("\n".join(lines), host=f"www.site.{country}", language=maker.language))


def real_pages() -> list[Page]:
    """Main text by resiliparse of the pages of one real snapshot, with host and language."""
    root = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("CURATION_REAL_DATA", root.parent / "shared" / "data"))
    inputs = list_inputs(str(folder / "snapshots" / "REAL-2024-10"), source="web")
    pages = []
    for split in plan_splits(inputs, 1 << 30):
        for page in read_pages(split, SplitReport(split)):
            if page.alive and page.html:
                page.text, page.html = resiliparse(page.html), None
                pages.append(page)
    pages = [page for page in pages if len(page.text) > 200]
    for page, (language, _) in zip(pages, fasttext(pages), strict=True):
        page.language = language
    return pages


def speed(pages: list[Page]) -> float:
    size = sum(len(page.text.encode()) for page in pages) / 1e6
    seconds = []
    for _ in range(5):
        start = time.process_time()
        for page in pages:
            pii.mask(page)
        seconds.append(time.process_time() - start)
    return size / min(seconds)


def goals_missed(figures: dict) -> list[str]:
    missed = [
        f"{name} of {kind} is {figures[name][kind]}, the goal is {goal}"
        for name, goals in (("recall", RECALL), ("precision", PRECISION))
        for kind, goal in goals.items()
        if figures[name][kind] < goal
    ]
    for name, goal in (("megabytes_per_second", LEAST_SPEED), ("items", LEAST_ITEMS), ("negatives", LEAST_NEGATIVES)):
        if figures[name] < goal:
            missed.append(f"{name} is {figures[name]}, the goal is {goal}")
    return missed


if __name__ == "__main__":
    sys.exit(main())
