"""Good pages, and pages that copy them: mirrors, edited copies, and the same address met again in the next snapshot."""

from __future__ import annotations

from curation.errors import InputError
from curation.sample.author import Article
from curation.sample.near import jaccard, near_copy, shingles
from curation.sample.world import SNAPSHOTS, Planted, World, link_to_original
from curation.text import words

NEAR = {"near_copy_95": 0.95, "near_copy_90": 0.90, "near_copy_85": 0.85, "near_copy_below": 0.45}
_COPIES_OF_EACH_FOURTH = 2  # every fourth original has two mirrors, the others one


def good_pages(world: World, by_language: dict[str, int]) -> list[Planted]:
    """Articles on their sites, half of each language in each snapshot."""
    return [
        world.plant("good", world.article(language), SNAPSHOTS[number % len(SNAPSHOTS)])
        for language, count in by_language.items()
        for number in range(count)
    ]


class Originals:
    """Hands out good pages to copy, in an order by seed, each to one role only, so that no cluster meets another."""

    def __init__(self, world: World, good: list[Planted]):
        self._left = world.rng("originals").sample(good, len(good))

    def next(self, *, snapshot: str | None = None) -> Planted:
        for at, page in enumerate(self._left):
            if snapshot in (None, page.truth.snapshot):
                return self._left.pop(at)
        raise InputError(f"no good page is left to copy in {snapshot or 'the crawl'}: ask for more pages")


def exact_copies(world: World, originals: Originals, count: int) -> list[Planted]:
    """The same article on another site of the same snapshot: other menu, banner, links and footer."""
    copies: list[Planted] = []
    while len(copies) < count:
        original = originals.next()
        mirrors = _COPIES_OF_EACH_FOURTH if len(copies) % 4 == 3 else 1
        for _ in range(min(mirrors, count - len(copies))):
            at = world.site(original.article.language, other_than=original.site)
            copy = world.plant("exact_copy", original.article, original.truth.snapshot, at=at)
            copies.append(link_to_original(copy, original, 1.0))
    return copies


def near_copies(world: World, originals: Originals, role: str, count: int) -> list[Planted]:
    """Articles with words replaced, on another site of the same snapshot; the truth holds the exact Jaccard index."""
    copies = []
    for number in range(count):
        original = originals.next()
        language = original.article.language
        stock = words(world.article(language).text)
        article, index = near_copy(original.article, NEAR[role], world.rng(role, number), stock)
        at = world.site(language, other_than=original.site)
        copies.append(link_to_original(world.plant(role, article, original.truth.snapshot, at=at), original, index))
    return copies


def recrawls(world: World, originals: Originals, role: str, count: int) -> list[Planted]:
    """Pages of the first snapshot met again in the second, under the same address; some with a new second half."""
    again = []
    for _ in range(count):
        original = originals.next(snapshot=SNAPSHOTS[0])
        article = original.article if role == "recrawl_same" else _rewritten(world, original.article)
        url = original.truth.url
        copy = world.plant(role, article, SNAPSHOTS[1], at=original.site, url=url)
        index = jaccard(shingles(original.article.text), shingles(article.text))
        again.append(link_to_original(copy, original, index))
    return again


def _rewritten(world: World, article: Article) -> Article:
    kept = article.paragraphs[: (len(article.paragraphs) + 1) // 2]
    return Article(article.language, article.title, (*kept, *world.article(article.language).paragraphs[:2]))
