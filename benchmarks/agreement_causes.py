"""Why a page is decided differently: our rules run again with one thing at a time done as datatrove does it.

Tokens are repaired kind by kind: where spaCy's tokens and ours part, the stretch is of the first kind below that fits,
and the page is measured with spaCy's tokens in the stretches of that kind only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import regex

from curation.cutting import Cut
from curation.page import Page
from curation.rewrite import c4
from curation.stage import PageStage
from curation.text import tokens

C4_SENTENCES = 5  # FineWeb's bound
UNEXPLAINED = "unexplained"
WORDS = "words counted by spaCy's tokens that are not all punctuation, not by ours (hyphens, contractions, numbers)"
SENTENCES = "sentences: spaCy's end where a token is a stop (not in A.-L., but inside Street.Phone)"
SEVERAL = "several kinds of tokens together"

# (kind, does a stretch of spaCy's and our tokens belong to it); the first that fits
Fits = Callable[[list[str], list[str]], bool]
KINDS: list[tuple[str, Fits]] = [
    ("addresses: one token for spaCy, parted at slashes, colons and marks here",
     lambda theirs, ours: any(re.search(r"://|\w[.@]\w.*[./]\w|www\.|\w@\w", one) for one in theirs)),
    ("abbreviations: spaCy leaves the stop on (Inc., No., E.g.)",
     lambda theirs, ours: any(re.fullmatch(r"(?:\w+\.)+", one) for one in theirs) and "." in ours),
    ("units: spaCy parts them from the number before (2pm, 120cm)",
     lambda theirs, ours: len(theirs) > len(ours) and any(one[:1].isdigit() and not one.isdigit() for one in ours)),
    ("contractions: spaCy knows more of them, and does not part what is no verb (cannot, Im; rock 'n')",
     lambda theirs, ours: "".join(theirs).replace("'", "").replace("\u2019", "").isalpha()),
    ("rows of marks and emoticons: spaCy keeps some as one token ('' or :) or |---|)",
     lambda theirs, ours: regex.fullmatch(r"[\p{P}\p{S}DPpOo0-9]+", "".join(theirs)) is not None),
    ("other tokens", lambda theirs, ours: True),
]  # fmt: skip


def cause_of(stage: PageStage, text: str, kept: bool, theirs: list[str], sentences: int) -> str:
    """The first repair after which our decision is `kept` too; `theirs` and `sentences` are datatrove's of the text."""
    if stage.name == "c4":
        edited = c4.page(Page(text), skip=("terminal_punctuation", "too_few_sentences"), whitespace_words=True)
        return SENTENCES if (isinstance(edited, str) and sentences >= C4_SENTENCES) == kept else UNEXPLAINED
    for cause, page in repaired(text, theirs):
        stage.run([page])
        if page.alive == kept:
            return cause
    return UNEXPLAINED


def repaired(text: str, theirs: list[str]) -> Iterator[tuple[str, Page]]:
    stretches = list(parted(theirs, tokens(text)))
    for kind, _ in KINDS:
        page = Page(text)
        page._token_cut = places(text, [one for k, a, b in stretches for one in (a if k == kind else b)])
        yield kind, page
    page = Page(text)
    page._token_cut = places(text, theirs)
    yield SEVERAL, page
    page = Page(text)
    page._token_cut = places(text, theirs)
    page._word_cut = places(text, [one for one in theirs if regex.search(r"[^\p{P}\p{S}]", one)])
    yield WORDS, page


def parted(theirs: list[str], ours: list[str]) -> Iterator[tuple[str | None, list[str], list[str]]]:
    """(kind or None where equal, spaCy's tokens, ours), in the shortest stretches that end at the same character.

    Both cut the same text and leave only white space out, so lengths tell where they meet.
    """
    assert "".join(theirs) == "".join(ours), "tokens of two different texts"
    i = j = 0
    while i < len(theirs):
        a, b = [theirs[i]], [ours[j]]
        i, j = i + 1, j + 1
        while (ahead := sum(map(len, a)) - sum(map(len, b))) != 0:
            if ahead > 0:
                b.append(ours[j])
                j += 1
            else:
                a.append(theirs[i])
                i += 1
        yield (None if a == b else next(kind for kind, fits in KINDS if fits(a, b))), a, b


def places(text: str, pieces: list[str]) -> Cut:
    """The pieces as a cut of the text, which holds them in this order."""
    starts, end = [], 0
    for piece in pieces:
        starts.append(text.index(piece, end))
        end = starts[-1] + len(piece)
    lengths = [len(piece) for piece in pieces]
    letters = sum(any(map(str.isalpha, piece)) for piece in pieces)
    ends = np.array(starts, np.int32) + np.array(lengths, np.int32)
    return Cut(np.array(starts, np.int32), ends, sum(lengths), letters)
