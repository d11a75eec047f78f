"""The books of a finished run written again from its files, without Spark: what follows from rows that went.

Every figure comes from what lies in the folder, so that doing it twice, or after a halt, gives the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.errors import MixtureError
from curation.mixture import solve
from curation.recipe.load import Recipe, rebuild_recipe
from curation.report.html import write_report
from curation.run.folder import RunFolder, read_json, write_json
from curation.run.forgotten import FATE
from curation.run.funnel import add_tokens, build_funnel, by_snapshot, check_conservation, group_files
from curation.run.lookup import fate_files
from curation.run.loss import count_cascade_of
from curation.run.plan import cut_into_segments
from curation.stage import PageStage
from curation.tokens.shards import summary_counts


def balance(folder: RunFolder, mixed_anew: bool = False) -> list[str]:
    """Writes commits, funnel, token summary, mixture and report again; returns what could not be.

    `mixed_anew`: mixture.json is not the recipe's, so it cannot be solved here and goes.
    Raises ConservationError where pages or characters do not add up.
    """
    plan = read_json(folder.plan)
    recipe = rebuild_recipe(plan["resolved"])
    _recount_commits(folder, recipe)
    problems: list[str] = []
    summary = _recount_tokens(folder)
    if mixed_anew:
        folder.mixture.unlink(missing_ok=True)
        again = f"curate mix solve FILE --run {folder.root} --out {folder.mixture}"
        problems = [f"mixture.json was not the recipe's and was removed; solve it anew: {again}"]
    elif summary is not None and recipe.mixture is not None:
        problems = _mix(folder, summary, recipe)
    funnel = _funnel(folder, recipe)
    add_tokens(funnel, summary, recipe.resolved)
    write_json(folder.funnel, funnel)
    write_report(folder.root)
    return problems


def _recount_commits(folder: RunFolder, recipe: Recipe) -> None:
    """The commit records of units with forgotten pages: how many pages and characters went through each pass."""
    segments = cut_into_segments(recipe.stages)
    touched = [path.stem for path in sorted(folder.dead(0).glob("*.parquet")) if _has_forgotten(path)]
    for segment in segments:
        for unit in touched:
            path = folder.commits(segment.number) / f"{unit}.json"
            alive = folder.alive(segment.number, segment is segments[-1]) / f"{unit}.parquet"
            dead = folder.dead(segment.number) / f"{unit}.parquet"
            rows = {"alive": pq.read_metadata(alive).num_rows, "dead": pq.read_metadata(dead).num_rows}
            counted = {"pages_in": sum(rows.values()), "chars_read": _chars_read(alive) + _chars_read(dead), **rows}
            commit = read_json(path)
            if commit | counted != commit:
                write_json(path, commit | counted)


def _has_forgotten(path: Path) -> bool:
    fates = pq.read_table(path, columns=["dropped_by"])["dropped_by"]
    return pc.any(pc.equal(fates, FATE)).as_py() or False


def _chars_read(path: Path) -> int:
    trails = pq.read_table(path, columns=["trail"])["trail"]
    read = trails.filter(pc.greater(pc.list_value_length(trails), 0))
    return pc.sum(pc.list_element(read, 0)).as_py() or 0


def _funnel(folder: RunFolder, recipe: Recipe) -> dict[str, Any]:
    stages = [(s.name, "page" if isinstance(s, PageStage) else "corpus") for s in recipe.stages]
    groups = group_files(fate_files(folder), len(stages))
    entries = build_funnel(groups, stages)
    commits = [read_json(path) for path in sorted(folder.commits(0).glob("*.json"))]
    check_conservation(entries, groups, sum(c["pages_in"] for c in commits), sum(c["chars_read"] for c in commits))
    before = read_json(folder.funnel)
    funnel = {**before, "stages": entries, "by_snapshot": by_snapshot(groups)}
    if "cascade" in before:
        funnel["cascade"] = count_cascade_of(fate_files(folder))
    return funnel


def _recount_tokens(folder: RunFolder) -> dict[str, Any] | None:
    """tokens/summary.json with the counts of the shards that are there. Compression stays that of all text encoded."""
    path = folder.tokens / "summary.json"
    if not path.is_file():
        return None
    summary = {**read_json(path), **summary_counts(folder.tokens)}
    write_json(path, summary)
    return summary


def is_mixed_anew(folder: RunFolder) -> bool:
    """Whether mixture.json is another than the recipe makes of the tokens that summary.json counts."""
    if not folder.mixture.is_file():
        return False
    recipe, summary = rebuild_recipe(read_json(folder.plan)["resolved"]), read_json(folder.tokens / "summary.json")
    try:
        return recipe.mixture is None or read_json(folder.mixture) != solve(_available(summary), recipe.mixture)
    except MixtureError:
        return True


def _mix(folder: RunFolder, summary: dict[str, Any], recipe: Recipe) -> list[str]:
    """The mixture for the tokens that are left; it goes where they do not suffice any more."""
    try:
        write_json(folder.mixture, solve(_available(summary), recipe.mixture))
    except MixtureError as error:
        folder.mixture.unlink(missing_ok=True)
        return [f"the recipe's mixture cannot be reached any more, so mixture.json was removed: {error}"]
    return []


def _available(summary: dict[str, Any]) -> dict[str, int]:
    return {source: splits["train"] for source, splits in summary["tokens"].items()}
