"""Measures on the address of a page, against word and host lists (RefinedWeb, arXiv 2306.01116; datatrove's reading).

A list is a text file, one entry a line, `#` starts a comment. A setting names a file of conf/lists (`url_hosts`) or is
the path of any other, for example a `domains` file of the UT1 lists of the University of Toulouse, on which RefinedWeb
and FineWeb are built. The lists that come with the project are short examples: replace them for a real run.

A page without an address has 0 of everything. All comparisons are in lower case.
Differs: datatrove compares the words of the hard and soft lists without folding case, and stops at a missing address.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import xxhash
from tldextract import TLDExtract

from curation.page import Page
from curation.read import address
from curation.rules.word_lists import read_list, word_list

__all__ = [
    "banned_subword_count",
    "hard_word_count",
    "listed_domain_count",
    "listed_host_count",
    "listed_url_count",
    "soft_word_count",
]

_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+")
_registered = TLDExtract(suffix_list_urls=(), cache_dir=None)  # the suffix list of the package: no download on workers


def listed_domain_count(page: Page, *, entries: str = "url_hosts") -> int:
    """1 if the registered domain of the address (example.co.uk of a.b.example.co.uk) is listed, else 0.

    Source: RefinedWeb, URL filtering; datatrove's URL filter, test 1.
    Reading: the registered domain by the public suffix list; an IP address is its own domain.
    Differs: datatrove never matches an IP address, although UT1 lists many.

    >>> listed_domain_count(Page(url="http://a.listed-domain.example/index.html"))
    1
    """
    return int(any(holds(entries, _domain(host)) for host in hosts_of(page)))


def listed_host_count(page: Page, *, entries: str = "url_hosts") -> int:
    """1 if the full host of the address is listed, else 0.

    Source: datatrove's URL filter, test 2: a blog can be listed without its platform.

    >>> listed_host_count(Page(url="http://listed-blog.platform.example:8080/"))
    1
    >>> listed_host_count(Page(url="http://another-blog.platform.example/"))
    0
    """
    return int(any(holds(entries, host) for host in hosts_of(page)))


def listed_url_count(page: Page, *, entries: str = "url_addresses") -> int:
    """1 if the very address is listed, else 0.

    Source: datatrove's URL filter, test 3.
    Reading: the address as crawled, or without its scheme, as UT1 writes them.
    Differs: datatrove compares the address with its scheme, which UT1's entries do not have.

    >>> listed_url_count(Page(url="https://platform.example/listed-page"))
    1
    """
    url = page.url.lower()
    return int(bool(url) and (holds(entries, url) or holds(entries, url.partition("://")[2])))


def hard_word_count(page: Page, *, words: str = "url_hard_words") -> int:
    """Different words of the address on a list of words that decide alone. A word: letters and digits of ASCII.

    Source: RefinedWeb, URL filtering; datatrove's URL filter, test 4.

    >>> hard_word_count(Page(url="https://example.com/Porn-and-casino"))
    1
    """
    return len(word_list(words).intersection(_words(page)))


def soft_word_count(page: Page, *, words: str = "url_soft_words") -> int:
    """Different words of the address on a list of words that are innocent alone; two of them are taken as a sign.

    Source: RefinedWeb, URL filtering; datatrove's URL filter, test 5, which drops at 2.

    >>> soft_word_count(Page(url="https://example.com/casino/casino/poker"))
    2
    """
    return len(word_list(words).intersection(_words(page)))


def banned_subword_count(page: Page, *, words: str = "url_subwords") -> int:
    """Different entries of a list that stand anywhere in the address once everything but letters and digits is gone.

    Source: RefinedWeb, URL filtering; datatrove's URL filter, test 6.
    Reading: entries may run across word borders: keep them long. "sexcam" is in essex-campus.

    >>> banned_subword_count(Page(url="https://example.com/best-online-casino"))
    1
    """
    joined = _NOT_ALPHANUMERIC.sub("", page.url.lower())
    return sum(word in joined for word in word_list(words)) if joined else 0


@cache
def _fingerprints(name: str) -> np.ndarray:
    """Sorted 64-bit hashes of a list of addresses: 8 bytes an entry in each process, where a set takes over 100.

    An address that is not on a list of 5 million matches by chance with probability 3e-13.
    """
    return np.sort(np.fromiter(map(_fingerprint, read_list(name)), np.uint64))


def _fingerprint(entry: str) -> int:
    return xxhash.xxh3_64_intdigest(entry.encode("utf-8", "surrogatepass"))


def holds(name: str, entry: str) -> bool:
    """Whether an entry is on a list; see `read_list` for what names a list."""
    hashes = _fingerprints(name)
    wanted = np.uint64(_fingerprint(entry))
    at = int(np.searchsorted(hashes, wanted))
    return at < len(hashes) and bool(hashes[at] == wanted)


def host_of(page: Page) -> str:
    """Host of the page in lower case, from its address where the column is empty; "" when there is none."""
    return (page.host or address.host_of(page.url)).lower().rstrip(".")


def hosts_of(page: Page) -> list[str]:
    """The host in each of its spellings, unicode and punycode, for lists have either; empty where there is none."""
    host = host_of(page)
    return sorted(address.spellings(host)) if host else []


def parent_domains(host: str) -> list[str]:
    """The host and every domain above it, down to two labels; an IP address is alone; none of an empty host.

    >>> parent_domains("a.b.example.org"), parent_domains("192.0.2.7")
    (['a.b.example.org', 'b.example.org', 'example.org'], ['192.0.2.7'])
    """
    if not host or ":" in host or host[-1].isdigit():
        return [host] if host else []
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(max(1, len(labels) - 1))]


def _domain(host: str) -> str:
    """The registered domain; an IP address as it is; under a suffix unknown to the public list the last two labels."""
    parts = _registered(host)
    if parts.domain and parts.suffix:
        return f"{parts.domain}.{parts.suffix}"
    if ":" in host or host[-1].isdigit():
        return host
    return ".".join(host.split(".")[-2:])


def _words(page: Page) -> list[str]:
    return _NOT_ALPHANUMERIC.split(page.url.lower())
