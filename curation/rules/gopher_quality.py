"""Quality measures of Gopher (Rae et al. 2021, arXiv 2112.11446, appendix A.1), by default in datatrove's reading.

FineWeb follows datatrove, so a recipe that names these measures without settings means what FineWeb means, up to the
definition of a word: `page.words` never holds punctuation, while datatrove's tokenizer makes a token of most
punctuation marks. datatrove counts such tokens in two denominators (symbols, alphabetic words) and nowhere else; with
`punctuation: true` so does the measure, by the tokens of `curation.text.tokens`. `whitespace_words` takes for a word
whatever stands between white space, marks too: DCLM's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

from curation.cutting import Cut
from curation.errors import RecipeError, did_you_mean
from curation.page import Page
from curation.rules.stop_words import count_listed

__all__ = [
    "alphabetic_word_fraction",
    "bullet_line_fraction",
    "ellipsis_line_fraction",
    "mean_word_length",
    "median_word_length",
    "stop_word_count",
    "symbol_to_word_ratio",
    "word_count",
]

ENGLISH_STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
BULLETS = ("\u2022", "-")
ELLIPSES = ("...", "\u2026")
SYMBOLS = {"#": ("#",), "ellipsis": ELLIPSES, "either": ("#", *ELLIPSES, ". . .")}


def word_count(page: Page) -> int:
    """Number of words.

    Source: Gopher A.1, 50 to 100,000 words.
    Reading: words as `curation.text.words` cuts them; marks alone are no words.
    Differs: hyphenated words count by their parts. Dolma, DCLM and NeMo Curator split at white space, so free-standing
    dashes and bullets are words for them; datatrove leaves out tokens of marks only, but not every mark (dashes yes,
    a bullet or a currency sign no).

    >>> word_count(Page("Two words -- three, really."))
    4
    """
    return len(page.word_cut.starts)


def mean_word_length(page: Page, *, whitespace_words: bool = False) -> float:
    """Mean length of the words, in code points; 0 on a page without words.

    Source: Gopher A.1, 3 to 10 characters.
    Reading: the mean over the same words that `word_count` counts.
    Differs: Dolma takes the median (`median_word_length`). DCLM counts the marks that touch a word (`whitespace_words:
    true`). Chinese and Japanese words are single characters here, so the English lower bound
    of 3 drops every such page: use bounds made for the language.

    >>> mean_word_length(Page("a bc def"))
    2.0
    """
    if whitespace_words:
        words = page.text.split()
        return sum(map(len, words)) / len(words) if words else 0.0
    cut = page.word_cut
    return cut.chars / len(cut.starts) if cut.chars else 0.0


def median_word_length(page: Page) -> float:
    """Median length of the words, in code points; 0 on a page without words.

    Source: Dolma's Gopher tagger, 3 to 10 characters, where Gopher A.1 has the mean.
    Reading: the mean of the two middle lengths where the number of words is even.
    Differs: Dolma splits at white space, so marks belong to the words they touch.

    >>> median_word_length(Page("a bc incomprehensibilities"))
    2.0
    """
    return float(median(map(len, page.words))) if page.words else 0.0


def symbol_to_word_ratio(
    page: Page,
    *,
    symbol: Literal["#", "ellipsis", "either"] = "#",
    punctuation: bool = False,
    whitespace_words: bool = False,
) -> float:
    """Occurrences of a symbol divided by the number of words; a page without words counts as one word.

    `symbol`: "#", "ellipsis" for three dots or the character U+2026, "either" for both and for dots with spaces
    between. `punctuation`: punctuation marks are words too.

    Source: Gopher A.1, at most 0.1 for either symbol, each on its own.
    Reading: occurrences anywhere in the text, inside words too.
    Differs: DCLM adds the symbols up (`symbol: either`), and so does RedPajama-V2 without the spaced dots. Dolma counts
    words that hold a symbol, and does not know the three dots. datatrove's denominator holds punctuation tokens
    (`punctuation: true`), so its ratios are lower.

    >>> symbol_to_word_ratio(Page("#one two... #three four"))
    0.5
    >>> symbol_to_word_ratio(Page("#one two... #three four"), symbol="ellipsis")
    0.25
    """
    if symbol not in SYMBOLS:
        raise RecipeError(
            "symbol_to_word_ratio", [f"symbol is {symbol!r}, which is no symbol: {did_you_mean(symbol, list(SYMBOLS))}"]
        )
    count = sum(page.text.count(form) for form in SYMBOLS[symbol])
    if not count:
        return 0.0
    return count / max(1, len(page.text.split()) if whitespace_words else len(_cut(page, punctuation).starts))


def bullet_line_fraction(page: Page, *, bullets: Sequence[str] = BULLETS, blank_lines: bool = True) -> float:
    """Lines that start with a bullet, as a fraction of all lines; 0 on a page without lines.

    Source: Gopher A.1, at most 0.9.
    Reading: datatrove's: the bullet U+2022 or a hyphen after white space; blank lines count as lines.
    Differs: no glyph is known to all of datatrove, Dolma, DCLM, NeMo Curator and RedPajama-V2: set `bullets`. DCLM
    counts only lines that are not blank (`blank_lines: false`).

    >>> bullet_line_fraction(Page("- milk\\n  - eggs\\nand more"))
    0.6666666666666666
    """
    starts = tuple(bullets)
    if not any(start in page.text for start in starts):
        return 0.0
    lines = page.raw_lines if blank_lines else page.lines
    return sum(line.lstrip().startswith(starts) for line in lines) / len(lines) if lines else 0.0


def ellipsis_line_fraction(page: Page, *, endings: Sequence[str] = ELLIPSES, blank_lines: bool = True) -> float:
    """Lines that end with an ellipsis, as a fraction of all lines; 0 on a page without lines.

    Source: Gopher A.1, at most 0.3.
    Reading: datatrove's: three dots or U+2026 before white space; blank lines count as lines.
    Differs: Dolma knows U+2026 only; NeMo Curator also takes "read more" and its like (`endings`). DCLM counts only
    lines that are not blank (`blank_lines: false`).

    >>> ellipsis_line_fraction(Page("To be continued...\\nThe end."))
    0.5
    """
    ends = tuple(endings)
    if not any(end in page.text for end in ends):
        return 0.0
    lines = page.raw_lines if blank_lines else page.lines
    return sum(line.rstrip().endswith(ends) for line in lines) / len(lines) if lines else 0.0


def alphabetic_word_fraction(page: Page, *, punctuation: bool = False, whitespace_words: bool = False) -> float:
    """Words with at least one letter, as a fraction of all words; 0 on a page without words.

    `punctuation`: punctuation marks are words too, words without a letter.

    Source: Gopher A.1, at least 0.8.
    Reading: a letter in any script (`str.isalpha`).
    Differs: datatrove's denominator holds punctuation tokens (`punctuation: true`), so that lists of prices and dates
    fall below 0.8 sooner. RedPajama-V2 knows ASCII letters only.

    >>> alphabetic_word_fraction(Page("route 66, exit 9"))
    0.5
    >>> alphabetic_word_fraction(Page("route 66, exit 9"), punctuation=True)
    0.4
    """
    if whitespace_words:
        words = page.text.split()
        return sum(map(_has_letter, words)) / len(words) if words else 0.0
    cut = _cut(page, punctuation)
    return cut.with_letter / len(cut.starts) if cut.chars else 0.0


def stop_word_count(
    page: Page,
    *,
    words: Sequence[str] = ENGLISH_STOP_WORDS,
    distinct: bool = True,
    ignore_case: bool = False,
    whitespace_words: bool = False,
    anywhere: bool = False,
) -> int:
    """How many of the stop words stand on the page; with `distinct: false`, how often they stand there.

    `anywhere`: also inside words. For scripts without spaces, where a word of several letters is no word of ours, and
    for languages such as Korean, whose particles touch the noun.

    Source: Gopher A.1, at least 2 of the, be, to, of, and, that, have, with.
    Reading: datatrove's: different stop words, spelt exactly as listed ("The" is none).
    Differs: Dolma and DCLM count occurrences, so "the ... the" passes (`distinct: false`); DCLM folds case
    (`ignore_case: true`). For another language give its `words`.

    >>> stop_word_count(Page("The cat and the dog and the bird"))
    2
    >>> stop_word_count(Page("The cat and the dog and the bird"), distinct=False, ignore_case=True)
    5
    """
    if anywhere:
        text = page.text.lower() if ignore_case else page.text
        return sum(word in text if distinct else text.count(word) for word in words)
    if ignore_case or whitespace_words:
        wanted = frozenset(words)
        found = page.text.split() if whitespace_words else page.words
        found = [word for word in (map(str.lower, found) if ignore_case else found) if word in wanted]
        return len(set(found)) if distinct else len(found)
    different, occurrences = count_listed(page.codes, page.word_cut, tuple(words))
    return different if distinct else occurrences


def _has_letter(word: str) -> bool:
    return word.isalpha() or any(map(str.isalpha, word))


def _cut(page: Page, punctuation: bool) -> Cut:
    return page.token_cut if punctuation else page.word_cut
