"""Which documents a user means: by host, by address prefix, by id; and the rows of a run that these are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.address import canonical_url
from curation.document import DOCUMENT
from curation.errors import InputError
from curation.read.address import host_of, spellings
from curation.run.folder import RunFolder
from curation.run.forgotten import FATE
from curation.run.lookup import fate_files, rows_where

COLUMNS = ["doc_id", "host", "url", "dropped_by", "chars"]


@dataclass(frozen=True)
class Selection:
    """Which documents: of hosts (with what is below them where `subdomains`), below addresses, or of ids."""

    hosts: frozenset[str] = frozenset()
    subdomains: bool = False
    prefixes: frozenset[str] = frozenset()  # in the form of `canonical_url`
    ids: frozenset[int] = frozenset()

    @property
    def by(self) -> list[str]:
        """The kinds of things that were asked for."""
        kinds = {"host": self.hosts, "url_prefix": self.prefixes, "ids": self.ids}
        return [name for name, one in kinds.items() if one]


def select(
    hosts: Iterable[str] = (),
    prefixes: Iterable[str] = (),
    ids: Path | None = None,
    *,
    subdomains: bool = False,
) -> Selection:
    """A selection from what a user wrote. Raises InputError for a host or an address that cannot be one, or a bad id.

    A host takes its `www.` twin with it, as both are the same in the canonical form of addresses; the form in which it
    was crawled (unicode or punycode) does not matter.
    """
    return Selection(
        hosts=frozenset(form for host in hosts for form in _host_forms(host)),
        subdomains=subdomains,
        prefixes=frozenset(_prefix(prefix) for prefix in prefixes),
        ids=frozenset(_ids(ids)) if ids is not None else frozenset(),
    )


def _host_forms(host: str) -> set[str]:
    bare = host.strip().lower().rstrip(".")
    if not bare or any(char in bare for char in "/:@?# "):
        raise InputError(f"--host {host!r} is no host; give it as in www.example.org, and an address with --url-prefix")
    forms = spellings(bare.removeprefix("www."))
    forms |= {f"www.{form}" for form in forms}
    return forms | {f"{form}." for form in forms}  # the rooted form, which some links use


def _prefix(prefix: str) -> str:
    canonical = canonical_url(prefix)
    if not host_of(_with_scheme(canonical)):
        raise InputError(f"--url-prefix {prefix!r} names no host; give it as in https://example.org/news")
    return canonical


def _with_scheme(canonical: str) -> str:
    return canonical if "://" in canonical else f"https://{canonical}"


def _ids(file: Path) -> Iterator[int]:
    """One id a line; what stands after a tab is a note."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read as a list of ids: {error}") from error
    for number, line in enumerate(lines, 1):
        text = line.partition("\t")[0].strip()
        if not text:
            continue
        try:
            value = int(text)
        except ValueError:
            value = 1 << 63
        if not -(1 << 63) <= value < 1 << 63:
            raise InputError(f"{file}, line {number}: {text!r} is no doc_id (a whole number of 64 bits)")
        yield value


def documents_of(folder: RunFolder, selection: Selection) -> pa.Table:
    """Rows of COLUMNS. One pass over ids and hosts; addresses are read where a host could have a wanted one."""
    ids = pa.array(sorted(selection.ids), pa.int64())
    near = frozenset(form for one in selection.prefixes for form in _host_forms(host_of(_with_scheme(one))))

    def wanted(rows: pa.Table) -> pa.ChunkedArray:
        asked = pc.or_(pc.is_in(rows["doc_id"], ids), _of_hosts(rows["host"], selection.hosts, selection.subdomains))
        # What is left of a forgotten document has an id, and is not found again.
        return pc.and_(asked, pc.fill_null(pc.not_equal(rows["dropped_by"], FATE), True))

    def near_by(rows: pa.Table) -> pa.ChunkedArray:
        return pc.or_(wanted(rows), _of_hosts(rows["host"], near))

    found = [pa.table({name: pa.array([], DOCUMENT.field(name).type) for name in COLUMNS})]
    for rows in rows_where(fate_files(folder), ["doc_id", "host", "dropped_by"], near_by, COLUMNS):
        below = pa.array([is_below(url, selection.prefixes) for url in rows["url"].to_pylist()], pa.bool_())
        found.append(rows.filter(pc.or_(wanted(rows), below)))
    return pa.concat_tables(found).combine_chunks()


def _of_hosts(hosts: pa.ChunkedArray, wanted: Iterable[str], subdomains: bool = False) -> pa.ChunkedArray:
    found = pc.is_in(hosts, pa.array(sorted(wanted), pa.string()))
    if subdomains:
        for host in wanted:
            found = pc.or_(found, pc.ends_with(hosts, f".{host}"))
    return found


def is_below(url: str, prefixes: Collection[str]) -> bool:
    """Whether an address is one of the canonical prefixes or goes on from one at a border: `/`, `?`, `#` or `&`.

    >>> is_below("https://www.example.org/~ann/poems.html", {"example.org/~ann"})
    True
    >>> is_below("https://example.org/~anna/", {"example.org/~ann"})
    False
    """
    canonical = canonical_url(url)
    return any(canonical == one or (canonical.startswith(one) and canonical[len(one)] in "/?#&") for one in prefixes)
