"""Quality signals of RedPajama-V2 (https://github.com/togethercomputer/RedPajama-Data, app/src/core/quality_signals).

Its signals are spans with scores; here a signal of the document is one number, and a signal of lines is the mean over
the lines. All are 0 on an empty page, where RedPajama-V2 has null. Its normalised text is lower-case, in NFD, without
ASCII punctuation; its raw tokens are runs of word characters and runs of marks.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from math import log

from curation.page import Page
from curation.rules.gopher_quality import ENGLISH_STOP_WORDS
from curation.rules.gopher_repetition import duplicate_ngram_character_fraction, top_ngram_character_fraction

__all__ = [
    "all_caps_word_fraction",
    "bullet_line_fraction",
    "curly_bracket_fraction",
    "duplicate_ngram_fraction",
    "javascript_line_mean",
    "line_count",
    "line_digit_fraction",
    "line_uppercase_fraction",
    "line_word_mean",
    "lorem_ipsum_fraction",
    "mean_word_length",
    "no_letter_word_fraction",
    "sentence_count",
    "stop_word_fraction",
    "symbol_to_word_ratio",
    "terminal_punctuation_line_fraction",
    "top_ngram_fraction",
    "unigram_entropy",
    "unique_word_fraction",
    "word_count",
]

BULLETS = tuple("\u2022\u2023\u25b6\u25c0\u25e6\u25a0\u25a1\u25aa\u25ab\u2013")
TERMINAL_MARKS = (".", "!", "?", "\u201d")
_TOKEN = re.compile(r"\w+|[^\w\s]+")
_SENTENCE = re.compile(r"\w[^.!?]*+[.!?]*+")
_LETTER = re.compile(r"[A-Za-z]")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def sentence_count(page: Page) -> int:
    """Sentences: stretches from a word character up to and with . ! or ?.

    Source: rps_doc_num_sentences.

    >>> sentence_count(Page("One. Two! Three"))
    3
    """
    return sum(1 for _ in _SENTENCE.finditer(page.text))


def word_count(page: Page) -> int:
    """Words of the normalised text. Source: rps_doc_word_count."""
    return len(_normal(page).words)


def mean_word_length(page: Page) -> float:
    """Mean length of the words of the normalised text, in code points. Source: rps_doc_mean_word_length."""
    return _mean(list(map(len, _normal(page).words)))


def unique_word_fraction(page: Page) -> float:
    """Different words as a fraction of the words of the normalised text. Source: rps_doc_frac_unique_words."""
    words = _normal(page).words
    return len(set(words)) / len(words) if words else 0.0


def unigram_entropy(page: Page) -> float:
    """Entropy of the words of the normalised text, in nats. Source: rps_doc_unigram_entropy.

    >>> round(unigram_entropy(Page("a b")), 4)
    0.6931
    """
    counts = Counter(_normal(page).words).values()
    total = sum(counts)
    return sum(-n / total * log(n / total) for n in counts)


def symbol_to_word_ratio(page: Page) -> float:
    """Occurrences of #, three dots and U+2026 divided by the raw tokens. Source: rps_doc_symbol_to_word_ratio."""
    tokens = _TOKEN.findall(page.text)
    return sum(page.text.count(symbol) for symbol in ("#", "...", "\u2026")) / len(tokens) if tokens else 0.0


def no_letter_word_fraction(page: Page) -> float:
    """Raw tokens without a letter of ASCII, as a fraction. Source: rps_doc_frac_no_alph_words.

    Differs: nothing, so a page in another script has about 1: use `gopher_quality.alphabetic_word_fraction` there.
    """
    return _mean([_LETTER.search(token) is None for token in _TOKEN.findall(page.text)])


def all_caps_word_fraction(page: Page) -> float:
    """Raw tokens all in capitals, as a fraction. Source: rps_doc_frac_all_caps_words."""
    return _mean([token.isupper() for token in _TOKEN.findall(page.text)])


def stop_word_fraction(page: Page, *, words: Sequence[str] = ENGLISH_STOP_WORDS) -> float:
    """Raw tokens that are stop words, as a fraction. Source: rps_doc_stop_word_fraction.

    Differs: RedPajama-V2 has a list of some 150 to 600 stop words for each of its five languages; give it as `words`.
    """
    wanted = frozenset(words)
    return _mean([token in wanted for token in _TOKEN.findall(page.text)])


def curly_bracket_fraction(page: Page) -> float:
    """Curly brackets as a fraction of all characters. Source: rps_doc_curly_bracket."""
    return (page.text.count("{") + page.text.count("}")) / len(page.text) if page.text else 0.0


def lorem_ipsum_fraction(page: Page) -> float:
    """Occurrences of "lorem ipsum" divided by the characters of the normalised text. Source: rps_doc_lorem_ipsum."""
    text = _normal(page).text
    return text.count("lorem ipsum") / len(text) if text else 0.0


def line_count(page: Page) -> int:
    """Lines, split at newline, blank ones too. Source: ccnet_nlines."""
    return page.text.count("\n") + 1 if page.text else 0


def terminal_punctuation_line_fraction(page: Page) -> float:
    """Lines that end in . ! ? or a closing double quote. Source: rps_lines_ending_with_terminal_punctution_mark."""
    return _of_lines(page.text, lambda line: line.rstrip().endswith(TERMINAL_MARKS))


def bullet_line_fraction(page: Page) -> float:
    """Lines that start with one of ten bullets. Source: rps_lines_start_with_bulletpoint."""
    return _of_lines(page.text, lambda line: line.lstrip().startswith(BULLETS))


def javascript_line_mean(page: Page) -> float:
    """How often the word javascript stands in a line, on average. Source: rps_lines_javascript_counts."""
    return _of_lines(_normal(page).text, lambda line: line.split().count("javascript"))


def line_word_mean(page: Page) -> float:
    """Words in a line of the normalised text, on average. Source: rps_lines_num_words."""
    return _of_lines(_normal(page).text, lambda line: len(line.split()))


def line_digit_fraction(page: Page) -> float:
    """Numeric characters of a line as a fraction, mean over lines. Source: rps_lines_numerical_chars_fraction."""
    return _of_lines(_normal(page).text, lambda line: sum(map(str.isnumeric, line)) / max(1, len(line)))


def line_uppercase_fraction(page: Page) -> float:
    """Upper-case letters of a line as a fraction, mean over lines. Source: rps_lines_uppercase_letter_fraction."""
    return _of_lines(page.text, lambda line: sum(map(str.isupper, line)) / max(1, len(line)))


def top_ngram_fraction(page: Page, *, n: int) -> float:
    """Gopher's top n-gram on the normalised words: seen twice or more, characters of words only.

    Source: rps_doc_frac_chars_top_2gram, 3gram, 4gram.
    """
    return top_ngram_character_fraction(_normal(page), n=n, min_count=2, denominator="words")


def duplicate_ngram_fraction(page: Page, *, n: int) -> float:
    """Gopher's duplicate n-grams on the normalised words: every word in any copy counts once, of characters of words.

    Source: rps_doc_frac_chars_dupe_5grams to 10grams.
    """
    return duplicate_ngram_character_fraction(_normal(page), n=n, count_first=True, denominator="words")


_last: tuple[str, Page] | None = None


def _normal(page: Page) -> Page:
    """The page's text normalised, with its words cut once: kept for the dozen measures that follow each other."""
    global _last
    if _last is None or _last[0] is not page.text:
        folded = unicodedata.normalize("NFD", page.text.lower()).translate(_NO_PUNCTUATION)
        _last = (page.text, Page(folded))
    return _last[1]


def _of_lines(text: str, value: Callable[[str], float]) -> float:
    return _mean([value(line) for line in text.split("\n")]) if text else 0.0


def _mean(values: list) -> float:
    return sum(values) / len(values) if values else 0.0
