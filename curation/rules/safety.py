"""Measures of unsafe content by what others know of the address.

Word lists by language are `c4.bad_word_count`; a classifier is an annotation (`quality.fasttext`, trained by
`curate train-quality`) with a bound on its score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from curation.errors import InputError, did_you_mean
from curation.page import Page
from curation.rules.url import holds, hosts_of, parent_domains

__all__ = ["listed_category_count"]


def listed_category_count(page: Page, *, folder: str, categories: Sequence[str]) -> int:
    """How many of these categories list the address of the page.

    `folder`: holds a folder for each category with a file `domains`, a file `urls`, or both, one entry a line: the
    layout of the UT1 lists of the University of Toulouse, https://dsi.ut-capitole.fr/blacklists/. Give each category a
    rule with a name of its own, and it has a fate of its own. Memory: 8 bytes an entry in each process.

    Source: RedPajama-V2 counts the categories adult, agressif, arjel, chat, dating, ddos, filehosting, gambling, porn,
        mixed_adult, phishing, violence; RefinedWeb drops pages on such lists.
    Reading: as squidGuard, for which the lists are made: a domain covers all hosts below it; an url covers the
        addresses that continue it after a /, and www. before the host does not matter.
    Raises InputError for a folder that is missing, or has no such category.
    """
    found = 0
    for files in [_files(folder, category) for category in categories]:
        found += any(holds(name, entry) for name, part in files for entry in _entries(page, part))
    return found


def _entries(page: Page, part: str) -> Iterator[str]:
    """What a list of domains, or of urls, would have to hold for the page to be on it."""
    path = page.url.lower().partition("://")[2].partition("#")[0].partition("/")[2]
    for host in hosts_of(page):
        if part == "domains":
            yield from parent_domains(host)
            continue
        address = host.removeprefix("www.")
        for step in path.split("/"):
            address = f"{address}/{step}"
            for entry in (address, address.partition("?")[0]):
                yield entry.rstrip("/")
                yield f"{entry.rstrip('/')}/"


@cache
def _files(folder: str, category: str) -> tuple[tuple[str, str], ...]:
    """(path, "domains" or "urls") of the files of a category."""
    root = Path(folder)
    known = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    if category not in known:
        hint = did_you_mean(category, known) if known else "the folder does not exist or is empty"
        raise InputError(f"url categories: {folder} has no category '{category}'; {hint}")
    found = tuple(
        (str(path), path.name) for path in (root / category / "domains", root / category / "urls") if path.is_file()
    )
    if not found:
        raise InputError(f"url categories: {root / category} has neither a file 'domains' nor a file 'urls'")
    return found
