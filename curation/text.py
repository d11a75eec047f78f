"""How a text is cut into words, lines, paragraphs and sentences: one definition for rules, dedup, decontamination.

A word is a maximal run of letters, marks and digits with inner apostrophes (and inner soft hyphens and joiners).
In scripts that are written without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) each letter with its marks is a word,
so that a Chinese page of 300 characters counts about 300 words, not 5. Punctuation and symbols are never words.

Every function is total: defined on the empty string, and linear in the length of the text.
"""

from __future__ import annotations

import re

import regex

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc"
INNER = r"'\u2019\u00ad\u200c\u200d"
SPACED = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]"
_WORD = regex.compile(
    rf"(?V1)[[{UNSPACED}]&&[\p{{L}}\p{{N}}]]\p{{M}}*+|{SPACED}++(?:[{INNER}]{SPACED}++)*+",
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")

# Sentence ends: Latin, Greek and Cyrillic stops need a following space; CJK, Devanagari, Arabic and others need none.
_CLOSERS = "\"'\u2019\u201d\u00bb\u203a)\\]\u300d\u300f\u3011\uff09"
_SENTENCE_END = re.compile(
    rf"(?:[.!?\u2026\u061f\u06d4]+[{_CLOSERS}]*(?=\s))|(?:[\u3002\uff01\uff1f\uff61\u0964\u0965\u1362\u104b\u17d4]+[{_CLOSERS}]*)",
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'\u201c\u201e])(?:[A-Za-z]|[A-Za-z](?:\.[A-Za-z])+|mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|inc|ltd|co|corp|no|vol|fig|"
    r"approx|dept|est|gen|col|capt|lt|rev|hon|sen|rep|gov|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|bzw|usw|ca|nr|str|"
    r"abs|art|m|mme|mlle|av|p|pp|cf|al)\.$",
    re.IGNORECASE,
)


def words(text: str) -> list[str]:
    """The words of a text, in order.

    >>> words("Don't panic: 42 towels!")
    ["Don't", 'panic', '42', 'towels']
    >>> words("\\u6211\\u7231 Spark")
    ['\\u6211', '\\u7231', 'Spark']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(text)


def lines(text: str) -> list[str]:
    """The lines of a text: split at newline, blank ones left out, the rest as they are.

    >>> lines("a\\n\\n  b")
    ['a', '  b']
    """
    return [line for line in text.split("\n") if line and not line.isspace()]


def paragraphs(text: str) -> list[str]:
    """Blocks parted by at least one blank line, stripped, empty ones left out.

    >>> paragraphs("a\\nb\\n\\n\\nc")
    ['a\\nb', 'c']
    """
    return [block for block in (p.strip() for p in _BLANK_LINES.split(text)) if block]


def sentences(text: str) -> list[str]:
    """Sentences, cut line by line: at . ! ? and their relatives in other scripts, not after usual abbreviations.

    A sentence never crosses a line. A heading without a stop counts as a sentence.

    >>> sentences("Dr. Who came. He left!")
    ['Dr. Who came.', 'He left!']
    """
    found: list[str] = []
    for line in lines(text):
        start = 0
        for match in _SENTENCE_END.finditer(line):
            end = match.end()
            if match.group()[0] == "." and _ABBREVIATION.search(line[max(start, end - 12) : end]):
                continue
            found.append(line[start:end].strip())
            start = end
        rest = line[start:].strip()
        if rest:
            found.append(rest)
    return found
