"""How a text is cut before byte-pair encoding: the named pre-tokenizer patterns, and a guard for very long runs.

A byte-pair merge never crosses a pre-token, so the pattern decides what a token can be. The patterns are the ones that
published tokenizers carry in their tokenizer.json and that gigatoken encodes with its fast path; any other pattern in
an imported tokenizer works too, at the speed of tiktoken.

Which one: `qwen35` is `qwen2` with combining marks kept with their letters. On 24 pages in scripts with vowel signs
(Devanagari, Tamil, Thai and others; half in the training sample, half measured) a vocabulary of 16,000 gave 1.75
characters per token with qwen35 and 1.56 with qwen2, and 3.63 with either on 461 articles in other languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import regex

from curation.errors import TokenizerError, did_you_mean


@dataclass(frozen=True)
class Pattern:
    """A pre-tokenizer pattern, and how it cuts digits: `single`, `up_to_three` or `any` length."""

    regex: str
    digits: str


_ENGLISH_CLITICS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD = r"[^\r\n\p{L}\p{N}]?"
_CASED = rf"{_LEAD}{_UPPER}*{_LOWER}+{_ENGLISH_CLITICS}?|{_LEAD}{_UPPER}+{_LOWER}*{_ENGLISH_CLITICS}?"
_LETTERS = rf"{_ENGLISH_CLITICS}|{_LEAD}\p{{L}}+"
_LETTERS_AND_MARKS = rf"{_ENGLISH_CLITICS}|{_LEAD}[\p{{L}}\p{{M}}]+"
_SYMBOLS = r" ?[^\s\p{L}\p{N}]+"

# Source: `pre_tokenizer` of tokenizer.json of GPT-2, Llama 3, Qwen 2, Qwen 3.5 and o200k, as known to gigatoken 0.10.
PATTERNS = {
    "gpt2": Pattern(rf"'(?:[sdmt]|ll|ve|re)| ?\p{{L}}+| ?\p{{N}}+|{_SYMBOLS}|\s+(?!\S)|\s+", "any"),
    "llama3": Pattern(rf"{_LETTERS}|\p{{N}}{{1,3}}|{_SYMBOLS}[\r\n]*|{_REST}", "up_to_three"),
    "o200k": Pattern(rf"{_CASED}|\p{{N}}{{1,3}}|{_SYMBOLS}[\r\n/]*|{_REST}", "up_to_three"),
    "qwen2": Pattern(rf"{_LETTERS}|\p{{N}}|{_SYMBOLS}[\r\n]*|{_REST}", "single"),
    "qwen35": Pattern(rf"{_LETTERS_AND_MARKS}|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_REST}", "single"),
}


def choose_pattern(name: str | None, split_digits: bool) -> Pattern:
    """The pattern called `name`, or the default for `split_digits` (qwen35 for single digits, llama3 otherwise).

    Raises TokenizerError for an unknown name, and for a name that cuts digits another way than `split_digits` says.

    >>> choose_pattern(None, split_digits=True).digits
    'single'
    """
    if name is None:
        return PATTERNS["qwen35" if split_digits else "llama3"]
    if name not in PATTERNS:
        raise TokenizerError(f"pre-tokenizer pattern '{name}' is not known; {did_you_mean(name, list(PATTERNS))}")
    pattern = PATTERNS[name]
    if split_digits != (pattern.digits == "single"):
        fitting = [other for other, one in PATTERNS.items() if (one.digits == "single") == split_digits]
        raise TokenizerError(
            f"pattern '{name}' cuts digits as '{pattern.digits}' but split_digits is {split_digits}: "
            f"set split_digits: {str(not split_digits).lower()}, or take one of {', '.join(fitting)}"
        )
    return pattern


# A run this long (base64, a ruler of dashes) teaches nothing and costs memory: it is one word of the trainer.
TRAIN_RUN_CHARS = 1024


def count_pretokens(texts: Iterable[str], pattern: str, max_run_chars: int = TRAIN_RUN_CHARS) -> Counter[str]:
    """How often each pre-token occurs. Runs longer than `max_run_chars` are cut first.

    Cost: 17 MB/s on one core; the different pre-tokens are held.

    >>> count_pretokens(["to be or not to be"], PATTERNS["gpt2"].regex)[" be"]
    2
    """
    cut = regex.compile(pattern)
    parts = chain.from_iterable(cut_long_runs(text, max_run_chars) for text in texts)
    counts: Counter[str] = Counter()
    for part in parts:
        # A list of all pre-tokens is faster to count, an iterator holds one of them.
        counts.update(cut.findall(part) if len(part) < 2**20 else (found.group() for found in cut.finditer(part)))
    return counts


# No pattern above joins more than one run of each kind, so a bound on runs bounds pre-tokens.
_RUN = regex.compile(r"\p{White_Space}++|\P{White_Space}++")


def cut_long_runs(text: str, limit: int) -> list[str]:
    """The text in parts, cut inside every run without white space, or of white space only, of more than `limit` code
    points.

    Joined, the parts are the text; a text without such a run is one part. Cost: one short look at every limit/2-th
    character; only a text that may hold a long run is scanned whole.

    >>> cut_long_runs("ab     cd", limit=3)
    ['ab   ', '  cd']
    """
    if len(text) <= limit or not _may_hold_run(text, limit):
        return [text]
    parts, start = [], 0
    for run in _RUN.finditer(text):
        for cut in range(run.start() + limit, run.end(), limit):
            parts.append(text[start:cut])
            start = cut
    parts.append(text[start:])
    return parts


def _may_hold_run(text: str, limit: int) -> bool:
    """Whether a run longer than `limit` is possible: it would fill the stretch after one of the places looked at."""
    stride = max(1, limit // 2)
    return any(
        (run := _RUN.match(text, at, min(at + stride, len(text)))) and run.end() - at == stride
        for at in range(0, len(text), stride)
    )
