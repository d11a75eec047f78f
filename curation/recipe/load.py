"""Loads a recipe: reads it, checks all of it, and builds its stages. Every mistake is reported in one message."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.conf import conf_folder
from curation.dedup.stages import CorpusStage
from curation.errors import RecipeError, did_you_mean
from curation.mixture import MixtureSettings
from curation.recipe.build import build_stage
from curation.recipe.cascades import add_cascades
from curation.recipe.languages import take_languages
from curation.recipe.mixtures import with_preset
from curation.recipe.order import check_order, check_scores
from curation.recipe.overrides import apply_overrides
from curation.recipe.rule_names import rule_name
from curation.recipe.sections import read_section
from curation.recipe.yaml_file import read_yaml
from curation.stage import PageStage
from curation.tokens.settings import TokenSettings

_log = logging.getLogger(__name__)
_STAGE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")  # names folders of the run: no way out of it
OWN_STEPS = ("read", "tokens", "validation_clusters")
TOP_LEVEL = ("name", "version", "source", "description", "annotate", "stages", "audit_fraction", "tokens", "mixture")


@dataclass(frozen=True)
class Recipe:
    """A checked recipe. `resolved` is the whole of it as plain data, includes and defaults of the file written out."""

    name: str
    version: int
    source: str
    stages: tuple[PageStage | CorpusStage, ...]
    audit_fraction: float
    annotate: bool  # store all values as signals and drop nothing by rule
    tokens: TokenSettings | None
    mixture: MixtureSettings | None
    resolved: Mapping[str, Any]

    @property
    def hash(self) -> str:
        """Identity of the whole recipe: 16 hex digits of sha256 over `resolved`."""
        return _digest(self.resolved)

    def stage_hashes(self) -> list[str]:
        """For each stage the hash of everything up to and including it: equal hashes mean equal survivors.

        Save for a cascade, which gives up early what a later stage would drop: it knows the bounds behind it.
        """
        stages = self.resolved["stages"]
        return [_digest(stages[: i + 1]) for i in range(len(stages))]


def recipe_names() -> list[str]:
    """Names of the recipes that ship with the project."""
    return sorted(path.stem for path in (conf_folder() / "recipes").glob("*.yaml"))


def load_recipe(
    name: str | Path, overrides: Sequence[str] = (), *, annotate: bool = False, rows: bool = False
) -> Recipe:
    """A recipe by name (`fineweb`) or path; `overrides` as `stage.setting=value`, applied before checking.

    `annotate` makes an annotate run of it: all values are stored, no rule drops, and it ends with text. `rows`: it is
    for rows of the user's own (`curate dedup`), whose columns are the scores.

    Raises RecipeError with every mistake found.
    """
    if isinstance(overrides, (str, Mapping)) or not all(isinstance(one, str) for one in overrides):
        raise RecipeError(
            str(name), [f"overrides must be a list such as ['stage.setting=value'], is {overrides!r:.80}"]
        )
    path = _find(str(name))
    raw = read_yaml(path)
    if not isinstance(raw, dict):
        raise RecipeError(str(path), ["is not a mapping with name, version, source and stages"])
    mistakes: list[str] = []
    raw = dict(raw)
    if annotate:
        raw = {key: value for key, value in raw.items() if key not in ("tokens", "mixture")} | {"annotate": True}
    raw["stages"] = _expand(raw.get("stages"), mistakes)
    if isinstance(raw.get("mixture"), str):
        raw["mixture"] = {"preset": raw["mixture"]}
    apply_overrides(raw, overrides, mistakes)
    return _build(str(path), raw, mistakes, rows)


def rebuild_recipe(resolved: Mapping[str, Any], overrides: Sequence[str] = ()) -> Recipe:
    """The recipe that a run stored in its plan.json, with `overrides`. Raises RecipeError as `load_recipe` does."""
    raw = deepcopy(dict(resolved))
    raw["stages"] = [next(iter(stage.items())) for stage in raw["stages"]]
    mistakes: list[str] = []
    apply_overrides(raw, overrides, mistakes)
    rows = all("corpus" in body for _, body in raw["stages"])  # an output of `curate dedup`
    return _build(f"recipe {resolved.get('name')} of a run", raw, mistakes, rows)


def _find(name: str) -> Path:
    path = Path(name)
    is_path = path.suffix in (".yaml", ".yml") or path.name != name  # else a name, whatever lies in this folder
    if is_path and path.is_file():
        return path
    if is_path:
        why = "is a folder" if path.is_dir() else "no such file"
        raise RecipeError(name, [f"{why}; give the path of a YAML file or a name from {', '.join(recipe_names())}"])
    shipped, here = conf_folder() / "recipes" / f"{name}.yaml", Path(f"{name}.yaml")
    if shipped.is_file():
        if here.is_file() and here.resolve() != shipped.resolve():
            _log.warning("%s is the recipe of this name that ships with the project; the file here is %s", name, here)
        return shipped
    hint = next((f"; for the file give ./{file}" for file in (path, here) if file.is_file()), "")
    raise RecipeError(name, [f"no recipe of this name; {did_you_mean(name, recipe_names())}{hint}"])


def _expand(stages: Any, mistakes: list[str]) -> list[tuple[str, dict]]:
    """Stages as (name, body) with `rules/x` includes read in and `without` taken off."""
    if not isinstance(stages, list) or not stages:
        mistakes.append("stages: must be a list of `- name: {verb: function, setting: value}`")
        return []
    expanded = []
    for number, entry in enumerate(stages, 1):
        if not (isinstance(entry, dict) and len(entry) == 1 and isinstance(next(iter(entry.values())), dict)):
            mistakes.append(f"stage {number}: must be `- name: {{verb: function, setting: value}}`, is {entry!r}")
            continue
        name, body = next(iter(entry.items()))
        if not _STAGE_NAME.fullmatch(str(name)):
            mistakes.append(
                f"stage {number}: the name {str(name)[:80]!r} is part of fates and of folders: "
                "up to 64 letters, digits, '_' and '-', the first no '-'"
            )
            continue
        body = dict(body)
        for verb in ("keep_if", "measure"):
            if isinstance(body.get(verb), str):
                body[verb] = _include(str(name), "rules", body[verb], mistakes) or []
            if isinstance(body.get(verb), list):
                body[verb] = _without(str(name), body[verb], body.pop("without", ()), mistakes)
        if isinstance(body.get("by_language"), str):
            body["by_language"] = _include(str(name), "languages", body["by_language"], mistakes) or {}
        expanded.append((str(name), body))
    take_languages(expanded, mistakes)
    return expanded


def _include(stage: str, folder: str, name: str, mistakes: list[str]) -> Any:
    """The content of a file of conf/rules or conf/languages; None, with a sentence in `mistakes`, if there is none."""
    known = [f"{folder}/{path.stem}" for path in (conf_folder() / folder).glob("*.yaml")]
    if name not in known:
        what = {"rules": "rule list", "languages": "table of languages"}[folder]
        mistakes.append(f"stage '{stage}': no {what} '{name}'; {did_you_mean(name, known)}")
        return None
    return read_yaml(conf_folder() / f"{name}.yaml")


def _without(stage: str, rules: list, names: Any, mistakes: list[str]) -> list:
    names = [names] if isinstance(names, str) else list(names)
    have = [rule_name(rule) for rule in rules]
    mistakes += [
        f"stage '{stage}': without '{n}' names no rule; {did_you_mean(str(n), have)}" for n in names if n not in have
    ]
    return [rule for rule in rules if rule_name(rule) not in names]


def _build(where: str, raw: dict, mistakes: list[str], rows: bool) -> Recipe:
    for key in raw:
        if key not in TOP_LEVEL:
            mistakes.append(f"unknown key '{key}'; {did_you_mean(str(key), TOP_LEVEL)}")
    for key, kind in (("name", str), ("version", int), ("source", str)):
        if not isinstance(raw.get(key), kind) or isinstance(raw.get(key), bool):
            mistakes.append(
                f"{key}: must be given as {'text' if kind is str else 'a whole number'}, is {raw.get(key)!r}"
            )
    fraction = raw.get("audit_fraction", 0.01)
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)) or not 0 <= fraction <= 1:
        mistakes.append(f"audit_fraction: must be a share between 0 and 1, is {fraction!r}")
    annotate = raw.get("annotate", False)
    if not isinstance(annotate, bool):
        mistakes.append(f"annotate: must be true or false, is {annotate!r}")
    if annotate and (raw.get("tokens") or raw.get("mixture")):
        mistakes.append("annotate: an annotate run keeps pages that its rules would drop; leave tokens and mixture out")
    names = [name for name, _ in raw["stages"]]
    mistakes += [
        f"stage '{n}' stands {names.count(n)} times; give each its own name"
        for n in sorted({n for n in names if names.count(n) > 1})
    ]
    mistakes += [
        f"stage '{n}' has a name that runs use for steps of their own; choose another" for n in names if n in OWN_STEPS
    ]
    stages = [build_stage(name, body, mistakes, annotate is True) for name, body in raw["stages"]]
    with_cascades = add_cascades([body for _, body in raw["stages"]], stages, mistakes)
    if annotate is not True:  # an annotate run stores the values of every page: none is given up
        stages = with_cascades
    check_order(raw["stages"], mistakes)
    if not rows:
        check_scores(raw["stages"], mistakes)
    tokens = read_section("tokens", TokenSettings, raw.get("tokens"), mistakes)
    if raw.get("mixture") is not None:
        raw["mixture"] = with_preset(raw["mixture"], mistakes)
    mixture = read_section("mixture", MixtureSettings, raw.get("mixture"), mistakes)
    if mixture is not None and raw.get("tokens") is None:
        mistakes.append("mixture: needs a tokens section, because weights count tokens")
    if mistakes:
        raise RecipeError(where, mistakes)
    resolved = {**raw, "stages": [{name: body} for name, body in raw["stages"]], "audit_fraction": fraction}
    return Recipe(
        raw["name"], raw["version"], raw["source"], tuple(stages), float(fraction), annotate, tokens, mixture, resolved
    )  # fmt: skip


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]
