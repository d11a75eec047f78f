"""The files of a run: of a crawl by its path lists, or single files, folders and globs, told apart by their content."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from curation.errors import InputError
from curation.read import filekind
from curation.read.tape import Tape

_log = logging.getLogger(__name__)
_GLOB_CHARACTERS = "*?["


@dataclass(frozen=True)
class InputFile:
    """One input file. `name`, relative to the input root, is its identity; `kind`: warc (also ARC), wet, jsonl, parquet.

    `size` in bytes.
    """

    path: str
    name: str
    kind: str
    source: str
    snapshot: str
    size: int


def list_inputs(
    where: str, *, source: str = "web", snapshots: Sequence[str] = (), files: int | None = None
) -> list[InputFile]:
    """Files at `where`, sorted by snapshot and name; with `files`, the first so many of each snapshot as listed.

    `where`: the root of a crawl (holds `crawl-data/<ID>/warc.paths.gz`, or folders that do), a `warc.paths.gz`, one file,
    a folder (searched to its bottom) or a glob. Raises InputError, which says what to do, when nothing can be read there.
    """
    from curation.read.crawl import crawl_files, find_path_lists  # it needs InputFile

    if files is not None and files < 1:
        raise InputError(f"--files {files}: give a number from 1 on")
    lists = find_path_lists(where)
    if lists:
        found = crawl_files(where, lists, source=source, snapshots=snapshots, files=files)
    elif snapshots:
        raise InputError(f"{where} is no crawl (it holds no crawl-data/<ID>/warc.paths.gz), so it has no snapshot {snapshots[0]}")
    else:
        found = _loose_files(where, source)[:files]
    return sorted(found, key=lambda file: (file.snapshot, file.name))
