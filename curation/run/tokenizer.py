"""The tokenizer that a run froze."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from curation.errors import InputError
from curation.recipe.load import Recipe
from curation.run.folder import RunFolder
from curation.tokens.tokenizer import FrozenTokenizer


def tokenizer_of(folder: RunFolder, recipe: Recipe) -> FrozenTokenizer:
    """RUN/tokens/tokenizer.json with the end token and the engine of the recipe that made it; the last one is kept.

    Raises InputError where the recipe makes no tokens, TokenizerError where there is no tokenizer.
    """
    if recipe.tokens is None:
        raise InputError(f"{folder.root} was made by recipe {recipe.name}, which has no tokens section")
    settings, path = recipe.tokens.tokenizer, folder.tokens / "tokenizer.json"
    eos_token = settings.eos_token or (settings.train.special_tokens[0] if settings.train else None)
    return _load(path, path.stat().st_mtime_ns if path.is_file() else None, eos_token, settings.engine)


@lru_cache(maxsize=1)  # a large vocabulary takes seconds to open, and who traces many tokens asks for each
def _load(path: Path, _changed: int | None, eos_token: str | None, engine: str) -> FrozenTokenizer:
    return FrozenTokenizer.load(path, eos_token=eos_token, engine=engine)
