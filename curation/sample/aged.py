"""A made-up web over many snapshots: some pages last from crawl to crawl, others are met once. For comparing scopes.

What it models, and all it models: articles stay on the web for a while, and each crawl visits some of those that are
there, so that the older a capture, the more newer crawls may hold its page; keyword pages are written anew for each
crawl and gone by the next; a few articles have a mirror on another host. Whether real pages that last are better than
pages that pass is not answered here: it is built in.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from curation.document import document_id
from curation.errors import InputError
from curation.page import Page
from curation.sample.author import Author, topics

FIRST_YEAR = 2017
_STAYS = 0.95  # of the articles on the web at one crawl, the share still there at the next
_VISITED = 0.35  # of the articles on the web, the share that a crawl visits
_PASSING = 0.25  # of the pages of a crawl, the share of keyword pages
_MIRRORED = 0.08  # of the articles of a crawl, the share that has a mirror in it
_KEYWORDS = (12, 30)  # phrases of a keyword page, fewest and most
_SHOUTS = ("buy {}", "cheap {}", "{} online", "best price {}", "{} discount", "{} near you", "order {} today")


@dataclass(frozen=True)
class Article:
    """An article of the made-up web, with its address."""

    url: str
    text: str


def aged_pages(snapshots: int = 8, pages: int = 200, seed: int = 7) -> list[Page]:
    """`pages` pages for each of `snapshots` crawls, oldest crawl first; keyword pages have `passing` in their url.

    Raises InputError below 1 snapshot or 20 pages.
    """
    if snapshots < 1 or pages < 20:
        raise InputError(f"snapshots {snapshots}, pages {pages}: give at least 1 snapshot and 20 pages")
    made: list[Page] = []
    writer = _articles(seed)
    alive: list[Article] = []
    for number in range(snapshots):
        rng = random.Random(f"{seed} crawl {number}")
        passing = round(_PASSING * pages)
        mirrors = round(_MIRRORED * (pages - passing))
        articles = pages - passing - mirrors
        alive = [article for article in alive if rng.random() < _STAYS]
        while len(alive) * _VISITED < articles:
            alive.append(next(writer))
        visited = rng.sample(alive, articles)
        crawled = [(article.url, article.text) for article in visited]
        crawled += [
            (f"https://mirror.example{article.url.removeprefix('https://articles.example')}", article.text)
            for article in rng.sample(visited, mirrors)
        ]
        crawled += [(f"https://passing.example/{number}/{n}", _keywords(rng)) for n in range(passing)]
        made += [_page(number, place, *one, visits=rng.randrange(10**6)) for place, one in enumerate(crawled)]
    return made


def _articles(seed: int) -> Iterator[Article]:
    about = topics("en")
    number = 0
    while True:
        article = Author("en", about[number % len(about)], random.Random(f"{seed} article {number}")).article()
        yield Article(f"https://articles.example/{number}", article.text)
        number += 1


def _keywords(rng: random.Random) -> str:
    """A page of advertising phrases, one a line."""
    author = Author("en", rng.choice(topics("en")), rng)
    return "\n".join(rng.choice(_SHOUTS).format(author.draw("things")) for _ in range(rng.randint(*_KEYWORDS)))


def _page(number: int, place: int, url: str, text: str, visits: int) -> Page:
    year, half = FIRST_YEAR + number // 2, number % 2
    snapshot = f"AGED-{year}-{10 + 26 * half}"
    return Page(
        f"{text}\nRead {visits} times.",  # differs in each crawl, as real pages do
        url=url,
        host=url.split("/")[2],
        date=f"{year}-{3 + 6 * half:02}-01T00:00:00Z",
        source="made",
        snapshot=snapshot,
        doc_id=document_id("made", snapshot, "aged", place, ""),
    )
