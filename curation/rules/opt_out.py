"""Measures of what a page or its publisher reserves: directives to robots, rights in mining, lists of hosts.

The reader collects the directives (`curation.read.reservations`); a source that is no web archive has none, and so have
WET files, which keep neither headers nor tags.
"""

from __future__ import annotations

from collections.abc import Sequence

from curation.page import Page
from curation.rules.url import holds, hosts_of, parent_domains

__all__ = ["listed_host_count", "robots_directive_count", "tdm_reservation"]


def robots_directive_count(page: Page, *, directives: Sequence[str] = ("noai",)) -> int:
    """How many of these directives the page gives to all robots, or to Common Crawl's, in header or meta tag.

    Source: see `curation.read.reservations`. noimageai speaks of pictures only, noindex of search only: name them in
    `directives` where your policy reads them otherwise.

    >>> page = Page()
    >>> page.notes["robots"] = "noai noimageai"
    >>> robots_directive_count(page), robots_directive_count(page, directives=["noindex"])
    (1, 0)
    """
    return len(set(page.notes.get("robots", "").split()).intersection(directives))


def tdm_reservation(page: Page) -> int:
    """1 if the page reserves text and data mining by tdm-reservation, in header or meta tag, else 0.

    Source: TDM Reservation Protocol of the W3C community group.
    Reading: its third way, a file /.well-known/tdmrep.json of the site, is not in a page: list such hosts.
    """
    return int(page.notes.get("tdm_reservation") == "1")


def listed_host_count(page: Page, *, entries: str = "opt_out_hosts") -> int:
    """1 if the host of the page, or a domain above it, is on a list of those that opted out, else 0.

    `entries`: a file of conf/lists or a path, one host a line.
    Source: none published; what publishers ask for by letter ends up here.
    Reading: example.org on the list covers blog.example.org; the other way round nothing is covered.

    >>> listed_host_count(Page(url="https://news.opted-out.example/today"))
    1
    """
    domains = [domain for host in hosts_of(page) for domain in parent_domains(host)]
    domains = domains or [""]  # an address without a host is on no list, but the list is read
    return int(any(holds(entries, domain) for domain in domains))
