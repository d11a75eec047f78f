"""Builds one stage of a recipe from its YAML, checking every name and setting on the way."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from curation.errors import did_you_mean
from curation.extract.fallback import with_fallback
from curation.recipe.catalog import COLUMNS, VERBS, functions, read_settings, read_value
from curation.stage import PageStage, Rule, annotate, extract, keep_if, rewrite

BOUNDS = ("min", "max", "in")
BESIDE_ENGINE = ("cascade", "fallback_below")  # settings of an extract stage that the engine does not see


def rule_name(rule: Any) -> str:
    """Name of a rule as it stands in YAML: its `name`, else the last part of the measure."""
    if not (isinstance(rule, dict) and len(rule) == 1):
        return str(rule)
    measure, body = next(iter(rule.items()))
    given = body.get("name") if isinstance(body, dict) else None
    return str(given or str(measure).rpartition(".")[2])


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
    if verb == "corpus":
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
    if target == "language.fasttext" and len(into) != 2:
        mistakes.append(f"{where}: language.fasttext fills two columns, into names {len(into)}")
    return tuple(into)


def _build_keep_if(name: str, rules: Any, settings: dict, mistakes: list[str], annotated: bool) -> PageStage | None:
    where = f"stage '{name}'"
    mistakes += [f"{where}: unknown setting '{key}'; known: keep_if, without" for key in settings]
    if not isinstance(rules, list):
        mistakes.append(f"{where}: keep_if takes rules/NAME or a list of rules, is {rules!r}")
        return None
    names = [rule_name(rule) for rule in rules]
    for twice in sorted({n for n in names if names.count(n) > 1}):
        mistakes.append(f"{where}: rule '{twice}' stands {names.count(twice)} times; give each its own `name:`")
    built = [_build_rule(where, rule, mistakes) for rule in rules]
    return keep_if(name, [rule for rule in built if rule is not None], annotate=annotated)


def _build_rule(where: str, rule: Any, mistakes: list[str]) -> Rule | None:
    if not (isinstance(rule, dict) and len(rule) == 1 and isinstance(next(iter(rule.values())), dict)):
        mistakes.append(f"{where}: a rule is `measure: {{min: .., max: ..}}`, is {rule!r}")
        return None
    measure, body = next(iter(rule.items()))
    name, where = rule_name(rule), f"{where}: rule '{measure}'"
    settings = {key: value for key, value in body.items() if key not in (*BOUNDS, "name")}
    low, high, allowed = _read_bounds(where, body, mistakes)
    if "." not in str(measure):
        if measure not in COLUMNS:
            mistakes.append(f"{where} is no column; {did_you_mean(str(measure), COLUMNS)}")
            return None
        mistakes += [
            f"{where}: unknown setting '{key}'; a column takes {', '.join(BOUNDS)} and name" for key in settings
        ]
        return Rule(name, partial(_column, column=str(measure)), str(measure), low, high, allowed)
    known = functions("keep_if")
    if measure not in known:
        mistakes.append(f"{where} is no measure; {did_you_mean(str(measure), list(known))}")
        return None
    checked = read_settings(where, known[measure], settings, mistakes, also=(*BOUNDS, "name"))
    return Rule(name, partial(known[measure], **checked), str(measure), low, high, allowed)


def _read_bounds(where: str, body: dict, mistakes: list[str]) -> tuple[float | None, float | None, tuple | None]:
    if not any(bound in body for bound in BOUNDS):
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


def _column(page: Any, *, column: str) -> Any:
    return getattr(page, column)
