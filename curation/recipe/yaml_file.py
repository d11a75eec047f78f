"""Reads a YAML file strictly: no tags, no duplicate keys, bounds on size; mistakes with their line.

A file may come from a stranger: a few lines of aliases inside aliases stand for gigabytes, and brackets nested deeply
enough end the interpreter's stack.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from curation.errors import RecipeError

MAX_BYTES = 1 << 20  # the longest shipped file has 16 KB
MAX_DEPTH = 32  # of lists and mappings inside each other; recipes use 7
MAX_ALIASES = 100


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that bounds nesting and aliases and refuses a key that stands twice (YAML keeps the last one)."""

    nesting = aliases_met = in_anchors = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()
        is_alias = isinstance(event, yaml.AliasEvent)
        self.nesting += 1
        self.aliases_met += is_alias
        if is_alias and (self.in_anchors or self.aliases_met > MAX_ALIASES):
            self._refuse(f"alias *{event.anchor} inside another, or one of over {MAX_ALIASES}; write it out")
        if self.nesting > MAX_DEPTH:
            self._refuse(f"nested more than {MAX_DEPTH} deep; is this the right file?")
        anchored = not is_alias and getattr(event, "anchor", None) is not None
        self.in_anchors += anchored
        node = super().compose_node(parent, index)
        self.in_anchors -= anchored
        self.nesting -= 1
        return node

    def _refuse(self, problem: str) -> None:
        raise yaml.composer.ComposerError(None, None, problem, self.peek_event().start_mark)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """A scalar that looks like a number or date and is none is a mistake of its line."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            shown = str(node.value)[:40]
            raise yaml.constructor.ConstructorError(
                None, None, f"'{shown}' cannot be read: {error}; in quotes it is text", node.start_mark
            ) from error


def _mapping(loader: _StrictLoader, node: yaml.MappingNode, deep: bool = False) -> dict:
    seen: dict[Any, int] = {}
    for key_node, _ in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise yaml.constructor.ConstructorError(None, None, "a key must be one word", key_node.start_mark)
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
        if path.stat().st_size > MAX_BYTES:
            raise RecipeError(str(path), [f"has more than {MAX_BYTES} bytes; is this the right file?"])
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
