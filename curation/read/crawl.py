"""The files of a crawl in Common Crawl's layout: what its path lists name, checked to be there."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from curation.errors import InputError, StoreError, UnavailableError, did_you_mean
from curation.read import filekind
from curation.read.file import InputFile
from curation.read.tape import Tape, read_whole
from curation.stores.access import is_remote
from curation.stores.files import join, list_below, size_of, sizes_of

_log = logging.getLogger(__name__)
_LONGEST_LIST = 256 << 20  # bytes when unpacked; those of Common Crawl have 14 MB
_LISTS = ("warc.paths.gz", "warc.paths")


@dataclass(frozen=True)
class PathList:
    """A list of the files of one snapshot. Its lines are relative to `root`, the folder that holds `crawl-data`."""

    path: str
    root: str
    snapshot: str


def find_path_lists(where: str, snapshots: Sequence[str] = ()) -> list[PathList]:
    """Path lists at a crawl's root, in a folder of such roots, in a snapshot's own folder, or the list named itself.

    A web server does not tell what it holds: there only those of the named `snapshots` are found.
    """
    if is_remote(where):
        return _remote_lists(where, snapshots)
    place = Path(where)
    if place.is_file():
        with Tape(where) as tape:
            is_list = filekind.kind_by_content(tape) == filekind.PATHS
        return [_path_list(str(place.absolute()))] if is_list else []
    patterns = ("", "crawl-data/*/", "*/", "*/crawl-data/*/")
    found = [path for pattern in patterns for name in _LISTS for path in sorted(place.glob(pattern + name))]
    lists = {path.parent: _path_list(str(path.absolute())) for path in reversed(found)}
    return sorted(lists.values(), key=lambda entry: entry.snapshot)


def crawl_files(
    lists: Sequence[PathList], *, source: str, snapshots: Sequence[str], files: int | None
) -> list[InputFile]:
    """Files of the chosen snapshots (all when none is named), the first `files` of each list."""
    present = [entry.snapshot for entry in lists]
    if len(set(present)) < len(present):
        raise InputError(f"one snapshot is listed twice: {', '.join(entry.path for entry in lists)}: name one of them")
    for wanted in snapshots:
        if wanted not in present:
            raise InputError(
                f"no snapshot {wanted} here; {did_you_mean(wanted, present)} Present: {', '.join(present)}"
            )
    chosen = [entry for entry in lists if not snapshots or entry.snapshot in snapshots]
    return [file for entry in chosen for file in _listed(entry, source, files)]


def names_in(path: str) -> list[str]:
    """The lines of a path list, each once. Raises InputError where the file is no such list."""
    lines = _lines(path)
    names = list(dict.fromkeys(lines))
    astray = next((name for name in names if not _stays_below(name)), None)
    if astray is not None:
        raise InputError(f"{path} names {astray[:200]!r}, which leads out of the crawl's folder: nothing is read")
    if len(names) < len(lines):
        _log.warning("%s names %d files more than once; each is read once", path, len(lines) - len(names))
    return names


def _stays_below(name: str) -> bool:
    """Whether a line of a list is a path below the crawl's root, by its words; a list may come from a stranger."""
    return not (name.startswith(("/", "~")) or "\\" in name or "\0" in name or "://" in name or ".." in name.split("/"))


def _remote_lists(where: str, snapshots: Sequence[str]) -> list[PathList]:
    where = where.rstrip("/")
    if filekind.kind_by_name(where) == filekind.PATHS:
        return [_path_list(where)]
    if filekind.kind_by_name(where) != filekind.UNKNOWN:
        return []
    return list(_of_folder(where, snapshots))


def _of_folder(where: str, snapshots: Sequence[str]) -> Iterator[PathList]:
    own = where.rpartition("/")[0].endswith("/crawl-data")  # a snapshot's own folder
    folders = [where] if own else [f"{where}/crawl-data/{snapshot}" for snapshot in snapshots]
    if not folders and where.startswith("s3://"):
        folders = [
            place.rstrip("/") for place, _ in list_below(f"{where}/crawl-data/", folders=True) if place[-1] == "/"
        ]
    for folder in folders:
        place = next((place for name in _LISTS if _is_there(place := f"{folder}/{name}")), None)
        if place is not None:
            yield _path_list(place)


def _is_there(place: str) -> bool:
    try:
        size_of(place)
    except UnavailableError:
        raise
    except StoreError as error:
        if "no such file" in str(error):
            return False
        raise
    return True


def _path_list(path: str) -> PathList:
    """A list in its usual place says by that place what its root is; another one is taken as lying in the root."""
    folder = path.rpartition("/")[0]
    above, _, snapshot = folder.rpartition("/")
    root, _, crawl_data = above.rpartition("/")
    if crawl_data == "crawl-data":
        return PathList(path, root or "/", snapshot)
    parts = next(iter(_lines(path)), "").split("/")
    snapshot = parts[1] if parts[0] == "crawl-data" and len(parts) > 2 else snapshot
    return PathList(path, folder or "/", snapshot)


def _lines(path: str) -> list[str]:
    raw = read_whole(path)
    try:
        text = (_gunzipped(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("utf-8")
    except (ValueError, zlib.error) as error:
        raise InputError(f"{path} cannot be read as a list of paths ({error}): download it again") from error
    lines = [line.strip() for line in text.splitlines()]
    if lines and lines[0].startswith("<"):
        raise InputError(f"{path} holds a page of HTML or XML, not a list of paths: {lines[0][:80]!r}")
    return [line for line in lines if line]


def _gunzipped(raw: bytes) -> bytes:
    """All members of a gzip file. ValueError where it breaks off or stands for more than a list can be."""
    pieces, left = [], _LONGEST_LIST
    while raw.startswith(b"\x1f\x8b"):
        inflater = zlib.decompressobj(31)
        pieces.append(inflater.decompress(raw, left + 1))
        left -= len(pieces[-1])
        if left < 0:
            raise ValueError(f"it holds more than {_LONGEST_LIST} bytes")
        if not inflater.eof:
            raise ValueError("it breaks off")
        raw = inflater.unused_data
    if raw.strip(b"\0"):
        raise ValueError("something else stands behind its end")
    return b"".join(pieces)


def _listed(entry: PathList, source: str, files: int | None) -> list[InputFile]:
    names = names_in(entry.path)[:files]
    if not names:
        raise InputError(f"{entry.path} names no file: download it again")
    sizes = sizes_of([join(entry.root, name) for name in names])
    lost = [(name, size) for name, size in zip(names, sizes, strict=True) if isinstance(size, OSError)]
    if lost and (len(lost) == len(names) or not is_remote(entry.root)):
        raise InputError(_missing(entry, lost, names))
    for _, error in lost:
        _log.warning("%s", error)  # it stays in the list with 0 bytes: reading reports it, and the rest is read
    return [
        _input(entry, name, source, 0 if isinstance(size, OSError) else size)
        for name, size in zip(names, sizes, strict=True)
    ]


def _input(entry: PathList, name: str, source: str, size: int) -> InputFile:
    kind = filekind.WET if filekind.kind_by_name(name) == filekind.WET else filekind.WARC
    return InputFile(join(entry.root, name), name, kind, source, entry.snapshot, size)


def _missing(entry: PathList, lost: Sequence[tuple[str, OSError]], names: Sequence[str]) -> str:
    if is_remote(entry.root):
        return f"none of {len(names)} files in {entry.path} can be had; the first: {lost[0][1]}"
    return (
        f"{len(lost)} of {len(names)} files in {entry.path} are not under {entry.root}, the first is {lost[0][0]}. "
        "Download them, read only the first files with --files, or give the folder of those you have, "
        f"such as {join(entry.root, f'crawl-data/{entry.snapshot}/segments')}"
    )
