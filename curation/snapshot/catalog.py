"""Which crawls there are, and a sample of the files of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import xxhash

from curation.errors import InputError, StoreError, did_you_mean
from curation.read.crawl import names_in
from curation.read.tape import read_whole
from curation.stores.files import join

COMMON_CRAWL = "https://data.commoncrawl.org"
COLLINFO = "https://index.commoncrawl.org/collinfo.json"  # of Common Crawl; other roots hold a collinfo.json themselves
KINDS = ("warc", "wet")


@dataclass(frozen=True)
class Crawl:
    """One crawl as the list of crawls describes it."""

    id: str
    name: str


def crawls(root: str = COMMON_CRAWL) -> list[Crawl]:
    """The crawls below a root, newest first. Raises StoreError or InputError where there is no list of them."""
    place = COLLINFO if root.rstrip("/") == COMMON_CRAWL else join(root, "collinfo.json")
    try:
        return [Crawl(one["id"], one.get("name", "")) for one in json.loads(read_whole(place))]
    except FileNotFoundError:
        raise InputError(f"{place} does not exist: name a crawl, or give a root that lists its crawls") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{place} is no list of crawls ({error!r})") from error


def file_names(root: str, crawl: str, kind: str = "warc") -> list[str]:
    """Names of a crawl's files, relative to the root, in the crawl's order. `kind`: warc, wet or cc-index-table.

    Raises InputError, with the closest known crawl, where the root has no such crawl.
    """
    place = join(root, f"crawl-data/{crawl}/{kind}.paths.gz")
    try:
        return names_in(place)
    except (StoreError, FileNotFoundError) as error:
        if isinstance(error, StoreError) and "no such file" not in str(error):
            raise
    raise InputError(f"{root} holds no {kind}.paths.gz of a crawl {crawl}{_hint(root, crawl)}")


def sample(names: Sequence[str], files: int | None, seed: int) -> list[str]:
    """So many of the names, drawn by seed, in their order; all where `files` is None.

    The sample of 3 holds the sample of 2 (same seed), so what was downloaded is used again. It depends on the names
    and the seed only.

    >>> sample(["a", "b", "c", "d"], 2, seed=1)
    ['c', 'd']
    """
    if files is None or files >= len(names):
        return list(names)
    drawn = sorted(names, key=lambda name: xxhash.xxh3_64_intdigest(name.encode(), seed=seed))
    chosen = set(drawn[:files])
    return [name for name in names if name in chosen]


def _hint(root: str, crawl: str) -> str:
    try:
        known = [one.id for one in crawls(root)]
    except (StoreError, InputError):
        return ""
    return f": {did_you_mean(crawl, known)}" if crawl not in known else ""
