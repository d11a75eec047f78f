"""`InputFile`: one file that a run reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InputFile:
    """`name`, relative to the input root, is the file's identity; `kind`: warc (also ARC), wet, jsonl or parquet.

    `path`: where to open it. `size`: bytes. `snapshot`: "" for files that belong to no crawl.
    """

    path: str
    name: str
    kind: str
    source: str
    snapshot: str
    size: int
