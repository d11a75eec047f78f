"""Writes docs/rules.md: every measure and edit, its unit, what it counts, and which recipe uses it at which bound.

`python -m curation.recipe.rules_page` writes the page (`make docs`); a test fails where it is stale.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from curation.conf import conf_folder
from curation.recipe.catalog import functions, measure_modules, settings_of
from curation.recipe.load import load_recipe, recipe_names
from curation.recipe.rule_names import measure_name, rule_name
from curation.recipe.yaml_file import read_yaml
from curation.stage import Rule

PAGE = Path("docs") / "rules.md"

# What the last word of a measure's name says of its unit; a test holds every measure to it.
UNITS = {
    "fraction": "0 to 1",
    "ratio": "per word",
    "count": "number",
    "length": "code points",
    "mean": "per line",
    "density": "0 to 1",
    "entropy": "nats",
    "divergence": "nats",
    "reservation": "0 or 1",
}

HEAD = """# Rules

Every measure that a recipe can name, its unit, what it counts, and who uses it at which bound. Bounds are inclusive: a
page on a bound stays. How a measure reads its source, and where other systems differ, stands in its docstring.
Written by `make docs`; do not edit.
"""


def rules_page() -> str:
    """The whole page as Markdown."""
    uses = _uses()
    parts = [HEAD]
    for module in measure_modules():
        name = module.__name__.rpartition(".")[2]
        rows = [
            f"| {measure} | {unit_of(measure)} | {_sentence(getattr(module, measure))} | "
            f"{'; '.join(uses[f'{name}.{measure}']) or '-'} |"
            for measure in module.__all__
        ]
        about = _cell(inspect.getdoc(module).partition("\n\n")[0])
        parts.append(f"## {name}\n\n{about}\n\n| measure | unit | what it counts | used by |\n|---|---|---|---|\n")
        parts[-1] += "\n".join(rows) + "\n"
    rows = [
        f"| {name} | {_sentence(edit)} | {', '.join(settings_of(edit)) or '-'} | {', '.join(uses[name]) or '-'} |"
        for name, edit in sorted(functions("rewrite").items())
    ]
    head = "## Edits\n\nThey change the text, or refuse the page.\n\n| edit | what it does | settings | used by |\n"
    parts.append(head + "|---|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def unit_of(measure: str) -> str:
    """The unit that the last word of a measure's name stands for.

    >>> unit_of("mean_word_length")
    'code points'
    """
    return UNITS[measure.rpartition("_")[2]]


def _uses() -> dict[str, list[str]]:
    """measure or edit -> who uses it at which bound: a recipe, or a rule list that no recipe includes."""
    uses: dict[str, list[str]] = defaultdict(list)
    included: set[str] = set()
    for recipe in recipe_names():
        raw = read_yaml(conf_folder() / "recipes" / f"{recipe}.yaml")["stages"]
        included |= {body[verb] for s in raw for body in s.values() for verb in ("keep_if", "measure")
                     if isinstance(body.get(verb), str)}  # fmt: skip
        for stage in load_recipe(recipe).resolved["stages"]:
            ((name, body),) = stage.items()
            if "rewrite" in body:
                uses[body["rewrite"]].append(recipe)
            for rule in body.get("keep_if") or body.get("measure") or ():
                uses[measure_name(rule)].append(_rule(recipe, rule, body.get("by_language")))
    for path in sorted((conf_folder() / "rules").glob("*.yaml")):
        if f"rules/{path.stem}" not in included:
            for rule in read_yaml(path):
                uses[measure_name(rule)].append(_rule(f"rules/{path.stem}", rule, None))
    return uses


def _rule(user: str, rule: dict, by_language: dict | None) -> str:
    """`fineweb >= 0.8`, with the name of the rule where it is not that of the measure."""
    name, body = rule_name(rule), next(iter(rule.values()))
    bound = Rule(name, len, "", body.get("min"), body.get("max"), body.get("in")).bound or "measured"
    if by_language and any(name in own for own in by_language.values()):
        bound = "by language"
    return f"{user} {name} {bound}" if body.get("name") else f"{user} {bound}"


def _sentence(function: Callable) -> str:
    """First paragraph of a docstring, up to where it names its source."""
    return _cell(" ".join(_before_source(inspect.getdoc(function).partition("\n\n")[0].splitlines())))


def _before_source(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield line.partition(" Source:")[0]
        if "Source:" in line:
            return


def _cell(text: Any) -> str:
    return str(text).replace("\n", " ").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(rules_page(), encoding="utf-8")
