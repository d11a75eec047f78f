"""Repetition measures of data-juicer (operators character_repetition_filter and word_repetition_filter)."""

from __future__ import annotations

from math import isqrt

import numpy as np

from curation.page import Page
from curation.rules.ngrams import number_pieces
from curation.rules.word_lists import word_list

__all__ = ["character_repetition_fraction", "flagged_word_fraction", "word_repetition_fraction"]


def character_repetition_fraction(page: Page, *, n: int = 10) -> float:
    """Occurrences of the most frequent n-grams of characters that repeat, as a fraction of all character n-grams.

    The most frequent: as many as the square root of the number of different n-grams, but only repeating ones.

    Source: data-juicer, n = 10, at most 0.5.
    Reading: its code's; 0 on a page of fewer than n characters.

    >>> character_repetition_fraction(Page("abcabcabcx"), n=3)
    0.625
    """
    codes = np.frombuffer(page.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    counts = _ngram_counts(codes, n)
    if not len(counts):
        return 0.0
    repeated = np.sort(counts[counts > 1])[::-1][: isqrt(len(counts))]
    return float(repeated.sum() / counts.sum())


def word_repetition_fraction(page: Page, *, n: int = 10) -> float:
    """Occurrences of n-grams of words that repeat, as a fraction of all word n-grams; 0 below n words.

    Source: data-juicer, n = 10, at most 0.5. Dolma's n-gram rules have the same form.
    Differs: data-juicer folds case and splits at white space.

    >>> word_repetition_fraction(Page("a b a b c"), n=2)
    0.5
    """
    counts = _ngram_counts(number_pieces(page.codes, page.word_cut), n)
    return float(counts[counts > 1].sum() / counts.sum()) if len(counts) else 0.0


def flagged_word_fraction(page: Page, *, words: str) -> float:
    """Words of the page that are on a list of your own, as a fraction of words; `words`: a list file, one entry a line.

    Source: data-juicer, flagged_words_filter, at most 0.045.
    Reading: single words, case folded.
    Differs: data-juicer also joins neighbouring words in Chinese.

    >>> flagged_word_fraction(Page("Try the casino, win big"), words="url_soft_words")
    0.2
    """
    listed = word_list(words)
    return sum(word.lower() in listed for word in page.words) / len(page.words) if page.words else 0.0


def _ngram_counts(pieces: np.ndarray, n: int) -> np.ndarray:
    """How often each different n-gram of these numbers occurs.

    N-grams are told apart by a 64-bit polynomial hash: two of a million collide with probability 3e-8.
    Sorting the hashes makes this n log n; 2 s for 10 million.
    """
    total = len(pieces) - n + 1
    if total <= 0:
        return np.empty(0, np.int64)
    wide = pieces.astype(np.uint64)
    hashes = np.zeros(total, np.uint64)
    for i in range(n):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + wide[i : i + total] + np.uint64(1)
    return np.unique(hashes, return_counts=True)[1]
