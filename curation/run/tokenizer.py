"""The tokenizer that a run froze."""

from __future__ import annotations

from curation.errors import InputError
from curation.recipe.load import Recipe
from curation.run.folder import RunFolder
from curation.tokens.tokenizer import FrozenTokenizer


def tokenizer_of(folder: RunFolder, recipe: Recipe) -> FrozenTokenizer:
    """RUN/tokens/tokenizer.json with the end token and the engine of the recipe that made it.

    Raises InputError where the recipe makes no tokens.
    """
    if recipe.tokens is None:
        raise InputError(f"{folder.root} was made by recipe {recipe.name}, which has no tokens section")
    settings = recipe.tokens.tokenizer
    eos_token = settings.eos_token or (settings.train.special_tokens[0] if settings.train else None)
    return FrozenTokenizer.load(folder.tokens / "tokenizer.json", eos_token=eos_token, engine=settings.engine)
