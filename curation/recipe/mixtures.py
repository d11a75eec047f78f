"""Mixtures by name: `mixture: llama1` in a recipe, or with changes `mixture: {preset: llama1, budget_tokens: ...}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from curation.conf import conf_folder
from curation.errors import RecipeError, did_you_mean
from curation.mixture.fill import whole
from curation.mixture.settings import MixtureSettings
from curation.recipe.sections import read_section
from curation.recipe.yaml_file import read_yaml


@dataclass(frozen=True)
class MixtureFile:
    """A mixture in a file of its own. `tokens` are those of its sources as published; None where they are not."""

    name: str
    source: str | None
    settings: MixtureSettings
    tokens: Mapping[str, int] | None


def mixture_names() -> list[str]:
    """Names of the mixtures that ship with the project."""
    return sorted(path.stem for path in (conf_folder() / "mixtures").glob("*.yaml"))


def load_mixture(name: str | Path, changes: Mapping[str, Any] | None = None) -> MixtureFile:
    """A shipped mixture by name, or that of a YAML file: its `mixture` key (a recipe's too), or the whole file.

    `changes` replace keys of it. Raises RecipeError with every mistake found.
    """
    path = _find(str(name))
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise RecipeError(str(path), ["is not a mapping with a mixture key, or with the keys of a mixture"])
    mistakes: list[str] = []
    section = content.get("mixture", content)
    if isinstance(section, dict) and changes:
        section = _scaled(section, changes)
    settings = read_section("mixture", MixtureSettings, with_preset(section, mistakes), mistakes)
    if mistakes or settings is None:
        raise RecipeError(str(path), mistakes or ["mixture: is empty"])
    return MixtureFile(str(content.get("name", path.stem)), content.get("source"), settings, content.get("tokens"))


def with_preset(section: Any, mistakes: list[str]) -> Any:
    """A recipe's `mixture` with the shipped one that it names written out; the rest is left to be checked.

    Other keys beside `preset` replace those of the preset. `names` gives its sources the names they have here;
    `budget_tokens` scales the phases of a preset that has some.
    """
    if isinstance(section, str):
        section = {"preset": section}
    if not isinstance(section, dict) or "preset" not in section:
        return section
    name = section["preset"]
    if name not in mixture_names():
        mistakes.append(f"mixture: no preset '{name}'; {did_you_mean(str(name), mixture_names())}")
        return None
    base = read_yaml(conf_folder() / "mixtures" / f"{name}.yaml")["mixture"]
    names = section.get("names") or {}
    if not isinstance(names, dict):
        mistakes.append(f"mixture.names: must be a mapping from the preset's names to yours, is {names!r}")
        return None
    known = _source_names(base)
    mistakes += [
        f"mixture.names: preset '{name}' has no source '{wrong}'; {did_you_mean(str(wrong), known)}"
        for wrong in names
        if wrong not in known
    ]
    changes = {key: value for key, value in section.items() if key not in ("preset", "names")}
    return _scaled(_renamed(base, names), changes)


def _find(name: str) -> Path:
    if Path(name).suffix in (".yaml", ".yml"):
        if Path(name).is_file():
            return Path(name)
        raise RecipeError(name, ["no such file; give a path that exists or a name from " + ", ".join(mixture_names())])
    if name not in mixture_names():
        raise RecipeError(name, [f"no mixture of this name; {did_you_mean(name, mixture_names())}"])
    return conf_folder() / "mixtures" / f"{name}.yaml"


def _scaled(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `changes`; a new budget is shared out to its phases as the old ones are."""
    budget = changes.get("budget_tokens")
    phases = base.get("phases")
    if not phases or not isinstance(budget, int) or isinstance(budget, bool) or "phases" in changes:
        return {**base, **changes}
    total = sum(phase["budget_tokens"] for phase in phases)
    parts = whole({str(i): Fraction(budget * p["budget_tokens"], total) for i, p in enumerate(phases)}, budget)
    return {**base, **changes, "phases": [{**p, "budget_tokens": parts[str(i)]} for i, p in enumerate(phases)]}


def _source_names(base: Mapping[str, Any]) -> list[str]:
    return sorted({name for part in (base, *base.get("phases", ())) for name in part.get("sources", ())})


def _renamed(base: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    if not names:
        return dict(base)
    found = dict(base)
    for key in ("sources", "limits"):
        if isinstance(base.get(key), dict):
            found[key] = {names.get(name, name): value for name, value in base[key].items()}
    if "phases" in base:
        found["phases"] = [_renamed(phase, names) for phase in base["phases"]]
    return found
