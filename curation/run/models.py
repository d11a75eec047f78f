"""The models of a recipe, made sure of on the driver: found or fetched, tried on one page, and told apart by digest."""

from __future__ import annotations

from curation.models import ensure_model, model_digest
from curation.recipe.catalog import functions, settings_of
from curation.recipe.load import Recipe
from curation.stage import PageStage

SETTINGS = ("model", "head")  # of an annotation: those that name a file


def ready_models(recipe: Recipe) -> dict[str, str]:
    """{stage.setting: sha256} of every model the recipe names, once each stage has been tried on one page.

    Raises ModelError, or the error of a measure that lacks its word list: here, not on a worker. Cost: the driver loads
    each model once; the digest reads about 1 GB a second.
    """
    digests = {}
    for name, body in (item for stage in recipe.resolved["stages"] for item in stage.items()):
        if "annotate" not in body:
            continue
        known = settings_of(functions("annotate")[body["annotate"]])
        for setting in (s for s in SETTINGS if s in known):
            digests[f"{name}.{setting}"] = model_digest(ensure_model(body.get(setting, known[setting].default)))
    for stage in recipe.stages:
        if isinstance(stage, PageStage):
            stage.probe()
    return digests
