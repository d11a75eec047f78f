"""Sections of configuration files that are read into a pydantic model: tokens, mixture, paths and cluster files."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from curation.errors import did_you_mean
from curation.hidden import shown
from curation.recipe.catalog import yaml_trap

Model = TypeVar("Model", bound=BaseModel)


def read_section(where: str, model: type[Model], raw: Any, mistakes: list[str]) -> Model | None:
    """`raw` read into `model`; None for an absent section or, with sentences in `mistakes`, for a wrong one."""
    if raw is None:
        return None
    if not isinstance(raw, dict):
        mistakes.append(f"{where}: must be a mapping, is {shown(where, raw)}")
        return None
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            mistakes.append(_sentence(where, model, one))
        return None


def _sentence(where: str, model: type[BaseModel], error: Any) -> str:
    path = [str(part) for part in error["loc"] if not str(part).startswith(("function-", "literal["))]
    place = ".".join([where, *path])
    if error["type"] == "extra_forbidden":
        known = _fields(model, path[:-1])
        return f"{'.'.join([where, *path[:-1]])}: unknown setting '{path[-1]}'; {did_you_mean(path[-1], known)}"
    if error["type"] == "missing":
        return f"{'.'.join([where, *path[:-1]])}: setting '{path[-1]}' is missing"
    trap = yaml_trap(float, error["input"]) if isinstance(error["input"], str) else None
    message = error["msg"].removeprefix("Value error, ")
    return f"{place}: is {shown(place, error['input'])}; {trap or message[0].lower() + message[1:]}"


def _fields(model: type[BaseModel], path: list[str]) -> list[str]:
    for key in path:
        field = model.model_fields.get(key)
        if field is None:  # a place in a list, or a name in a mapping, of models
            continue
        inner = (field.annotation, *getattr(field.annotation, "__args__", ()))
        models = [a for a in inner if isinstance(a, type) and issubclass(a, BaseModel)]
        if not models:
            return []
        model = models[0]
    return list(model.model_fields)
