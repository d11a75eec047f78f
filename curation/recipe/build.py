"""Builds one stage of a recipe from its YAML, checking every name and setting on the way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan
from typing import Annotated, Any

from pydantic import Field

from curation.errors import did_you_mean
from curation.extract.fallback import with_fallback
from curation.page import Page
from curation.recipe.catalog import (
    COLUMNS,
    NUMBERS,
    SCORES,
    VERBS,
    functions,
    read_settings,
    read_value,
    values_of,
)
from curation.recipe.languages import labels_of, merge_rules
from curation.recipe.rule_names import rule_name
from curation.stage import PageStage, Rule, annotate, extract, keep_if, measure, rewrite

BOUNDS = ("min", "max", "in")
BESIDE_ENGINE = ("cascade", "fallback_below")  # settings of an extract stage that the engine does not see


def build_stage(name: str, body: dict, mistakes: list[str], annotated: bool) -> Any:
    """A PageStage or CorpusStage; None, with sentences in `mistakes`, where the YAML is wrong."""
    where = f"stage '{name}'"
    verbs = [key for key in body if key in VERBS]
    if len(verbs) != 1:
        if verbs:
            mistakes.append(f"{where}: has {' and '.join(verbs)}; a stage has one verb")
        else:
            hints = [f"'{key}': {did_you_mean(str(key), VERBS)}" for key in body] or [f"one of {', '.join(VERBS)}"]
            mistakes.append(f"{where}: no verb; {'; '.join(hints)}")
        return None
    verb, settings = verbs[0], {key: value for key, value in body.items() if key not in VERBS}
    if verb == "keep_if":
        return _build_keep_if(name, body["keep_if"], settings, mistakes, annotated)
    if verb == "measure":
        return _build_measure(name, body["measure"], settings, mistakes)
    target, known = str(body[verb]), functions(verb)
    if target not in known:
        mistakes.append(f"{where}: {verb} knows no '{target}'; {did_you_mean(target, list(known))}")
        return None
    into = _read_into(where, verb, target, settings.pop("into", None), mistakes)
    before = len(mistakes)
    beside = {key: settings.pop(key) for key in BESIDE_ENGINE if key in settings} if verb == "extract" else {}
    also = BESIDE_ENGINE if verb == "extract" else ()
    checked = read_settings(where, known[target], settings, mistakes, also)
    below = _read_share(where, "fallback_below", beside.get("fallback_below", 0), mistakes)
    if len(mistakes) > before:
        return None
    if verb in ("corpus", "decontaminate"):
        try:
            return known[target](name=name, **checked)
        except ValueError as error:
            mistakes.append(f"{where}: {error}")
            return None
    function = partial(known[target], **checked)
    if verb == "annotate":
        return annotate(name, function, into)
    if verb == "extract":
        return extract(name, function, with_fallback(target, below) if below else None)
    return rewrite(name, function, annotate=annotated)


def _read_share(where: str, key: str, value: Any, mistakes: list[str]) -> float:
    problem, share = read_value(Annotated[float, Field(ge=0, le=1)], value)
    if problem:
        mistakes.append(f"{where}: setting '{key}' is {value!r}; {problem}")
    return share or 0.0


def _read_into(where: str, verb: str, target: str, into: Any, mistakes: list[str]) -> tuple[str, ...]:
    if verb != "annotate":
        if into is not None:
            mistakes.append(f"{where}: 'into' belongs to annotate, not to {verb}")
        return ()
    into = [into] if isinstance(into, str) else into
    if not isinstance(into, list) or not all(isinstance(column, str) for column in into):
        mistakes.append(f"{where}: into must name the columns that {target} fills, such as [language, language_score]")
        return ()
    fills = values_of(functions("annotate")[target])
    if len(into) != fills:
        mistakes.append(f"{where}: {target} fills {fills} column{'s' * (fills > 1)}, into names {len(into)}")
    return tuple(into)


def _build_keep_if(name: str, rules: Any, settings: dict, mistakes: list[str], annotated: bool) -> PageStage | None:
    where, table = f"stage '{name}'", settings.pop("by_language", None)
    mistakes += [f"{where}: unknown setting '{key}'; known: keep_if, without, by_language" for key in settings]
    if not _is_rule_list(where, "keep_if", rules, mistakes):
        return None
    if table is None:
        return keep_if(name, _build_rules(where, rules, mistakes), annotate=annotated)
    before = len(mistakes)
    _build_rules(where, rules, mistakes, bounded=False)
    general, merged = merge_rules(where, [rule for rule in rules if _is_rule(rule)], table, mistakes)
    if len(mistakes) > before:  # else each mistake would be told again for every language
        return None
    by_language = {}
    for language, own in merged.items():
        built = _build_rules(f"{where}, language '{language}'", own, mistakes)
        by_language.update(dict.fromkeys(labels_of(table[language]), tuple(built)))
    return keep_if(name, _build_rules(where, general, mistakes), by_language, annotate=annotated)


def _build_measure(name: str, rules: Any, settings: dict, mistakes: list[str]) -> PageStage | None:
    where = f"stage '{name}'"
    mistakes += [f"{where}: unknown setting '{key}'; known: measure, without" for key in settings]
    if not _is_rule_list(where, "measure", rules, mistakes):
        return None
    built = _build_rules(where, rules, mistakes, bounded=False)
    for rule in built:
        if rule.bounded:
            mistakes.append(f"{where}: '{rule.name}' has a bound; measure drops no page, so use keep_if or take it out")
        if rule.source in COLUMNS and rule.source not in NUMBERS:
            mistakes.append(f"{where}: column '{rule.source}' is no number; measure can store {', '.join(NUMBERS)}")
    return measure(name, built)


def _is_rule_list(where: str, verb: str, rules: Any, mistakes: list[str]) -> bool:
    if not isinstance(rules, list):
        mistakes.append(f"{where}: {verb} takes rules/NAME or a list of rules, is {rules!r}")
        return False
    names = [rule_name(rule) for rule in rules]
    for twice in sorted({n for n in names if names.count(n) > 1}):
        mistakes.append(f"{where}: rule '{twice}' stands {names.count(twice)} times; give each its own `name:`")
    return True


def _build_rules(where: str, rules: list, mistakes: list[str], bounded: bool = True) -> list[Rule]:
    built = [_build_rule(where, rule, mistakes, bounded) for rule in rules]
    return [rule for rule in built if rule is not None]


def _is_rule(rule: Any) -> bool:
    return isinstance(rule, dict) and len(rule) == 1 and isinstance(next(iter(rule.values())), dict)


def _build_rule(where: str, rule: Any, mistakes: list[str], bounded: bool) -> Rule | None:
    """`bounded`: a rule without min, max and in is a mistake."""
    if not _is_rule(rule):
        mistakes.append(f"{where}: a rule is `measure: {{min: .., max: ..}}`, is {rule!r}")
        return None
    measure, body = next(iter(rule.items()))
    name, where = rule_name(rule), f"{where}: rule '{measure}'"
    settings = {key: value for key, value in body.items() if key not in (*BOUNDS, "name")}
    low, high, allowed = _read_bounds(where, body, bounded, mistakes)
    if "." not in str(measure) or str(measure).startswith(SCORES):
        value = _reader(str(measure))
        if value is None:
            mistakes.append(f"{where} is no column; {did_you_mean(str(measure), COLUMNS)}")
            return None
        mistakes += [
            f"{where}: unknown setting '{key}'; a column takes {', '.join(BOUNDS)} and name" for key in settings
        ]
        return Rule(name, value, str(measure), low, high, allowed)
    known = functions("keep_if")
    if measure not in known:
        mistakes.append(f"{where} is no measure; {did_you_mean(str(measure), list(known))}")
        return None
    checked = read_settings(where, known[measure], settings, mistakes, also=(*BOUNDS, "name"))
    return Rule(name, partial(known[measure], **checked), str(measure), low, high, allowed)


def _read_bounds(
    where: str, body: dict, bounded: bool, mistakes: list[str]
) -> tuple[float | None, float | None, tuple | None]:
    if bounded and not any(bound in body for bound in BOUNDS):
        mistakes.append(f"{where}: no bound; give min, max or in")
    bounds: dict[str, Any] = {}
    for key, kind in (("min", float), ("max", float), ("in", tuple[str, ...])):
        if key in body:
            problem, bounds[key] = read_value(kind, body[key])
            if problem:
                mistakes.append(f"{where}: {key} is {body[key]!r}; {problem}")
    low, high = bounds.get("min"), bounds.get("max")
    if low is not None and high is not None and low > high:
        mistakes.append(f"{where}: min {low:g} is above max {high:g}, so no page could pass")
    return low, high, bounds.get("in")


def _reader(column: str) -> Callable[[Page], Any] | None:
    """How a rule reads a column, or one of the scores; None where there is no such column."""
    if column.startswith(SCORES):
        return partial(_score, score=column.removeprefix(SCORES))
    return partial(_column, column=column) if column in COLUMNS else None


def _column(page: Page, *, column: str) -> Any:
    return getattr(page, column)


def _score(page: Page, *, score: str) -> float:
    return page.scores.get(score, nan)
