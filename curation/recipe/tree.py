"""A recipe as a tree for people: stages, rules with bounds, and a hash for each stage."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from rich.text import Text
from rich.tree import Tree

from curation.recipe.catalog import VERBS
from curation.recipe.load import Recipe
from curation.stage import PageStage


def recipe_tree(recipe: Recipe) -> Tree:
    """The tree. Two recipes whose hashes agree up to a stage keep the same pages up to it."""
    head = Text.assemble((recipe.name, "bold"), f" version {recipe.version}  {recipe.hash}\n", (recipe.source, "dim"))
    tree = Tree(head)
    bodies = [next(iter(stage.values())) for stage in recipe.resolved["stages"]]
    for stage, body, digest in zip(recipe.stages, bodies, recipe.stage_hashes(), strict=True):
        verb = next(key for key in body if key in VERBS)
        what = "" if verb in ("keep_if", "measure") else str(body[verb])
        settings = ", ".join(
            f"{key}: {_short(value)}" for key, value in body.items() if key not in (verb, "by_language")
        )
        line = Text.assemble((digest, "dim"), (f"  {stage.name:18} ", "bold"), f"{verb} {what}  ", (settings, "cyan"))
        branch = tree.add(line)
        for rule in stage.rules if isinstance(stage, PageStage) else ():
            branch.add(Text(f"{rule.name:44} {rule.bound}"))
        for language, own in (body.get("by_language") or {}).items():
            leaf = branch.add(Text(f"{language} ({', '.join(own['labels'])})"))
            for rule in stage.rules_for(own["labels"][0])[len(stage.rules) :]:
                leaf.add(Text(f"{rule.name:40} {rule.bound}"))
    for name, section in (("tokens", recipe.tokens), ("mixture", recipe.mixture)):
        if section is not None:
            branch = tree.add(Text(name, "bold"))
            _add_section(branch, section)
    return tree


def _add_section(branch: Tree, section: BaseModel) -> None:
    """The settings of a section; the phases of a mixture are sections themselves."""
    phases = getattr(section, "phases", ())
    replaced = {"budget_tokens", "sources", "temperature"} if phases else set()
    for key, value in section.model_dump(exclude_none=True, exclude=replaced | {"phases"}).items():
        branch.add(Text(f"{key}: {_short(value)}"))
    for phase in phases:
        _add_section(branch.add(Text(f"phase {phase.name}")), phase)


def _short(value: Any) -> str:
    """A value as one would write it in YAML.

    >>> _short({"train": {"vocab_size": 8000}}), _short(["en", "de"])
    ('{train: {vocab_size: 8000}}', '[en, de]')
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_short(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_short, value)) + "]"
    return str(value)
