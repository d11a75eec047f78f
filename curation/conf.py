"""Where the recipes, rules and word lists that ship with the project lie."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from curation.errors import SetUpError


@cache
def conf_folder() -> Path:
    """Folder of recipes/, rules/, mixtures/, lists/, paths/, cluster/: in an installed package, or beside it."""
    package = Path(__file__).resolve().parent
    for folder in (package / "conf", package.parent / "conf"):
        if (folder / "recipes").is_dir():
            return folder
    raise FileNotFoundError(f"no conf/recipes inside or beside {package}: install the package again")


def cache_folder() -> Path:
    """Writable folder for models, compiled kernels and the Java shim: CURATION_CACHE, or ~/.cache/curation.

    Raises SetUpError where it cannot be made.
    """
    named = os.environ.get("CURATION_CACHE")
    try:
        folder = Path(named) if named else Path.home() / ".cache" / "curation"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
        where = named or "~/.cache/curation"
        raise SetUpError(
            f"the folder for models and compiled code, {where}, cannot be made ({error}): name one that can be written "
            "with CURATION_CACHE"
        ) from error
    return folder
