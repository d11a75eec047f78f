"""What if a bound were another? The funnel of a recipe with moved bounds, from the values that an annotate run stored.

Nothing is extracted or measured again: rules are compared with the stored signals, edits that would have refused a page
are signals too, and corpus stages decide anew on the stored signatures, those of the runs it was made against included;
texts stay cut as they were in that run. In memory: about 8 bytes a page and signal, and the signatures (448 bytes a
page at 14 x 8); an annotate run of a sample is the place for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from curation.document import named_values
from curation.errors import InputError, RecipeError
from curation.recipe.catalog import COLUMNS
from curation.recipe.load import Recipe, rebuild_recipe
from curation.run.benchmarks import with_kept_items
from curation.run.earlier import stored_keys
from curation.run.folder import RunFolder, read_json
from curation.run.funnel import Group, build_funnel
from curation.stage import UNSUPPORTED, PageStage, Rule

BOUNDS = ("min", "max", "in")


@dataclass(frozen=True)
class WhatIf:
    """Funnel entries (as in funnel.json) with the recipe's own bounds and with the moved ones."""

    before: list[dict[str, Any]]
    after: list[dict[str, Any]]


def what_if(folder: RunFolder, overrides: Sequence[str]) -> WhatIf:
    """Both funnels of an annotate run.

    Raises InputError where the run stored no values, RecipeError for an override that moves more than a bound.
    """
    resolved = read_json(folder.plan)["resolved"] if folder.plan.is_file() else None
    if resolved is None or not folder.funnel.is_file():
        raise InputError(f"{folder.root} is no finished run")
    if not resolved.get("annotate"):
        raise InputError(f"{folder.root} stored no values; make one that does: curate run RECIPE --annotate ...")
    resolved = {**resolved, "annotate": False}
    recipe, moved = (with_kept_items(folder, rebuild_recipe(resolved, moves)) for moves in ((), overrides))
    if _without_bounds(recipe) != _without_bounds(moved):
        raise RecipeError(
            "what-if", ["only bounds (min, max, in) of rules can be moved; other settings need a new run"]
        )
    pages = _Pages(folder, recipe)
    return WhatIf(pages.funnel(recipe), pages.funnel(moved))


def _without_bounds(recipe: Recipe) -> list[Any]:
    stages = deepcopy(recipe.resolved["stages"])
    for body in (body for stage in stages for body in stage.values()):
        for rule in body["keep_if"] if isinstance(body.get("keep_if"), list) else ():
            _take_bounds(rule)
        for own in (body.get("by_language") or {}).values():
            _take_bounds({name: settings for name, settings in own.items() if isinstance(settings, dict)})
    return stages


def _take_bounds(rules: dict[str, dict]) -> None:
    for settings in rules.values():
        for bound in BOUNDS:
            settings.pop(bound, None)


class _Pages:
    """All pages of an annotate run: identity, trail, text columns and signals."""

    def __init__(self, folder: RunFolder, recipe: Recipe):
        parts = [folder.curated, *sorted(folder.root.glob("documents/pass-*/alive=false"))]
        files = [str(file) for part in parts for file in sorted(part.glob("*.parquet"))]
        columns = ["doc_id", "trail", "dropped_by", "signals", *COLUMNS]
        self._table = ds.dataset(files, format="parquet").to_table(columns=columns).combine_chunks()
        self._folder = folder
        self._against = [Path(run) for run in read_json(folder.plan)["against"]]
        self._stages = [(s.name, "page" if isinstance(s, PageStage) else "corpus") for s in recipe.stages]
        self._trail = _matrix(self._table["trail"], len(self._stages) + 1)
        self._reached = pc.list_value_length(self._table["trail"]).to_numpy()

    def funnel(self, recipe: Recipe) -> list[dict[str, Any]]:
        """Funnel entries of the recipe, whose bounds may differ from those the run had."""
        fate = np.array(self._table["dropped_by"].to_pylist(), dtype=object)
        ended = self._reached.copy()  # trail position at which a page is lost; past the last for those kept
        for position, stage in enumerate(recipe.stages, 1):
            here = ended > position
            if not isinstance(stage, PageStage) and not stage.cuts_text:
                self._mark(fate, ended, position, here & self._removed(stage, here), f"{stage.name}.{stage.rule}")
                continue
            rules_of = self._rules(stage, here) if isinstance(stage, PageStage) else ()
            for meets, rules in rules_of:
                for rule in rules:
                    fails = meets & (ended > position) & ~self._passes(stage.name, rule, meets)
                    self._mark(fate, ended, position, fails, f"{stage.name}.{rule.name}")
            if isinstance(stage, PageStage) and stage.by_language is not None:
                unsupported = here & (ended > position) & ~self._speaks(tuple(stage.by_language))
                self._mark(fate, ended, position, unsupported, f"{stage.name}.{UNSUPPORTED}")
            if not isinstance(stage, PageStage) or not stage.every_rule:
                for name in self._refusals(stage.name):
                    refused = here & (ended > position) & (np.nan_to_num(self._signal(name)) > 0)
                    self._mark(fate, ended, position, refused, name)
        return build_funnel(self._groups(fate, ended), self._stages)

    def _rules(self, stage: PageStage, here: np.ndarray) -> Iterator[tuple[np.ndarray, tuple[Rule, ...]]]:
        """Which of the pages `here` meet which rules; rules without a bound are met by none."""
        labels: dict[tuple[Rule, ...], list[str]] = {}
        for label, rules in (stage.by_language or {}).items():
            labels.setdefault(rules, []).append(label)
        for rules, own in labels.items():
            yield here & self._speaks(tuple(own)), tuple(rule for rule in rules if rule.bounded)
        yield here & ~self._speaks(tuple(stage.by_language or ())), tuple(rule for rule in stage.rules if rule.bounded)

    def _speaks(self, labels: tuple[str, ...]) -> np.ndarray:
        return pc.is_in(self._table["language"], value_set=pa.array(labels, pa.string())).to_numpy()

    @staticmethod
    def _mark(fate: np.ndarray, ended: np.ndarray, position: int, lost: np.ndarray, name: str) -> None:
        fate[lost], ended[lost] = name, position

    def _passes(self, stage: str, rule: Rule, here: np.ndarray) -> np.ndarray:
        if "." not in rule.source:
            values = self._table[rule.source].to_numpy(zero_copy_only=False)
        else:
            values = self._signal(f"{stage}.{rule.name}")
            missing = int(np.isnan(values[here]).sum())
            if missing:
                raise InputError(
                    f"{missing} pages carry no value of {stage}.{rule.name}: was the run made by this version?"
                )
        if rule.allowed is not None:
            return np.isin(values.astype(str), np.array(rule.allowed, dtype=str))
        passes = np.ones(len(values), bool)
        if rule.min is not None:
            passes &= values >= rule.min
        if rule.max is not None:
            passes &= values <= rule.max
        return passes

    def _signal(self, name: str) -> np.ndarray:
        parts = [named_values(chunk, name) for chunk in self._table["signals"].chunks]
        return pa.chunked_array(parts, pa.float64()).to_numpy()

    def _refusals(self, stage: str) -> list[str]:
        keys = pc.unique(pc.struct_field(pc.list_flatten(self._table["signals"]), "key")).to_pylist()
        return sorted(key for key in keys if key.partition(".")[0] == stage)

    def _removed(self, stage: Any, here: np.ndarray) -> np.ndarray:
        ids = self._table["doc_id"]
        keys = ds.dataset(self._folder.signatures(stage.name), format="parquet").to_table()
        living = pa.array(ids.to_numpy()[here])
        keys = keys.filter(pc.is_in(keys["doc_id"], value_set=living))
        earlier = stored_keys(self._against, stage)
        removed = stage.local_removals(keys if earlier is None else pa.concat_tables([keys, earlier])).removals
        return pc.is_in(ids, value_set=removed["doc_id"].combine_chunks()).to_numpy()

    def _groups(self, fate: np.ndarray, ended: np.ndarray) -> list[Group]:
        snapshots = self._table["snapshot"].to_pylist()
        rows: dict[tuple, list[int]] = {}
        for i, key in enumerate(zip(snapshots, fate, ended.tolist(), strict=True)):
            rows.setdefault(key, []).append(i)
        groups = []
        for (snapshot, reason, length), members in rows.items():
            sums = self._trail[members, :].sum(axis=0)
            sums[length:] = 0
            chars = int(sums[length - 1]) if length else 0
            groups.append(Group(snapshot, reason, length, len(members), chars, tuple(int(s) for s in sums)))
        return groups


def _matrix(trails: pa.ChunkedArray, width: int) -> np.ndarray:
    """Trails as rows of characters, int64 [pages, width], zeros behind the end of a trail."""
    matrix = np.zeros((len(trails), width), np.int64)
    lengths = pc.list_value_length(trails).to_numpy()
    rows = np.repeat(np.arange(len(trails)), lengths)
    starts = np.cumsum(lengths) - lengths
    columns = np.arange(len(rows)) - np.repeat(starts, lengths)
    matrix[rows, columns] = pc.list_flatten(trails).to_numpy()
    return matrix
