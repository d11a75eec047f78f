"""Reads a YAML file strictly: no tags, no duplicate keys, and mistakes with their line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from curation.errors import RecipeError


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key that stands twice (plain YAML keeps the last one without a word)."""


def _mapping(loader: _StrictLoader, node: yaml.MappingNode, deep: bool = False) -> dict:
    seen: dict[Any, int] = {}
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=deep)
        line = key_node.start_mark.line + 1
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"'{key}' stands twice, in lines {seen[key]} and {line}; keep one", key_node.start_mark
            )
        seen[key] = line
    return yaml.SafeLoader.construct_mapping(loader, node, deep=deep)


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file. Raises RecipeError that names file, line and what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(str(path), [f"cannot be read: {error}"]) from error
    return parse_yaml(text, str(path))


def parse_yaml(text: str, where: str) -> Any:
    """The content of a YAML text; `where` names it in errors."""
    try:
        return yaml.load(text, _StrictLoader)  # noqa: S506  a SafeLoader: no tag can build an object
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise RecipeError(where, [f"{line}{getattr(error, 'problem', None) or error}"]) from error
