"""Lists of words, hosts or addresses that measures compare a page with: text files, one entry a line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from curation.conf import conf_folder
from curation.errors import InputError, did_you_mean


def list_path(name: str) -> Path:
    """Where a list lies; `name`: a file of conf/lists without its ending, or a path. InputError where none is."""
    shipped = conf_folder() / "lists"
    path = next((p for p in (shipped / f"{name}.txt", Path(name)) if p.is_file()), None)
    if path is None:
        known = [p.stem for p in shipped.glob("*.txt")]
        raise InputError(f"no list {name!r}: it is neither in conf/lists nor a file; {did_you_mean(name, known)}")
    return path


def read_list(name: str) -> Iterator[str]:
    """The entries of a list (see `list_path`), in lower case."""
    with list_path(name).open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            entry = line.strip().lower()
            if entry and not entry.startswith("#"):
                yield entry


@cache
def word_list(name: str) -> frozenset[str]:
    """The entries of a list as a set, read once in each process."""
    return frozenset(read_list(name))
