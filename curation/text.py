"""How a text is cut into words, lines, paragraphs and sentences: one definition for rules, dedup, decontamination.

What stands here is the definition, in plain Python; `curation.cutting` does the same work compiled, and is tested
against it.

A word is a maximal run of letters, marks and digits with inner apostrophes (and inner soft hyphens and joiners).
In scripts that are written without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) each letter with its marks is a word,
so that a Chinese page of 300 characters counts about 300 words, not 5. Punctuation and symbols are never words.

A token is a word or a mark, as the tokenizers of English part them (`tokens`). Only rules that follow a reference which
counts marks use tokens.

Every function is total: defined on the empty string, and linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import regex

_SURROGATE = re.compile("[\ud800-\udfff]")
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc"
JOINER = r"['\u2019\u00ad\u200c\u200d]"
SPACED = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]"
ALONE = rf"[[{UNSPACED}]&&[\p{{L}}\p{{N}}]]"  # with its marks a word of its own
_WORD = regex.compile(rf"(?V1){ALONE}\p{{M}}*+|{SPACED}++(?:{JOINER}{SPACED}++)*+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")

# Marks that stand at either end of a piece between white space become tokens; a hyphen, slash, bar, at sign, caret,
# tilde or plus there stays ("-5", "and/"), and so does a single stop in front (".htaccess").
OPENING = r"[[\p{P}\p{S}]--[\-/\\|@^~+.]]"
CLOSING = r"[[\p{P}\p{S}]--[\-/\\|@^~+.\u00a7=%\p{Sc}]]"
AFTER_DIGIT = r"[+%\p{Sc}]"  # closing marks after a digit only
BEFORE_STOP = r"[\p{Ll}\p{Nd}\p{P}\p{S}]"  # what a closing stop may follow, besides two capitals
# Parts a piece wherever it stands: ellipses, emoji, and the marks of Chinese and Japanese, which no space follows.
ICON = r"[\u2026\p{So}[[\u3001-\u303f\uff01-\uff65]&&[\p{P}\p{S}]]]"
PARTING = r"[\u2013\u2014~:<>=/]"  # parts it after a letter or digit and before a letter
ARITHMETIC = r"[+\-*^]"  # parts it between digits
_OPENING = regex.compile(rf"(?V1)\.{{2,}}+|{OPENING}")
_CLOSING = regex.compile(rf"(?V1){CLOSING}|(?<=\p{{Nd}}){AFTER_DIGIT}|(?<={BEFORE_STOP}|\p{{Lu}}{{2}})\.")
_CONTRACTED = re.compile(r"(?:n['\u2019]t|['\u2019](?:[sSdm]|[rv]e|ll))\Z")
_INNER_MARK = regex.compile(
    rf"(?V1)(\.{{2,}}+|{ICON}|(?<=\p{{Nd}}){ARITHMETIC}(?=[\p{{Nd}}\-])|(?<=\p{{Ll}})\.(?=\p{{Lu}})|"
    rf"(?<=\p{{L}}),(?=\p{{L}})|(?<=[\p{{L}}\p{{Nd}}])(?:-{{1,3}}+|{PARTING})(?=\p{{L}})|{ALONE}\p{{M}}*+)"
)

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")

# Sentence ends: Latin, Greek and Cyrillic stops need a following space; CJK, Devanagari, Arabic and others need none.
# The pattern begins with one class of characters, which `re` looks for twice as fast as for one of two branches.
_CLOSERS = "\"'\u2019\u201d\u00bb\u203a)\\]\u300d\u300f\u3011\uff09"
_SPACED_END, _FREE_END = r".!?\u2026\u061f\u06d4", r"\u3002\uff01\uff1f\uff61\u0964\u0965\u1362\u104b\u17d4"
_SENTENCE_END = re.compile(
    rf"[{_SPACED_END}{_FREE_END}](?:(?<=[{_SPACED_END}])[{_SPACED_END}]*[{_CLOSERS}]*(?=\s)|"
    rf"(?<=[{_FREE_END}])[{_FREE_END}]*[{_CLOSERS}]*)"
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


def has_words(text: str, count: int) -> bool:
    """Whether a text has at least so many words, without cutting the rest of it.

    >>> has_words("- Digital Crown", 2), has_words("- Digital Crown", 3)
    (True, False)
    """
    found = (_ASCII_WORD if text.isascii() else _WORD).finditer(text)
    return count <= 0 or next(islice(found, count - 1, None), None) is not None


def tokens(text: str) -> list[str]:
    """Words and marks, as spaCy's tokenizer of English parts them, to a good approximation.

    Pieces between white space lose the marks at their front and end one by one, each a token of its own (two or more
    stops in a row are one; 's, n't, 'll, 're, 've, 'd and 'm go like marks); what is left is parted at hyphens, slashes
    and their like inside, and after each letter of a script without spaces.

    Source: the rules of spaCy 3.8 for English (`lang/punctuation.py`, `lang/en/punctuation.py`).
    Differs: what are marks is taken from Unicode categories instead of lists. spaCy also knows abbreviations with their
    stop, addresses, emoticons, and units glued to numbers.

    >>> tokens("A (well-known) fact: 3.5% of $1,000... is Jo's.")
    ['A', '(', 'well', '-', 'known', ')', 'fact', ':', '3.5', '%', 'of', '$', '1,000', '...', 'is', 'Jo', "'s", '.']
    """
    return [token for piece in text.split() for token in _piece_tokens(piece)]


def _piece_tokens(piece: str) -> Iterator[str]:
    start, end = 0, len(piece)
    while opening := _OPENING.match(piece, start, end):
        yield opening.group()
        start = opening.end()
    closing: list[str] = []
    while size := _closing_size(piece, start, end):
        closing.append(piece[end - size : end])
        end -= size
    yield from filter(None, _INNER_MARK.split(piece[start:end]))
    yield from reversed(closing)


def _closing_size(piece: str, start: int, end: int) -> int:
    """Length of the last token of piece[start:end] if it is a closing mark, else 0."""
    stops = 0
    while end - stops > start and piece[end - stops - 1] == ".":
        stops += 1
    if stops > 1:
        return stops
    tail = piece[max(start, end - 3) : end]
    if tail and _CLOSING.match(tail, len(tail) - 1):
        return 1
    contracted = _CONTRACTED.search(piece, max(start, end - 3), end)
    return len(contracted.group()) if contracted else 0


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
    return [sentence for line in lines(text) for sentence in _line_sentences(line)]


def count_sentences(parts: Sequence[str], *, at_most: int) -> int:
    """Number of sentences in lines or texts; counting ends at `at_most`, so it costs little where only a bound matters.

    >>> count_sentences(["One. Two! Three?", "Four."], at_most=3)
    3
    """
    if sum(not part.isspace() for part in parts if part) >= at_most:  # each holds a sentence at least
        return max(0, at_most)
    found = (sentence for part in parts for line in lines(part) for sentence in _line_sentences(line))
    return sum(1 for _ in islice(found, at_most))


def _line_sentences(line: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END.finditer(line):
        end = match.end()
        if match.group()[0] == "." and _ABBREVIATION.search(line[max(start, end - 12) : end]):
            continue
        yield line[start:end].strip()
        start = end
    rest = line[start:].strip()
    if rest:
        yield rest


def without_surrogates(text: str) -> str:
    """The text with unpaired surrogates replaced by U+FFFD: UTF-8 has no form for them, so nothing could write them.

    >>> without_surrogates("a\\ud800b") == "a\\ufffdb"
    True
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text
