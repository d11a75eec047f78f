"""Single files, folders and globs in a remote store, told apart by their content as local ones are."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from posixpath import commonpath

from curation.errors import InputError, StoreError
from curation.read import filekind
from curation.read.file import InputFile
from curation.read.filekind import refuse_unreadable
from curation.read.tape import Tape
from curation.stores.access import access, is_remote
from curation.stores.files import has_magic, list_below, matching

_log = logging.getLogger(__name__)


def remote_files(where: str, source: str) -> list[InputFile]:
    """Files at an address: one file; in S3 also a folder, searched to its bottom, or a glob.

    Raises InputError where nothing is there. A file of several that cannot be opened stays in the list with 0 bytes, by
    the kind of its name: reading it reports why.
    """
    if not where.startswith("s3://"):
        if has_magic(where) or filekind.kind_by_name(where) == filekind.UNKNOWN:
            raise InputError(
                f"{where}: a web server does not list what it holds: give a crawl's root with --snapshot ID, a "
                "warc.paths.gz, or a file whose name ends in .warc.gz, .wet.gz, .jsonl (.gz, .zst) or .parquet"
            )
        return [_input(where, where.rpartition("/")[0], source)]
    if has_magic(where):
        found = matching(where)
        root = commonpath([place.rpartition("/")[0] for place in found]).replace("s3:/", "s3://", 1) if found else ""
    else:
        found, root = [place for place, _ in list_below(where) if place == where], where.rpartition("/")[0]
        if not found:
            root = where.rstrip("/")
            found = _readable([place for place, _ in list_below(f"{root}/")], root)
    if not found:
        raise InputError(
            f"{where} holds no file to read: inputs end in .warc.gz, .arc.gz, .wet.gz, .jsonl (.gz, .zst) or .parquet; "
            "a crawl's root holds crawl-data/<ID>/warc.paths.gz"
        )
    with ThreadPoolExecutor(min(access().requests, len(found))) as pool:
        inputs = list(pool.map(lambda place: _input_or_lost(place, root, source, alone=len(found) == 1), found))
    return sorted(inputs, key=lambda file: file.name)


def check_addresses(inputs: Sequence[InputFile]) -> None:
    """Raises InputError where two remote inputs differ by their query only, which is a secret and no part of a name."""
    twice = [path for path, count in Counter(file.path for file in inputs if is_remote(file.path)).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]} is given twice; what stands behind a ? tells no two files apart here")


def _readable(places: Sequence[str], root: str) -> list[str]:
    """Those whose ending is that of an input; not what Spark and Hadoop leave beside data (_SUCCESS, _temporary)."""
    kept = []
    for place in places:
        parts = place[len(root) + 1 :].split("/")
        kind = filekind.kind_by_name(parts[-1])
        if kind == filekind.WAT:
            _log.warning("%s is left out: WAT holds metadata of pages, not their text", place)
        elif kind in filekind.READABLE and not any(part.startswith(("_", ".")) for part in parts):
            kept.append(place)
    return kept


def _input_or_lost(place: str, root: str, source: str, *, alone: bool) -> InputFile:
    try:
        return _input(place, root, source)
    except StoreError as error:
        if alone:
            raise
        _log.warning("%s", error)
        return InputFile(place, place[len(root) + 1 :], filekind.kind_by_name(place) or filekind.WARC, source, "", 0)


def _input(place: str, root: str, source: str) -> InputFile:
    with Tape(place) as tape:
        kind = refuse_unreadable(place, filekind.kind_by_content(tape))
        return InputFile(place, place[len(root) + 1 :], kind, source, "", tape.size)
