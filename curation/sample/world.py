"""The made-up web that a sample crawl visits: hands out articles, sites and captures, all from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from curation.sample.author import Article, Author, topics
from curation.sample.expectations import EXPECTED
from curation.sample.html import Rendered, Site, address, article_html, page, site
from curation.sample.truth import PageTruth
from curation.sample.warc import Capture, record_id

SNAPSHOTS = ("DEMO-2024-10", "DEMO-2024-18")
START = {
    "DEMO-2024-10": datetime(2024, 3, 3, 4, 10, 0, tzinfo=UTC),
    "DEMO-2024-18": datetime(2024, 4, 28, 19, 30, 0, tzinfo=UTC),
}
_PAGES_PER_SITE = 3


@dataclass(slots=True)
class Planted:
    """A page of the crawl: what the files will hold, and what is true of it."""

    truth: PageTruth
    capture: Capture
    site: Site
    article: Article


class World:
    """Source of everything random in a crawl. Each draw has its own generator, named by seed and purpose."""

    def __init__(self, seed: int):
        self.seed = seed
        self._articles: dict[str, int] = {}
        self._sites: dict[str, list[Site]] = {}
        self._pages = self._hosts = 0

    def rng(self, *purpose: object) -> random.Random:
        """A generator that depends on the seed and the purpose alone, so one role does not shift another's draws."""
        return random.Random(" ".join(map(str, (self.seed, *purpose))))

    def article(self, language: str) -> Article:
        """A new article; the topics of the language take turns."""
        number = self._articles[language] = self._articles.get(language, -1) + 1
        about = topics(language)
        return Author(language, about[number % len(about)], self.rng("article", language, number)).article()

    def site(self, language: str, *, other_than: Site | None = None) -> Site:
        """A site of the language; a new one when the last is full or is the one to avoid."""
        held = self._sites.setdefault(language, [])
        if not held or held[-1] is other_than or self._pages % _PAGES_PER_SITE == 0:
            self._hosts += 1
            held.append(site(language, self._hosts, self.rng("site", self._hosts)))
        return held[-1]

    def plant(
        self,
        role: str,
        article: Article,
        snapshot: str,
        *,
        at: Site | None = None,
        url: str | None = None,
        body: str | None = None,
        charset: str = "utf-8",
    ) -> Planted:
        """A page with the article on a site, served well: 200, HTML in UTF-8. `body` replaces the article's HTML."""
        self._pages += 1
        at = at or self.site(article.language)
        url = url or address(at, self._pages, article)
        content = article_html(article.title, article.paragraphs) if body is None else body
        shown = page(at, article.title, content, self.rng("page", snapshot, url), charset=charset)
        return Planted(
            self._truth(role, article, snapshot, url, shown), self._capture(snapshot, url, shown), at, article
        )

    def _truth(self, role: str, article: Article, snapshot: str, url: str, shown: Rendered) -> PageTruth:
        return PageTruth(
            url=url,
            snapshot=snapshot,
            record_id=record_id(self.seed, snapshot, url),
            role=role,
            language=article.language,
            title=article.title,
            paragraphs=list(article.paragraphs),
            boilerplate=list(shown.boilerplate),
            fates=list(EXPECTED[role]),
        )

    def _capture(self, snapshot: str, url: str, shown: Rendered) -> Capture:
        when = START[snapshot] + timedelta(seconds=7 * self._pages)
        body = shown.html.encode("utf-8")
        return Capture(
            url=url,
            record_id=record_id(self.seed, snapshot, url),
            date=when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            body=body,
            headers=http_headers(body, "text/html; charset=UTF-8"),
        )


def http_headers(body: bytes, content_type: str, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Headers of an answer. The body is stored plain although the server had compressed it, as Common Crawl does."""
    return (
        ("Server", "sample/1"),
        ("Content-Type", content_type),
        ("X-Crawler-Content-Encoding", "gzip"),
        *more,
        ("Content-Length", str(len(body))),
    )


def link_to_original(copy: Planted, original: Planted, jaccard: float) -> Planted:
    """Writes into the truth of `copy` what it is a copy of."""
    copy.truth.original, copy.truth.original_url = original.truth.record_id, original.truth.url
    copy.truth.jaccard = jaccard
    return copy
