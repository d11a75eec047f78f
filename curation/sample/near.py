"""Near copies of an article at a stated distance: words are replaced one by one until the Jaccard index is as wanted.

The index is that of the sets of word 5-grams, over words as `curation.text.words` cuts them, lower-cased. One replaced
word changes five shingles, so k replacements that lie apart take a text of n shingles to (n - 5k) / (n + 5k).
"""

from __future__ import annotations

import random

from curation.sample.author import Article
from curation.text import words

NGRAM = 5


def shingles(text: str, ngram: int = NGRAM) -> set[tuple[str, ...]]:
    """The distinct word n-grams of a text, lower-cased; empty when it has fewer words than n.

    >>> len(shingles("one two three four five six"))
    2
    """
    row = [word.lower() for word in words(text)]
    return {tuple(row[at : at + ngram]) for at in range(len(row) - ngram + 1)}


def jaccard(one: set, other: set) -> float:
    """Shared over all; 0 when both sets are empty.

    >>> jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    """
    return len(one & other) / len(one | other) if one or other else 0.0


def near_copy(article: Article, target: float, rng: random.Random, stock: list[str]) -> tuple[Article, float]:
    """The article with words replaced by words of `stock`, and its Jaccard index to the original.

    Of all numbers of replacements the one whose index lies nearest to `target` is taken. The title stays.
    """
    fresh = sorted({word for word in stock if word not in article.text})
    assert fresh, "a near copy needs words that the original does not hold"
    original = shingles(article.text)
    best, best_index, copy = article, 1.0, article
    for place in _spread(sum(len(words(paragraph)) for paragraph in article.paragraphs), rng):
        copy = _replace_word(copy, place, rng.choice(fresh))
        index = jaccard(original, shingles(copy.text))
        if abs(index - target) < abs(best_index - target):
            best, best_index = copy, index
        if index < target:
            break
    return best, best_index


def _spread(count: int, rng: random.Random) -> list[int]:
    """Places of words in an order in which early ones lie at least NGRAM apart, so that each costs five shingles."""
    lanes = [range(offset, count, NGRAM) for offset in range(NGRAM)]
    return [place for lane in lanes for place in rng.sample(lane, len(lane))]


def _replace_word(article: Article, place: int, word: str) -> Article:
    """The article with its word number `place` (over all paragraphs) replaced; punctuation stays."""
    paragraphs = list(article.paragraphs)
    for at, paragraph in enumerate(paragraphs):
        row = words(paragraph)
        if place < len(row):
            paragraphs[at] = _splice(paragraph, row, place, word)
            break
        place -= len(row)
    return Article(article.language, article.title, tuple(paragraphs))


def _splice(paragraph: str, row: list[str], place: int, word: str) -> str:
    start = 0
    for earlier in row[:place]:
        start = paragraph.index(earlier, start) + len(earlier)
    start = paragraph.index(row[place], start)
    if row[place][:1].isupper():
        word = word.capitalize()
    return paragraph[:start] + word + paragraph[start + len(row[place]) :]
