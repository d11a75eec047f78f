"""`--set key.path=value`: changes one value of a recipe before it is checked.

near_duplicates.bands=20                    a setting of a stage
gopher_quality.word_count.min=30            a bound or setting of a rule
quality.deu.mean_word_length.max=16         the same in one language of a stage that has `by_language`
tokens.sequence_length=1024                 a key of a section
version=2                                   a top-level key
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curation.errors import RecipeError, did_you_mean
from curation.recipe.rule_names import rule_name
from curation.recipe.yaml_file import parse_yaml


def apply_overrides(raw: dict, overrides: Sequence[str], mistakes: list[str]) -> None:
    """Writes each override into `raw` (stages already expanded to (name, body) pairs); mistakes become sentences."""
    for override in overrides:
        path, equals, value = override.partition("=")
        if not equals:
            mistakes.append(f"--set {override}: write it as key.path=value")
            continue
        try:
            read = parse_yaml(value, "value")
        except RecipeError as error:
            mistakes.append(f"--set {override}: the value is no YAML: {error.mistakes[0]}")
            continue
        problem = _set(raw, path.split("."), read)
        if problem:
            mistakes.append(f"--set {override}: {problem}")


def _set(raw: dict, path: list[str], value: Any) -> str | None:
    head, *rest = path
    stages = dict(raw["stages"])
    if head not in stages:
        sections = [key for key in raw if key != "stages"]
        if head not in sections and head not in ("tokens", "mixture", "audit_fraction"):
            return f"no stage or key '{head}'; {did_you_mean(head, [*stages, *sections])}"
        return _set_in(raw, path, value)
    body = stages[head]
    if not rest:
        return f"names the stage '{head}' but no setting of it"
    if rest[0] in (body.get("by_language") or {}):
        return _set_language(head, body, rest, value)
    if isinstance(body.get("keep_if"), list):
        for number, rule in enumerate(body["keep_if"]):
            if rule_name(rule) == rest[0] and len(rest) == 2:
                measure, old = next(iter(rule.items()))
                body["keep_if"][number] = {measure: {**old, rest[1]: value}}
                return None
        names = [rule_name(rule) for rule in body["keep_if"]]
        return f"no rule '{'.'.join(rest)}' in stage '{head}'; write stage.rule.min; {did_you_mean(rest[0], names)}"
    return _set_in(body, rest, value)


def _set_language(stage: str, body: dict, path: list[str], value: Any) -> str | None:
    names = [rule_name(rule) for rule in body["keep_if"]]
    if len(path) != 3 or path[1] not in names:
        wrong = path[1] if len(path) > 1 else ""
        return f"no rule '{wrong}' in stage '{stage}'; write stage.language.rule.min; {did_you_mean(wrong, names)}"
    own = body["by_language"][path[0]]
    changed = {**own, path[1]: {**own.get(path[1], {}), path[2]: value}}
    body["by_language"] = {**body["by_language"], path[0]: changed}
    return None


def _set_in(mapping: dict, path: list[str], value: Any) -> str | None:
    for position, key in enumerate(path[:-1]):
        inner = mapping.get(key)
        if inner is None:
            inner = {}
        if not isinstance(inner, dict):
            return f"'{'.'.join(path[: position + 1])}' is {inner!r} and holds no keys"
        mapping[key] = dict(inner)
        mapping = mapping[key]
    mapping[path[-1]] = value
    return None
