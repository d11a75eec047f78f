"""The files of a run: of a crawl by its path lists, or single files, folders and globs, told apart by their content."""

from __future__ import annotations

import glob
import logging
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from curation.errors import InputError
from curation.read import filekind
from curation.read.crawl import crawl_files, find_path_lists
from curation.read.file import InputFile, check_utf8
from curation.read.filekind import refuse_unreadable
from curation.read.objects import remote_files
from curation.read.tape import Tape
from curation.stores.access import conceal, is_remote

__all__ = ["InputFile", "check_names_differ", "is_run", "list_inputs"]

_log = logging.getLogger(__name__)


def list_inputs(
    where: str, *, source: str = "web", snapshots: Sequence[str] = (), files: int | None = None, text: str = ""
) -> list[InputFile]:
    """Files at `where`, sorted by snapshot and name; with `files`, the first so many of each snapshot as listed.

    `where`: the root of a crawl (holds `crawl-data/<ID>/warc.paths.gz`, or folders that do), a `warc.paths.gz`, one
    file, a folder (searched to its bottom) or a glob. Each may be an s3:// address; of https:// addresses a file, a
    `warc.paths.gz`, and a crawl's root with named `snapshots`. Raises InputError, which says what to do, when nothing
    can be read there. A broken or empty WARC stays in the list: reading it reports its state. `text`: the column that
    holds the text of rows, if it has none of the usual names.
    """
    if files is not None and files < 1:
        raise InputError(f"--files {files}: give a number from 1 on")
    if not where.strip():
        raise InputError("an input is an empty text, such as of a variable that is not set; for this folder write .")
    check_utf8(where)
    if is_remote(where):
        where = conceal(where)
    lists = find_path_lists(where, snapshots)
    if lists:
        found = crawl_files(lists, source=source, snapshots=snapshots, files=files)
    elif snapshots:
        raise InputError(
            f"{where} holds no crawl-data/<ID>/warc.paths.gz, so no snapshot {snapshots[0]}: give a crawl's root"
        )
    else:
        found = (remote_files if is_remote(where) else _loose_files)(where, source)[:files]
    if text:
        found = _with_text_column(found, text, where)
    return sorted(found, key=lambda file: (file.snapshot, file.name))


def _with_text_column(files: Sequence[InputFile], text: str, where: str) -> list[InputFile]:
    if not any(file.kind in filekind.ROWS for file in files):
        raise InputError(f"text column '{text}': {where} holds no rows (JSON lines or Parquet) that could have one")
    return [replace(file, text=text) if file.kind in filekind.ROWS else file for file in files]


def check_names_differ(files: Iterable[InputFile]) -> None:
    """Raises InputError where two files of a source have one name: their documents would have the same ids."""
    met: dict[tuple[str, str, str], InputFile] = {}
    for file in files:
        first = met.setdefault((file.source, file.snapshot, file.name), file)
        if first is file:
            continue
        if os.path.realpath(first.path) == os.path.realpath(file.path):
            raise InputError(f"{file.path} is given twice; leave one out")
        raise InputError(
            f"{first.path} and {file.path} are both called {file.name} in source {file.source}, and a document is "
            "known by that name: give the folder above them as one input, or each a source of its own (in a paths file)"
        )


def _loose_files(where: str, source: str) -> list[InputFile]:
    """One file, a folder or a glob. Files found in folders count by their ending; those named must be readable."""
    place = Path(where)
    if is_run(place):
        raise InputError(f"{where} is the folder of a run; give {place / 'curated'} to read its text")
    if place.is_file():
        named, root = [place], place.parent
    elif place.is_dir():
        named, root = [place], place
    else:
        named = [Path(path) for path in sorted(glob.glob(where, recursive=True))]
        if not named:
            hint = "no file matches this pattern" if glob.has_magic(where) else "there is no such file or folder"
            raise InputError(f"{where}: {hint}; give a crawl's root, a file, a folder or a glob in quotes")
        root = Path(os.path.commonpath([path.parent for path in named]))
    found = [file for path in named for file in _files_of(path, root, source)]
    if not found:
        raise InputError(
            f"{where} holds no file to read: inputs end in .warc.gz, .arc.gz, .wet.gz, .jsonl (.gz, .zst) or .parquet; "
            "a crawl's root holds crawl-data/<ID>/warc.paths.gz"
        )
    return _without_twins(sorted(found, key=lambda file: file.name))


def _files_of(path: Path, root: Path, source: str) -> Iterable[InputFile]:
    if path.is_file():
        yield _input(path, root, source)
        return
    met, left_out = {os.path.realpath(path)}, Counter()
    for folder, folders, names in os.walk(path, followlinks=True, onerror=_refuse):
        # _SUCCESS, _temporary, .part.crc: what Spark and Hadoop leave beside data
        folders[:] = sorted(name for name in folders if not name.startswith(("_", ".")))
        folders[:] = [name for name in folders if _is_new(Path(folder, name), met)]
        for name in [name for name in folders if is_run(Path(folder, name))]:
            _log.warning("%s is left out: it is the folder of a run", Path(folder, name))
            folders.remove(name)
        for name in sorted(names):
            kind = filekind.kind_by_name(name)
            if kind == filekind.WAT:
                _log.warning("%s is left out: WAT holds metadata of pages, not their text", Path(folder, name))
            elif kind in filekind.READABLE and not name.startswith(("_", ".")):
                yield _input(Path(folder, name), root, source)
            elif kind not in filekind.READABLE and not name.startswith(("_", ".")):
                left_out["".join(Path(name).suffixes[-2:]) or name] += 1
    if left_out:
        told = ", ".join(f"{ending} ({count})" for ending, count in left_out.most_common(5))
        _log.warning("%s: %d files are left out by their endings: %s", path, left_out.total(), told)


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename} cannot be searched for input: {error.strerror}")


def is_run(folder: Path) -> bool:
    """Whether a folder was written by a run: its plan.json begins with the recipe. Its Parquet is no input as it is."""
    plan = folder / "plan.json"
    if not plan.is_file():
        return False
    with plan.open("rb") as file:
        return b'"recipe_hash"' in file.read(1024)


def _is_new(folder: Path, met: set[str]) -> bool:
    """Whether a folder was not met under another name. Links in a circle, or two to each next one, have no end."""
    place = os.path.realpath(folder)
    if place in met:
        _log.warning("%s is a folder that has been searched under another name", folder)
        return False
    met.add(place)
    return True


def _input(path: Path, root: Path, source: str) -> InputFile:
    check_utf8(str(path))
    try:
        with Tape(str(path)) as tape:
            kind, size = refuse_unreadable(str(path), filekind.kind_by_content(tape)), tape.size
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; leave it out, or see to its permissions") from error
    return InputFile(str(path), path.relative_to(root).as_posix(), kind, source, "", size)


def _without_twins(found: Sequence[InputFile]) -> list[InputFile]:
    """Each file once, also where links give it several names: the first name stays."""
    kept: dict[str, InputFile] = {}
    for file in found:
        first = kept.setdefault(os.path.realpath(file.path), file)
        if first is not file:
            _log.warning("%s is the same file as %s and is read once", file.name, first.name)
    return list(kept.values())
