"""The name of a rule in a recipe: what fates, `without`, overrides and language tables call it."""

from __future__ import annotations

from typing import Any


def rule_name(rule: Any) -> str:
    """Name of a rule as it stands in YAML: its `name`, else the last part of the measure."""
    if not (isinstance(rule, dict) and len(rule) == 1):
        return str(rule)
    measure, body = next(iter(rule.items()))
    given = body.get("name") if isinstance(body, dict) else None
    return str(given or str(measure).rpartition(".")[2])


def measure_name(rule: Any) -> str:
    """The measure or column that a rule names."""
    return str(next(iter(rule))) if isinstance(rule, dict) and len(rule) == 1 else str(rule)
