"""The files of a crawl in Common Crawl's layout: what its path lists name, checked to be there."""

from __future__ import annotations

import gzip
import logging
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from curation.errors import InputError, did_you_mean
from curation.read import filekind
from curation.read.file import InputFile
from curation.read.tape import Tape

_log = logging.getLogger(__name__)
_LISTS = ("warc.paths.gz", "warc.paths")


@dataclass(frozen=True)
class PathList:
    """A list of the files of one snapshot. Its lines are relative to `root`, the folder that holds `crawl-data`."""

    path: Path
    root: Path
    snapshot: str


def find_path_lists(where: str) -> list[PathList]:
    """Path lists at a crawl's root, in a folder of such roots, in a snapshot's own folder, or the list named itself."""
    place = Path(where)
    if place.is_file():
        with Tape(where) as tape:
            is_list = filekind.kind_by_content(tape) == filekind.PATHS
        return [_path_list(place)] if is_list else []
    patterns = ("", "crawl-data/*/", "*/", "*/crawl-data/*/")
    found = [path for pattern in patterns for name in _LISTS for path in sorted(place.glob(pattern + name))]
    lists = {path.parent: _path_list(path) for path in reversed(found)}
    return sorted(lists.values(), key=lambda entry: entry.snapshot)


def crawl_files(
    lists: Sequence[PathList], *, source: str, snapshots: Sequence[str], files: int | None
) -> list[InputFile]:
    """Files of the chosen snapshots (all when none is named), the first `files` of each list."""
    present = [entry.snapshot for entry in lists]
    if len(set(present)) < len(present):
        raise InputError(
            f"one snapshot is listed twice: {', '.join(str(entry.path) for entry in lists)}: name one of them"
        )
    for wanted in snapshots:
        if wanted not in present:
            raise InputError(
                f"no snapshot {wanted} here; {did_you_mean(wanted, present)} Present: {', '.join(present)}"
            )
    chosen = [entry for entry in lists if not snapshots or entry.snapshot in snapshots]
    return [file for entry in chosen for file in _listed(entry, source, files)]


def _path_list(path: Path) -> PathList:
    """A list in its usual place says by that place what its root is; another one is taken as lying in the root."""
    path = path.absolute()
    if path.parent.parent.name == "crawl-data":
        return PathList(path, path.parents[2], path.parent.name)
    parts = next(iter(_lines(path)), "").split("/")
    snapshot = parts[1] if parts[0] == "crawl-data" and len(parts) > 2 else path.parent.name
    return PathList(path, path.parent, snapshot)


def _lines(path: Path) -> list[str]:
    raw = path.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a list of paths ({error}): download it again") from error
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line]


def _listed(entry: PathList, source: str, files: int | None) -> list[InputFile]:
    lines = _lines(entry.path)
    names = list(dict.fromkeys(lines))
    if len(names) < len(lines):
        _log.warning("%s names %d files more than once; each is read once", entry.path, len(lines) - len(names))
    names = names[:files]
    missing = [name for name in names if not (entry.root / name).is_file()]
    if missing or not names:
        raise InputError(_missing(entry, missing, names))
    return [_input(entry, name, source) for name in names]


def _input(entry: PathList, name: str, source: str) -> InputFile:
    path = entry.root / name
    kind = filekind.WET if filekind.kind_by_name(name) == filekind.WET else filekind.WARC
    return InputFile(str(path), name, kind, source, entry.snapshot, path.stat().st_size)


def _missing(entry: PathList, missing: Sequence[str], names: Sequence[str]) -> str:
    if not names:
        return f"{entry.path} names no file: download it again"
    return (
        f"{len(missing)} of {len(names)} files in {entry.path} are not under {entry.root}, the first is {missing[0]}. "
        "Download them, read only the first files with --files, or give the folder of those you have, "
        f"such as {entry.root / 'crawl-data' / entry.snapshot / 'segments'}"
    )
