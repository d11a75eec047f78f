"""Sizes and lists of files, local or remote, and how their names are put together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from curation.errors import StoreError
from curation.stores.access import access, is_remote
from curation.stores.remote import store_of
from curation.stores.retry import attempt
from curation.stores.s3 import S3Store
from curation.stores.slots import slot


def join(root: str, name: str) -> str:
    """The place of a file below a root."""
    return f"{root.rstrip('/')}/{name}" if is_remote(root) else os.path.join(root, name)


def size_of(place: str) -> int:
    """Bytes of a file. Raises OSError where it cannot be had; StoreError, which is one, where it is remote."""
    if not is_remote(place):
        return os.stat(place).st_size
    store = store_of(place)

    def ask() -> int:
        with slot():
            return store.size(place)

    return attempt(place, ask, access())


def sizes_of(
    places: Sequence[str], progress: Callable[[int], None] = lambda done: None
) -> list[int | StoreError | OSError]:
    """Bytes of each file, or why it cannot be had. Remote ones are asked for in parallel, within the cap."""
    if not any(is_remote(place) for place in places):
        return [_size_or_error(place) for place in places]
    found: list[int | StoreError | OSError] = []
    with ThreadPoolExecutor(min(access().requests, max(1, len(places)))) as pool:
        for size in pool.map(_size_or_error, places):
            found.append(size)
            progress(len(found))
    return found


def list_below(address: str, *, folders: bool = False) -> Iterator[tuple[str, int]]:
    """(address, bytes) of all objects of S3 that begin with `address`, in order; see `S3Store.page` for `folders`."""
    store, after = S3Store(), None
    while True:

        def ask(token: str | None = after) -> tuple[list[tuple[str, int]], str | None]:
            with slot():
                return store.page(address, token, folders=folders)

        found, after = attempt(address, ask, access())
        yield from found
        if after is None:
            return


def has_magic(address: str) -> bool:
    """Whether it is a pattern."""
    return any(char in address for char in "*?[")


def matching(address: str) -> list[str]:
    """Addresses of the objects that a pattern names: `*` and `?` within a name, `**` over folders, `[...]`."""
    fixed = re.split(r"[*?\[]", address, maxsplit=1)[0]
    pattern = re.compile(_pattern(address))
    return [place for place, _ in list_below(fixed) if pattern.fullmatch(place)]


def _pattern(glob: str) -> str:
    """The regular expression of a glob.

    >>> _pattern("s3://b/**/x?[!0-9].gz")
    's3://b/(?:[^/]+/)*x[^/][^0-9]\\\\.gz'
    """
    out, at = "", 0
    for match in re.finditer(r"\*\*/|\*+|\?|\[(!?)([^\]]+)\]", glob):
        out += re.escape(glob[at : match.start()])
        found = match.group()
        if found == "**/":
            out += "(?:[^/]+/)*"
        elif found.startswith("*"):
            out += "[^/]*" if found == "*" else ".*"
        elif found == "?":
            out += "[^/]"
        else:
            out += f"[{'^' if match.group(1) else ''}{match.group(2)}]".replace("\\", "\\\\")
        at = match.end()
    return out + re.escape(glob[at:])


def _size_or_error(place: str) -> int | StoreError | OSError:
    try:
        return size_of(place)
    except OSError as error:
        return error
