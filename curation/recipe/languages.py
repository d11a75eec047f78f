"""Bounds that depend on the language: a table of conf/languages laid over a rule list.

A table holds, for each language (ISO 639-3), the `labels` that language identification gives it and, under the name of
a rule, the bounds and settings of that rule in this language; all else comes from the rule list:

    deu: {labels: [de, deu_Latn], mean_word_length: {min: 0, max: 15}, stop_word_count: {words: [der, und, die]}}

The rules before the first one that any language changes hold for every page, also where its language is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curation.errors import did_you_mean
from curation.recipe.catalog import read_value
from curation.recipe.rule_names import rule_name

LABELS = "labels"  # the one key of a language that names no rule


def take_languages(stages: Sequence[tuple[str, dict]], mistakes: list[str]) -> None:
    """Leaves in each stage's table only the rules that the stage has, so its hash changes only with them.

    A name in a table that no stage of the recipe has is a mistake.
    """
    tables = [(body["keep_if"], body) for _, body in stages if _has_table(body)]
    known = {rule_name(rule) for rules, _ in tables for rule in rules}
    for name in sorted({name for _, body in tables for name in _names(body["by_language"])} - known):
        mistakes.append(f"by_language: '{name}' is no rule of a stage; {did_you_mean(name, list(known))}")
    for rules, body in tables:
        wanted = {LABELS, *map(rule_name, rules)}
        body["by_language"] = {
            language: {name: value for name, value in own.items() if name in wanted}
            for language, own in body["by_language"].items()
        }


def merge_rules(
    where: str, rules: Sequence[dict], table: Any, mistakes: list[str]
) -> tuple[list[dict], dict[str, list[dict]]]:
    """(rules that hold for every page, language -> all its rules); sentences in `mistakes` where the table is wrong."""
    before = len(mistakes)
    _check(where, table, mistakes)
    if len(mistakes) > before:
        return [], {}
    changed = set(_names(table))
    names = [rule_name(rule) for rule in rules]
    first = next((i for i, name in enumerate(names) if name in changed), len(rules))
    merged = {
        language: [_laid_over(rule, own.get(name, {})) for rule, name in zip(rules, names, strict=True)]
        for language, own in table.items()
    }
    return list(rules[:first]), merged


def labels_of(own: Mapping[str, Any]) -> tuple[str, ...]:
    """Labels of language identification that mean this language."""
    return tuple(own[LABELS])


def _laid_over(rule: dict, own: Mapping[str, Any]) -> dict:
    measure, body = next(iter(rule.items()))
    return {measure: {**(body or {}), **own}}


def _has_table(body: dict) -> bool:
    table = body.get("by_language")
    return (
        isinstance(body.get("keep_if"), list)
        and isinstance(table, dict)
        and all(isinstance(own, dict) for own in table.values())
    )


def _names(table: Mapping[str, Mapping]) -> list[str]:
    return [str(name) for own in table.values() for name in own if name != LABELS]


def _check(where: str, table: Any, mistakes: list[str]) -> None:
    if not isinstance(table, dict) or not table:
        mistakes.append(f"{where}: by_language takes languages/NAME or a table of languages, is {table!r}")
        return
    seen: dict[str, str] = {}
    for language, own in table.items():
        place = f"{where}: by_language, '{language}'"
        if not isinstance(own, dict) or not own.get(LABELS):
            mistakes.append(f"{place}: needs labels, the labels of language identification, such as [de, deu_Latn]")
            continue
        problem, labels = read_value(tuple[str, ...], own[LABELS])
        if problem:
            mistakes.append(f"{place}: labels is {own[LABELS]!r}; {problem}")
            continue
        mistakes += [
            f"{place}: '{name}' is {body!r}; write {{min: ..., max: ...}}"
            for name, body in own.items()
            if name != LABELS and not isinstance(body, dict)
        ]
        mistakes += [
            f"{place}: label '{label}' already belongs to '{seen[label]}'" for label in labels if label in seen
        ]
        seen.update(dict.fromkeys(labels, str(language)))
