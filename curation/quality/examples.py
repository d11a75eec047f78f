"""Labelled texts: positives and negatives from files or a finished run, or texts with ratings.

A class is a sample by hash of the text, so it depends on the texts, never on the order of files. Texts that occur twice
count once.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import xxhash

from curation.errors import InputError
from curation.read.filekind import kind_by_name
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits

WHOLE_FILE = 1 << 62  # bytes: a file is one split


@dataclass(frozen=True)
class Example:
    """A text with its host (empty where the source names none) and its target: 1 or 0, or a rating from 0 to 5."""

    text: str
    host: str
    target: float

    @property
    def rank(self) -> int:
        """64-bit hash of the text: what samples and orders go by."""
        return xxhash.xxh3_64_intdigest(self.text.encode("utf-8", "surrogatepass"), seed=7)

    def held_out(self, share: float) -> bool:
        """Whether the text is kept from training: by its host, so that no site is on both sides; else by itself."""
        key = self.host or self.text
        return xxhash.xxh3_64_intdigest(key.encode("utf-8", "surrogatepass"), seed=11) < share * 2**64


@dataclass(frozen=True)
class Labelled:
    """Examples to learn from, in an order by hash. `rated`: targets are ratings, else 1 (good) and 0.

    `left_out` counts what the sources held besides: rows without text, texts that stood in both classes, ...
    """

    examples: tuple[Example, ...]
    rated: bool
    left_out: dict[str, int]


def read_classes(positive: Sequence[str], negative: Sequence[str], per_class: int) -> Labelled:
    """At most `per_class` texts of each class. A text of both classes is a positive.

    A place is a JSONL, Parquet, WET or .txt file (one text a file), a folder or glob of them, or the folder of a
    finished run (its curated text). Raises InputError where a place cannot be read or a class is empty.
    """
    left_out: Counter[str] = Counter()
    good = smallest(_examples(positive, 1.0, left_out), per_class, left_out)
    other = smallest(_examples(negative, 0.0, left_out), per_class, left_out)
    for name, places, found in (("positive", positive, good), ("negative", negative, other)):
        if not found:
            raise InputError(f"no {name} text in {', '.join(places)}; give files with a column text")
    known = {example.text for example in good}
    fresh = [example for example in other if example.text not in known]
    if len(fresh) < len(other):
        left_out["texts of both classes, taken as positive"] = len(other) - len(fresh)
    examples = sorted([*good, *fresh], key=lambda example: (example.rank, example.target))
    return Labelled(tuple(examples), rated=False, left_out=dict(left_out))


def smallest(examples: Iterable[Example], number: int, left_out: Counter[str]) -> list[Example]:
    """The `number` examples of smallest hash, each text once; memory is bounded by that number."""
    heap: list[tuple[int, str, Example]] = []
    members: set[str] = set()
    for example in examples:
        if example.text in members:
            left_out["texts that stood there before"] += 1
            continue
        if len(heap) < number:
            heapq.heappush(heap, (-example.rank, example.text, example))
        else:
            largest = heapq.heappushpop(heap, (-example.rank, example.text, example))
            members.discard(largest[1])
            left_out["texts beyond the number asked for"] += 1
            if largest[1] == example.text:
                continue
        members.add(example.text)
    return [example for _, _, example in heap]


def _examples(places: Sequence[str], target: float, left_out: Counter[str]) -> Iterator[Example]:
    for place in places:
        for text, host in _texts(place, left_out):
            yield Example(text, host, target)


def _texts(place: str, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    path = Path(place)
    plain = [path] if path.suffix == ".txt" else sorted(path.rglob("*.txt")) if path.is_dir() else []
    if plain:
        yield from _plain_texts(path, plain)
        return
    where = str(path / "curated") if (path / "plan.json").is_file() else place
    for split in plan_splits(list_inputs(where), WHOLE_FILE):
        report = SplitReport(split)
        for page in read_pages(split, report):
            if page.html is not None:
                raise InputError(f"{split.file.path} holds HTML; run `curate run text` on it and give the run's folder")
            if page.alive:
                yield page.text, page.host
            else:
                left_out[f"rows that could not be read ({page.dropped_by})"] += 1
        if report.state not in ("complete", "empty"):
            raise InputError(f"{split.file.path} is {report.state}; repair it or leave it out")


def _plain_texts(path: Path, files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    others = [file for file in path.rglob("*") if file.is_file() and kind_by_name(file.name)] if path.is_dir() else []
    if others:
        raise InputError(f"{path} holds .txt files and others such as {others[0].name}; give them apart")
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file} cannot be read as UTF-8 text: {error}") from error
        if text.strip():
            yield text, ""
