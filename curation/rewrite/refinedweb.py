"""The edits of RefinedWeb (Penedo et al. 2023, arXiv 2306.01116, appendix G.2) as DCLM reproduced them.

DCLM (arXiv 2406.11794, baselines_configs/dclm_baseline_refinedweb.yaml) cuts addresses out of the text, folds newlines,
and after the page rules removes lines that are no prose; a page that loses too many words by that is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, get_args

from curation.errors import RecipeError, did_you_mean
from curation.page import Drop, Page

Rule = Literal["uppercase", "digits_only", "counter", "too_few_words", "phrase"]

_COUNTED = "likes shares comments retweets reposts quotes bookmarks upvotes downvotes downloads views followers"
_COUNTER = re.compile(rf"\W*+\d[\d.,]*+[kmb]?\s++(?:{'|'.join(_COUNTED.split())})\W*+\Z")
_PHRASES = (
    re.compile(r"\s?items in cart", re.IGNORECASE),
    re.compile(r"\s?read more(?:\.\.\.|\u2026)\Z", re.IGNORECASE),
    re.compile(r"\Asign-in\s?", re.IGNORECASE),
)

_ADDRESS = re.compile(  # starts at the start of a run of address characters; possessive, so that time is linear
    r"(?<![-\w@:%.+~#=/?&()])([-\w@:%+~#=/?&()]*+\.[-\w@:%.+~#=/?&()]++)", re.ASCII
)
_HOST = re.compile(r"(?:(?:https?|ftp)://)?+(?:[-\w.%+~=]*+@)?+([-\w.]++)", re.ASCII)
_IPV4 = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}\.?", re.ASCII)


def cut_addresses(page: Page) -> str | Drop:
    """The text without web addresses, e-mail addresses and dotted IP addresses, and the white space before each.

    An address: a run without spaces whose host ends in a top-level domain, in lower case, or is four numbers with dots.

    Source: DCLM's url_removal_modifier, first step of its RefinedWeb reproduction.
    Reading: the run goes as a whole, a dot at its end too, as there. Top-level domains are those of the suffix
        list that the package tldextract brings.
    Differs: DCLM looks for a domain anywhere inside a run and leaves what stands before its host. Both take the version
        number 11.2.3.4 for an address. A page of addresses only is dropped as `empty`.

    >>> cut_addresses(Page("Write to me@example.com or see https://example.com/a?b=1, e.g. today."))
    'Write to or see, e.g. today.'
    """
    if "." not in page.text:
        return page.text
    pieces, done = [], 0
    for match in _ADDRESS.finditer(page.text):
        if _is_address(match.group()):
            pieces.append(page.text[done : match.start()].rstrip(" \t"))
            done = match.end()
    text = "".join([*pieces, page.text[done:]])
    return text if text and not text.isspace() else Drop("empty", len(text))


def fold_newlines(page: Page, *, most: int = 2) -> str:
    r"""The text with at most `most` newlines in a row.

    Source: DCLM's newline_removal_modifier, 2 newlines.

    >>> fold_newlines(Page("a\n\n\n\nb\nc"))
    'a\n\nb\nc'
    """
    return re.sub(rf"\n{{{most},}}", "\n" * most, page.text)


def lines(
    page: Page,
    *,
    skip: Sequence[Rule] = (),
    max_uppercase: float = 0.5,
    min_words: int = 2,
    phrase_words: int = 10,
    max_removed: float = 0.05,
) -> str | Drop:
    r"""The lines of the page that look like prose; a page that loses more than `max_removed` of its words is dropped.

    In this order, for each line that is not blank; `skip` names rules that do not apply:

    - `uppercase`: more than `max_uppercase` of its characters are capitals
    - `digits_only`: all its characters are digits
    - `counter`: a number and what was counted, such as "3 likes" or "1.2k shares"
    - `too_few_words`: fewer than `min_words` runs without white space
    - `phrase`: from a line of at most `phrase_words` such runs, "items in cart" is cut, "Read more..." at its end, and
      "Sign-in" at its start; a line of nothing else goes

    A drop is `too_many_words_removed`, with the fraction, or `no_line_left`.

    Source: RefinedWeb, table G.2; DCLM's code for what counts as a counter, for the numbers, and for 5% of words.
    Reading: a word is a run without white space that holds a letter or digit, as DCLM ignores punctuation here.
    Differs: DCLM's pattern "Read more..." is a regular expression whose dots match anything ("read more now"); here
        they are dots, or U+2026. RefinedWeb does not publish which lines it flags and cuts.

    >>> lines(Page("HOME ABOUT\nThe keeper of the light had his tea before dawn.\n\n12 likes"), max_removed=0.5)
    'The keeper of the light had his tea before dawn.'
    >>> lines(Page("HOME ABOUT\nA line that stays."))
    Drop(rule='too_many_words_removed', value=0.3333333333333333)
    """
    checked = _checked(tuple(skip))
    before = _word_count(page.text)
    kept = []
    for line in page.text.split("\n"):
        if line and not line.isspace():
            line = _edited(line, checked, max_uppercase, min_words, phrase_words)
            if line is None:
                continue
        kept.append(line)
    text = "\n".join(kept).strip()
    if not text:
        return Drop("no_line_left", 0)
    removed = (before - _word_count(text)) / before if before else 0.0
    return text if removed <= max_removed else Drop("too_many_words_removed", removed)


def _edited(line: str, skip: frozenset[str], max_uppercase: float, min_words: int, phrase_words: int) -> str | None:
    """The line, what a phrase leaves of it, or None where it goes."""
    if "uppercase" not in skip and sum(map(str.isupper, line)) > max_uppercase * len(line):
        return None
    if "digits_only" not in skip and line.isdigit():
        return None
    if "counter" not in skip and _COUNTER.match(line.lower()):
        return None
    words = len(line.split())
    if "too_few_words" not in skip and words < min_words:
        return None
    if "phrase" not in skip and words <= phrase_words:
        for phrase in _PHRASES:
            line = phrase.sub("", line)
        return line if line and not line.isspace() else None
    return line


def _word_count(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


@cache
def _checked(skip: tuple[str, ...]) -> frozenset[str]:
    known = get_args(Rule)
    unknown = [name for name in skip if name not in known]
    if unknown:
        sentences = [f"skip: no rule is called {name!r}; {did_you_mean(name, known)}" for name in unknown]
        raise RecipeError("refinedweb.lines", sentences)
    return frozenset(skip)


def _is_address(run: str) -> bool:
    found = _HOST.match(run.lstrip("("))
    host = found.group(1) if found else ""
    if _IPV4.fullmatch(host):
        return True
    name, dot, domain = host.rstrip(".").rpartition(".")
    return bool(name and dot) and domain in _top_level_domains()


@cache
def _top_level_domains() -> frozenset[str]:
    from tldextract import TLDExtract

    suffixes = TLDExtract(suffix_list_urls=(), cache_dir=None).tlds
    return frozenset(suffix for suffix in suffixes if "." not in suffix)
