"""What a run will do: the recipe cut into passes, the input cut into units. Pure data, decided before Spark starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from curation.dedup.stages import CorpusStage
from curation.read.inputs import InputFile
from curation.read.splits import Split
from curation.stage import PageStage


@dataclass(frozen=True)
class Segment:
    """Page stages that one pass runs, and the corpus stages that decide on what it lets live.

    Most recipes have two: pages until the first corpus stage, then what follows the decisions.
    """

    number: int
    page_stages: tuple[PageStage, ...]
    corpus_stages: tuple[CorpusStage, ...]


def cut_into_segments(stages: Sequence[PageStage | CorpusStage]) -> list[Segment]:
    """A page stage after a corpus stage opens a new segment, and so does anything after a stage that cuts texts.

    The last segment has no corpus stage: it applies what those before it decided.
    """
    parts: list[tuple[list, list]] = [([], [])]
    for stage in stages:
        if isinstance(stage, PageStage):
            if parts[-1][1]:
                parts.append(([], []))
            parts[-1][0].append(stage)
        else:
            if parts[-1][1] and parts[-1][1][-1].cuts_text:
                parts.append(([], []))
            parts[-1][1].append(stage)
    if parts[-1][1]:
        parts.append(([], []))
    return [Segment(i, tuple(pages), tuple(corpus)) for i, (pages, corpus) in enumerate(parts)]


@dataclass(frozen=True)
class Unit:
    """A piece of the input that is read, processed and committed as one."""

    name: str
    splits: tuple[Split, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "splits": [asdict(split) for split in self.splits]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Unit:
        splits = [Split(InputFile(**s["file"]), s["start"], s["end"]) for s in data["splits"]]
        return cls(data["name"], tuple(splits))


def plan_units(splits: Sequence[Split], unit_bytes: int, at_least: int) -> list[Unit]:
    """Neighbouring splits of one source and snapshot packed into units of at most `unit_bytes`.

    Units are made smaller where there would otherwise be fewer than `at_least`, so that a small input keeps all cores
    busy. A split is never cut. The grouping changes which file of curated/ a page lands in, never its fate or text.
    """
    weights = [split_bytes(split) for split in splits]
    bound = min(unit_bytes, max(1, sum(weights) // max(1, at_least)))
    groups: list[list[Split]] = []
    filled = 0
    for split, weight in zip(splits, weights, strict=True):
        group = groups[-1] if groups else None
        same = group is not None and _origin(group[-1]) == _origin(split)
        if not same or filled + weight > bound:
            groups.append([])
            filled = 0
        groups[-1].append(split)
        filled += weight
    return [Unit(f"unit-{i:05d}", tuple(group)) for i, group in enumerate(groups)]


def split_bytes(split: Split) -> int:
    """Bytes a split covers; of a Parquet file (whose splits count row groups) and compressed rows the whole file."""
    return split.end - split.start if split.file.kind in ("warc", "wet") else split.file.size


def _origin(split: Split) -> tuple[str, str]:
    return split.file.source, split.file.snapshot
