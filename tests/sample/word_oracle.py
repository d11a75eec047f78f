"""Words and their 5-grams by another road than curation.text: character by character, from the Unicode tables."""

from __future__ import annotations

import unicodedata

_INNER = "'\u2019\u00ad\u200c\u200d"
_UNSPACED = ("CJK ", "HIRAGANA ", "KATAKANA", "THAI ", "IDEOGRAPHIC ")


def oracle_words(text: str) -> list[str]:
    """Lower-cased words: runs of letters, marks and digits with inner apostrophes; single characters where unspaced."""
    found: list[str] = []
    open_word = False  # whether the next letter continues the last word
    for at, char in enumerate(text):
        kind = unicodedata.category(char)[0]
        unspaced = unicodedata.name(char, "").startswith(_UNSPACED)
        if kind == "M" and unspaced:
            found[-1] += char
        elif unspaced and kind in "LN":
            found.append(char)
            open_word = False
        elif kind in "LMN":
            found[len(found) - 1 :] = [found[-1] + char] if open_word else [*found[-1:], char]
            open_word = True
        elif not (open_word and char in _INNER and _continues(text, at + 1)):
            open_word = False
        else:
            found[-1] += char
    return [word.lower() for word in found]


def _continues(text: str, at: int) -> bool:
    return at < len(text) and unicodedata.category(text[at])[0] in "LMN"


def oracle_jaccard(one: str, other: str) -> float:
    """Jaccard index of word 5-grams, by merging two sorted lists."""
    left, right = (_sorted_grams(oracle_words(text)) for text in (one, other))
    i = j = shared = 0
    while i < len(left) and j < len(right):
        shared += left[i] == right[j]
        step_left, step_right = left[i] <= right[j], right[j] <= left[i]
        i, j = i + step_left, j + step_right
    union = len(left) + len(right) - shared
    return shared / union if union else 0.0


def _sorted_grams(words: list[str]) -> list[str]:
    return sorted({" ".join(words[at : at + 5]) for at in range(len(words) - 4)})
