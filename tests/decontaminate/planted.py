"""A corpus of 200 pages with benchmark items planted in known places: verbatim, altered, and cut in half."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from curation.decontaminate.items import Items, read_items
from curation.page import Page

FIELDS = {"quiz": ("question", "answer")}
PAGES, ITEMS, SHORT = 200, 24, 3
VERBATIM, ALTERED, HALVES = range(8), range(8, 16), range(16, 24)  # items planted in each manner
BOILERPLATE = 27  # the item whose text stands in 12 pages
BOILERPLATE_PAGES = range(180, 192)


@dataclass
class Corpus:
    """`planted`: (number of the page, number of the item, manner, start, end in code points)."""

    questions: list[str]
    texts: list[str]
    planted: list[tuple[int, int, str, int, int]] = field(default_factory=list)

    def plant(self, page: int, item: int, manner: str, text: str) -> None:
        """Puts a line into the middle of a page, and notes where its words stand."""
        before, after = self.texts[page].split("\n\n")
        word = re.search(r"\w.*\w\u0301*", text, re.DOTALL)
        at = len(before) + 2
        self.texts[page] = f"{before}\n\n{text}\n\n{after}"
        self.planted.append((page, item, manner, at + word.start(), at + word.end()))

    def pages(self) -> list[Page]:
        return [Page(text, doc_id=number, source="web") for number, text in enumerate(self.texts)]

    def pages_of(self, *manners: str) -> set[int]:
        return {page for page, _, manner, _, _ in self.planted if manner in manners}

    def write_benchmark(self, folder: Path) -> Path:
        rows = [{"id": n, "question": text, "answer": f"It is {n}."} for n, text in enumerate(self.questions)]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return folder

    def items(self, folder: Path) -> Items:
        return read_items(self.write_benchmark(folder), FIELDS)

    def write_pages(self, path: Path) -> Path:
        rows = [{"text": text, "id": f"page-{n}"} for n, text in enumerate(self.texts)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path


def altered(text: str) -> str:
    """The same words to the comparison form: other case, other marks, more space, a soft hyphen, wide letters."""
    changed = text.swapcase().replace(",", " \u2014").replace(".", "!!").replace("E", "e\u0301").replace(" ", "  ", 5)
    return re.sub("t(?=[a-z])", "t\u00ad", changed.replace("A", "\uff21"))


def make_corpus(seed: int = 3, planted: bool = True) -> Corpus:
    random = np.random.default_rng(seed)
    letters = np.array(list("aeiounrtslmdkpg"))
    vocabulary = ["".join(random.choice(letters, size=n)) for n in random.integers(3, 9, 5000)]

    def sentences(words: int) -> str:
        drawn = [str(word) for word in random.choice(vocabulary, size=words)]
        return " ".join(
            ", ".join(drawn[i : i + 10]).replace(", ", " ", 8).capitalize() + "." for i in range(0, words, 10)
        )

    questions = [sentences(int(random.integers(40, 60))) for _ in range(ITEMS)]
    questions += [sentences(5) for _ in range(SHORT)] + [sentences(20)]
    corpus = Corpus(questions, [f"{sentences(150)}\n\n{sentences(150)}" for _ in range(PAGES)])
    if planted:
        for item in VERBATIM:
            for page in (4 * item, 4 * item + 1):
                corpus.plant(page, item, "verbatim", questions[item])
        for item in ALTERED:
            corpus.plant(4 * item, item, "altered", altered(questions[item]))
        for item in HALVES:
            words = questions[item].split()
            half = len(words) // 2
            corpus.plant(4 * item, item, "half", " ".join(words[:half]))
            corpus.plant(4 * item + 1, item, "half", " ".join(words[half:]))
        for page in BOILERPLATE_PAGES:
            corpus.plant(page, BOILERPLATE, "boilerplate", questions[BOILERPLATE])
    return corpus
