"""Measures that the Llama 3 report names without numbers (arXiv 2407.21783, section 3.1.1).

It drops pages by the coverage of duplicated n-grams, by counts of dirty words and by the divergence of a page's token
distribution from that of the corpus. Bounds, n, list and tokenizer are not published: each measure takes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import log
from pathlib import Path

from curation.errors import InputError
from curation.page import Page
from curation.rules.ngrams import profile_of

__all__ = ["duplicate_ngram_coverage_fraction", "word_divergence"]

OTHER = ""  # stands for every word that is not listed


def duplicate_ngram_coverage_fraction(page: Page, *, n: int) -> float:
    """Characters of words inside any copy of a repeated n-gram, each word once, as a fraction of those of all words.

    Source: Llama 3, 3.1.1: "duplicated n-gram coverage ratio", against lines of logs and error messages, which can be
    long and all different, so that no line is a duplicate.
    Reading: RedPajama-V2's and DCLM's form of the n-gram rule. n and bound are not published; Gopher has 0.15 to 0.10
    for n = 5 to 10.

    >>> duplicate_ngram_coverage_fraction(Page("aa bb cc aa bb"), n=2)
    0.8
    """
    profile = profile_of(page)
    return profile.covered(n) / profile.characters if profile.characters else 0.0


def word_divergence(page: Page, *, counts: str) -> float:
    """Kullback-Leibler divergence of the page's words from those of a corpus, in nats; 0 on a page without words.

    `counts`: a file of `word<TAB>count` lines, the words of the corpus in lower case, such as one that a query over a
    run's `curated/` makes. All words that are not listed are taken as one, with one occurrence for each listed word.

    Source: Llama 3, 3.1.1: token-distribution divergence against pages with many outlier tokens. No bound is published;
    take a high percentile of your own corpus.
    Reading: words instead of tokens, so that it can run before there is a tokenizer.
    Raises InputError if the file is missing or has no such line.
    """
    corpus = _corpus(counts)
    words = Counter(word if word in corpus else OTHER for word in map(str.lower, page.words))
    total = sum(words.values())
    return max(0.0, sum(n / total * (log(n / total) - corpus[word]) for word, n in words.items()))


@cache
def _corpus(path: str) -> Mapping[str, float]:
    """Natural logarithms of the probability of each listed word, one added to its count, and of all others together."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"word counts: no file {path}; give the path of one with lines of word<TAB>count")
    counts: dict[str, int] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        word, _, count = line.rpartition("\t")
        if not word or not count.isdecimal():
            raise InputError(f"word counts: line {number} of {path} is {line[:60]!r}; write word<TAB>count")
        counts[word] = int(count)
    if not counts:
        raise InputError(f"word counts: {path} is empty; write lines of word<TAB>count")
    total = log(sum(counts.values()) + 2 * len(counts))
    listed = {word: log(count + 1) - total for word, count in counts.items()}
    return {**listed, OTHER: log(len(counts)) - total}
