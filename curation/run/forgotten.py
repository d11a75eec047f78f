"""RUN/forgotten.json: the documents a run must not hold any more, and what stays of such a document.

The file lists ids and counts, no address: {"requests": [{at, by, ...counts, done}], "doc_ids": [...]}. A pass that
reads its input again (`--resume`) gives these pages the fate read.forgotten before any stage sees them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from curation.errors import ResumeError
from curation.page import Page
from curation.run.folder import RunFolder, read_json

STAGE, RULE = "read", "forgotten"
FATE = f"{STAGE}.{RULE}"


def forgotten_ids(folder: RunFolder) -> frozenset[int]:
    """Ids of the documents that were forgotten, or are about to be."""
    if not folder.forgotten.is_file():
        return frozenset()
    return _ids(folder.forgotten, folder.forgotten.stat().st_mtime_ns)


@lru_cache(maxsize=1)  # a worker asks once for each unit
def _ids(path: Path, _changed: int) -> frozenset[int]:
    return frozenset(read_json(path)["doc_ids"])


def requests(folder: RunFolder) -> list[dict[str, Any]]:
    """What was asked for, oldest first; `done` is false where the forgetting broke off."""
    return read_json(folder.forgotten)["requests"] if folder.forgotten.is_file() else []


def check_not_pending(folder: RunFolder) -> None:
    """Raises ResumeError where a forgetting broke off: files of the run still hold what it was to remove."""
    if any(not request["done"] for request in requests(folder)):
        raise ResumeError(
            f"{folder.root} was about to forget documents and was stopped; finish that first: "
            f"curate forget {folder.root}"
        )


def without_trace(doc_id: int, source: str, snapshot: str) -> Page:
    """What a run keeps of a forgotten page, so that every page read still has a fate: no text, no address, no place."""
    page = Page(doc_id=doc_id, source=source, snapshot=snapshot)
    page.drop(STAGE, RULE)
    return page
