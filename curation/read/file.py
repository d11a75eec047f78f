"""`InputFile`: one file that a run reads, and which paths can be named at all."""

from __future__ import annotations

from dataclasses import dataclass

from curation.errors import InputError


@dataclass(frozen=True)
class InputFile:
    """`name`, relative to the input root, is the file's identity; `kind`: warc (also ARC), wet, jsonl or parquet.

    `path`: where to open it. `size`: bytes. `snapshot`: "" for files that belong to no crawl. `text`: the column of
    rows that holds the text, where the user named one; "" = the usual names.
    """

    path: str
    name: str
    kind: str
    source: str
    snapshot: str
    size: int
    text: str = ""


def check_utf8(path: str) -> None:
    """Raises InputError for a path that is no UTF-8: no JSON, Parquet or JVM could name it."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            f"the path {path!a} is no UTF-8: rename it, or, where only this terminal is in another encoding, set "
            "LC_ALL=C.UTF-8"
        ) from None
