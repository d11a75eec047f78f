"""Curation of language-model training data: from crawl files to token shards.

The notebook door needs no Spark:

    from curation import load_recipe, on_documents
    on_documents(load_recipe("gopher"), [{"text": "..."}])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Page", "explain", "load_recipe", "on_documents", "run_recipe"]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from curation.notebook import explain, on_documents
    from curation.page import Page
    from curation.recipe.load import load_recipe
    from curation.run.run import run_recipe

_HOME = {
    "Page": "curation.page",
    "explain": "curation.notebook",
    "load_recipe": "curation.recipe.load",
    "on_documents": "curation.notebook",
    "run_recipe": "curation.run.run",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})  # for completion in notebooks, before anything is imported


def __getattr__(name: str) -> Any:
    # Imported on first use: `import curation.text` in a worker should not load every rule, model and codec.
    if name not in _HOME:
        raise AttributeError(f"module 'curation' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)
