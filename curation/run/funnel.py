"""The books of a run: the funnel as a query over what was written, and the check that nothing was lost.

Counters are never trusted: Spark runs a task again after a failure and would count it twice. Every page is exactly one
row, in curated/ if it was kept and under alive=false if not, and carries its trail: its length in characters after
reading and after each stage that it survived. All figures follow from (fate, trail).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.errors import ConservationError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FAILURES = ("error", "damaged", "truncated", "too_large", "undecodable", "bad_row", "timeout", "crash", "memory")
BATCH_ROWS = 65_536  # of four narrow columns: 16 MB at thirty stages


@dataclass(frozen=True)
class Group:
    """Pages of one snapshot with one fate and trails of one length. `sums[i]` = characters at trail position i."""

    snapshot: str
    dropped_by: str | None
    trail_length: int
    pages: int
    chars: int  # sum of the column chars: the length of the text as it was left
    sums: tuple[int, ...]


def group_pages(documents: DataFrame, stages: int) -> list[Group]:
    """One query over all pages of a run: at most (snapshots x fates) small rows come back."""
    from pyspark.sql import functions as F

    sums = [F.sum(F.expr(f"coalesce(try_element_at(trail, {i + 1}), 0L)")).alias(f"sum_{i}") for i in range(stages + 1)]
    grouped = documents.groupBy("snapshot", "dropped_by", F.size("trail").alias("trail_length")).agg(
        F.count("*").alias("pages"), F.sum("chars").alias("chars"), *sums
    )
    return [
        Group(
            row["snapshot"], row["dropped_by"], row["trail_length"], row["pages"], row["chars"],
            tuple(row[f"sum_{i}"] for i in range(stages + 1)),
        )
        for row in grouped.collect()
    ]  # fmt: skip


def group_files(files: Iterable[Path], stages: int) -> list[Group]:
    """The same without Spark, from Parquet files: four narrow columns, one batch in memory."""
    found: dict[tuple[str, str | None, int], np.ndarray] = {}  # -> pages, chars, sums
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS, columns=["snapshot", "dropped_by", "trail", "chars"]):
                lengths = pc.list_value_length(batch["trail"])
                figures = np.zeros((len(batch), stages + 3), dtype=np.int64)
                figures[:, 0] = 1
                figures[:, 1] = batch["chars"].to_numpy()
                rows = pc.list_parent_indices(batch["trail"]).to_numpy()
                ends = np.cumsum(lengths.to_numpy())
                places = np.arange(len(rows)) - (ends - lengths.to_numpy())[rows]
                figures[rows, places + 2] = pc.list_flatten(batch["trail"]).to_numpy()
                keys = pa.table({"snapshot": batch["snapshot"], "dropped_by": batch["dropped_by"], "length": lengths})
                keys = keys.append_column("row", pa.array(range(len(batch)), pa.int64()))
                for group in (
                    keys.group_by(["snapshot", "dropped_by", "length"]).aggregate([("row", "list")]).to_pylist()
                ):
                    sums = figures[group["row_list"]].sum(axis=0)
                    key = (group["snapshot"], group["dropped_by"], group["length"])
                    found[key] = found[key] + sums if key in found else sums
    return [Group(*key, int(sums[0]), int(sums[1]), tuple(int(one) for one in sums[2:])) for key, sums in found.items()]


def by_snapshot(groups: Sequence[Group]) -> dict[str, dict[str, int]]:
    """Pages read, pages kept and their characters, for each snapshot."""
    found = {}
    for snapshot in sorted({group.snapshot for group in groups}):
        inside = [group for group in groups if group.snapshot == snapshot]
        kept = [group for group in inside if group.dropped_by is None]
        found[snapshot] = {
            "pages_in": sum(group.pages for group in inside),
            "kept": sum(group.pages for group in kept),
            "chars_out": sum(group.chars for group in kept),
        }
    return found


def add_tokens(funnel: dict[str, Any], summary: Mapping[str, Any] | None, resolved: Mapping[str, Any]) -> None:
    """Tokens of each stage, estimated from its characters and the curated text's own characters per token.

    Before the main text is extracted, characters are HTML: no estimate there. `resolved` is the recipe.
    """
    stages = funnel["stages"]
    chars = stages[-1]["chars_out"]
    tokens = sum(sum(splits.values()) for splits in summary["tokens"].values()) if summary else 0
    funnel["tokens"], funnel["tokens_estimated"] = tokens if summary else None, True
    bodies = [next(iter(stage.values())) for stage in resolved["stages"]]
    first_text = next((i + 1 for i, body in enumerate(bodies) if "extract" in body), 0)
    for position, entry in enumerate(stages):
        known = summary is not None and chars and position >= first_text
        entry["tokens_out"] = round(entry["chars_out"] * tokens / chars) if known else None


def build_funnel(groups: Iterable[Group], stages: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """One entry for reading and for each stage, given as (name, kind). Raises ConservationError on a fate that lies.

    `chars_trimmed` is net: characters that edits took from kept pages, less those they added.
    """
    groups = list(groups)
    _check_fates(groups, [name for name, _ in stages])
    funnel = []
    for position, (name, kind) in enumerate([("read", "read"), *stages]):
        entering = [g for g in groups if g.trail_length >= position]
        kept = [g for g in entering if g.trail_length > position]
        lost = [g for g in entering if g.trail_length == position and g.dropped_by is not None]
        before = position - 1 if position else 0
        chars_in = sum(g.sums[before] for g in entering)
        chars_out = sum(g.sums[position] for g in kept)
        chars_dropped = sum(g.sums[before] for g in lost) if position else 0
        failed = [g for g in lost if g.dropped_by.rpartition(".")[2] in FAILURES]
        funnel.append(
            {
                "stage": name,
                "kind": kind,
                "pages_in": sum(g.pages for g in entering),
                "kept": sum(g.pages for g in kept),
                "dropped": sum(g.pages for g in lost) - sum(g.pages for g in failed),
                "failed": sum(g.pages for g in failed),
                "chars_in": chars_in,
                "chars_out": chars_out,
                "chars_dropped": chars_dropped,
                "chars_trimmed": sum(g.sums[before] for g in kept) - chars_out,
                "reasons": _reasons(lost, before, position),
            }
        )
    return funnel


def _reasons(lost: list[Group], before: int, position: int) -> list[dict[str, Any]]:
    by_reason: dict[str, list[int]] = {}
    for group in lost:
        counts = by_reason.setdefault(group.dropped_by, [0, 0])
        counts[0] += group.pages
        counts[1] += group.sums[before] if position else 0
    ordered = sorted(by_reason.items(), key=lambda item: (-item[1][0], item[0]))
    return [{"reason": reason, "pages": pages, "chars": chars} for reason, (pages, chars) in ordered]


def _check_fates(groups: list[Group], stages: list[str]) -> None:
    """The stage that a fate names must be the one at which the trail ends: two records of one event, written apart."""
    position = {name: i for i, name in enumerate(["read", *stages])}
    wrong = []
    for group in groups:
        if group.dropped_by is None:
            expected: int | None = len(stages) + 1
        else:
            expected = position.get(group.dropped_by.partition(".")[0])
        if expected != group.trail_length:
            wrong.append(f"{group.pages} pages with fate {group.dropped_by} have a trail of {group.trail_length}")
    if wrong:
        raise ConservationError("fates and trails disagree: " + "; ".join(wrong))


def check_conservation(
    funnel: Sequence[dict[str, Any]], groups: Sequence[Group], pages_read: int, chars_read: int
) -> None:
    """Raises ConservationError, naming stage and figures, unless pages and characters balance everywhere.

    `pages_read` and `chars_read` come from the readers' commit records, written apart from the documents.
    """
    problems = []
    for at, entry in enumerate(funnel):
        if entry["pages_in"] != entry["kept"] + entry["dropped"] + entry["failed"]:
            problems.append(f"{entry['stage']}: {entry['pages_in']} pages in, but kept + dropped + failed differ")
        if entry["chars_in"] != entry["chars_out"] + entry["chars_dropped"] + entry["chars_trimmed"]:
            problems.append(f"{entry['stage']}: {entry['chars_in']} characters in, but kept + dropped + trimmed differ")
        if at and entry["pages_in"] != funnel[at - 1]["kept"]:
            problems.append(f"{entry['stage']}: {entry['pages_in']} pages in, {funnel[at - 1]['kept']} came out before")
    if funnel[0]["pages_in"] != pages_read:
        problems.append(f"readers yielded {pages_read} pages, {funnel[0]['pages_in']} were written")
    if funnel[0]["chars_out"] != chars_read:
        problems.append(f"readers yielded {chars_read} characters, {funnel[0]['chars_out']} were written")
    text = sum(group.chars for group in groups if group.dropped_by is None)
    if funnel[-1]["chars_out"] != text:
        problems.append(f"curated text has {text} characters, its trails say {funnel[-1]['chars_out']}")
    if problems:
        raise ConservationError("the books do not balance: " + "; ".join(problems))
