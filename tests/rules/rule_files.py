"""Reads conf/rules for the tests of this folder, without the machinery of recipes."""

from __future__ import annotations

from importlib import import_module

import yaml

from curation.conf import conf_folder
from curation.page import Page

FILES = ["gopher_quality", "gopher_repetition", "fineweb_quality", "refinedweb_url"]


def rules_of(file: str) -> list[tuple[str, str, dict]]:
    """(name of the rule, dotted measure, settings with bounds) of one file, in order."""
    entries = yaml.safe_load((conf_folder() / "rules" / f"{file}.yaml").read_text())
    pairs = [next(iter(entry.items())) for entry in entries]
    return [(settings.get("name", measure.split(".")[1]), measure, settings) for measure, settings in pairs]


def measure_of(dotted: str):
    module, name = dotted.split(".")
    return module, name, getattr(import_module(f"curation.rules.{module}"), name)


def value(file: str, rule: str, page: Page) -> float:
    _, dotted, settings = next(entry for entry in rules_of(file) if entry[0] == rule)
    return measure_of(dotted)[2](page, **{k: v for k, v in settings.items() if k not in ("name", "min", "max")})


def dropping_rules(file: str, page: Page) -> list[str]:
    dropped = []
    for name, _, settings in rules_of(file):
        measured = value(file, name, page)
        if measured < settings.get("min", measured) or measured > settings.get("max", measured):
            dropped.append(name)
    return dropped
