"""Where the recipes, rules and word lists that ship with the project lie."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def conf_folder() -> Path:
    """Folder of recipes/, rules/, mixtures/, lists/, paths/, cluster/: in an installed package, or beside it."""
    package = Path(__file__).resolve().parent
    for folder in (package / "conf", package.parent / "conf"):
        if (folder / "recipes").is_dir():
            return folder
    raise FileNotFoundError(f"no conf/recipes inside or beside {package}: install the package again")


def cache_folder() -> Path:
    """Writable folder for models, compiled kernels and the Java shim: CURATION_CACHE, or ~/.cache/curation."""
    import os

    folder = Path(os.environ.get("CURATION_CACHE") or Path.home() / ".cache" / "curation")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
