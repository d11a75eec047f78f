"""Articles in nine languages, composed from the sentences in `prose/<language>.txt` by a seeded generator.

A prose file holds lists. `== name` opens one, ` | ` or a new line parts its values, and a value may draw from other
lists with {braces}. Lists named `<topic>.<name>` belong to one topic and go before the shared list of that name.
`sentences` holds the templates of the prose, `length` the fewest and most words of an article.

An article draws from shuffled decks, never twice from a list before the list is used up, so it repeats little of
itself; and as a template keeps few words in a row, two articles share little even when they share their templates.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from curation.text import words

LANGUAGES = ("en", "de", "fr", "es", "zh", "ar", "ja", "ru", "th")
_UNSPACED_SENTENCES = {"zh", "ja"}  # the full-width stop parts sentences, no space follows
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Article:
    """The main text of one page: what an extractor should find, no more and no less."""

    language: str
    title: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """Title and paragraphs, one a line."""
        return "\n".join((self.title, *self.paragraphs))


@cache
def prose(language: str) -> dict[str, list[str]]:
    """The lists of one language: name -> values.

    >>> prose("en")["month"][:2]
    ['January', 'February']
    """
    source = resources.files("curation.sample").joinpath("prose", f"{language}.txt").read_text("utf-8")
    lists: dict[str, list[str]] = {}
    values: list[str] = []
    for line in source.splitlines():
        if line.startswith("=="):
            values = lists.setdefault(line[2:].strip(), [])
        elif line and not line.startswith("#"):
            values += [value.strip() for value in line.split(" | ")]
    return lists


def topics(language: str) -> list[str]:
    """Names of the topics that a language has prose about, sorted."""
    return sorted({name.split(".")[0] for name in prose(language) if "." in name})


class Author:
    """Draws phrases, sentences and articles about one topic. The same random numbers give the same words."""

    def __init__(self, language: str, topic: str, rng: random.Random):
        self.language, self.topic, self._rng = language, topic, rng
        self._decks: dict[str, list[str]] = {}

    def draw(self, name: str) -> str:
        """One value of a list, its own slots filled; no value comes twice before all have come once."""
        lists = prose(self.language)
        name = f"{self.topic}.{name}" if f"{self.topic}.{name}" in lists else name
        deck = self._decks.get(name)
        if not deck:
            deck = self._decks[name] = self._rng.sample(lists[name], len(lists[name]))
        return self._fill(deck.pop())

    def _fill(self, template: str) -> str:
        return _SLOT.sub(lambda slot: self.draw(slot.group(1)), template)

    def sentence(self) -> str:
        """One sentence, its first letter upper case where the script has cases."""
        return _capitalised(self.draw("sentences"))

    def title(self) -> str:
        return _capitalised(self.draw("title"))

    def article(self) -> Article:
        """A title and paragraphs of three to six sentences, of as many words as `length` of the language says."""
        least, most = map(int, prose(self.language)["length"][0].split())
        wanted = self._rng.randint(least, most)
        title, paragraphs, written = self.title(), [], 0
        while written < wanted:
            sentences = [self.sentence() for _ in range(self._rng.randint(3, 6))]
            paragraphs.append(("" if self.language in _UNSPACED_SENTENCES else " ").join(sentences))
            written += len(words(paragraphs[-1]))
        return Article(self.language, title, tuple(paragraphs))


def _capitalised(sentence: str) -> str:
    first = next((at for at, letter in enumerate(sentence) if letter.isalpha()), 0)
    return sentence[:first] + sentence[first : first + 1].upper() + sentence[first + 1 :]
