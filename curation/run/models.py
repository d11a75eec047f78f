"""The models and lists of a recipe, made sure of on the driver: found or fetched, tried on a page, known by digest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from curation.models import ensure_model, model_digest
from curation.recipe.catalog import functions, settings_of
from curation.recipe.load import Recipe
from curation.recipe.rule_names import measure_name, rule_name
from curation.rules.word_lists import list_path
from curation.stage import PageStage

SETTINGS = ("model", "head")  # of an annotation: those that name a file
LISTS, PATHS = ("entries", "words"), ("counts", "folder")  # of a measure, where their value is a text


def ready_models(recipe: Recipe) -> dict[str, str]:
    """{stage.setting: sha256} of every model the recipe names, and {stage.rule.setting: sha256} of every list of words

    or hosts, once each stage has been tried on one page.

    Raises ModelError, or the error of a measure that lacks its word list: here, not on a worker. Cost: the driver loads
    each model once; the digest reads about 1 GB a second.
    """
    digests = {}
    for name, body in (item for stage in recipe.resolved["stages"] for item in stage.items()):
        digests |= {f"{name}.{key}": model_digest(path) for key, path in _lists(body) if path.exists()}
        if "annotate" not in body:
            continue
        known = settings_of(functions("annotate")[body["annotate"]])
        for setting in (s for s in SETTINGS if s in known):
            digests[f"{name}.{setting}"] = model_digest(ensure_model(body.get(setting, known[setting].default)))
    for stage in recipe.stages:
        if isinstance(stage, PageStage):
            stage.probe()
    return digests


def _lists(body: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    """(rule.setting, place) of each file that a rule reads; language.rule.setting where a language has its own."""
    for rule in [rule for verb in ("keep_if", "measure") for rule in body.get(verb, ())]:
        measure = functions("keep_if").get(measure_name(rule))
        known = settings_of(measure) if measure else {}
        own = {language: rules.get(rule_name(rule), {}) for language, rules in body.get("by_language", {}).items()}
        for language, settings in {"": next(iter(rule.values())), **own}.items():
            for name in (name for name in (*LISTS, *PATHS) if name in known):
                value = (settings or {}).get(name, None if language else known[name].default)
                if isinstance(value, str):
                    key = ".".join(filter(None, (language, rule_name(rule), name)))
                    yield key, list_path(value) if name in LISTS else Path(value)
