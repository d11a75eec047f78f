"""Phone numbers: candidates by shape, validated against the numbering plans that `phonenumbers` carries.

Source: https://github.com/daviddrysdale/python-phonenumbers, metadata of Google's libphonenumber. One validation takes
about 20 microseconds, so a cheap look at shape and surroundings comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import phonenumbers

from curation.rewrite.pii.cue_words import PHONE_CUE
from curation.rewrite.pii.digits import DASHES, digit_runs
from curation.rewrite.pii.regions import NOWHERE
from curation.rewrite.pii.spans import LETTER, Span, last_match

PHONE = "<PHONE>"

_GROUP = re.compile(r"\d+")
_NO_DIGIT = re.compile(r"\D+")
_BREAK = re.compile(r"[ \u00a0\u202f\u3000/(+\uff0b]")
_EXTENSION = re.compile(
    r"[ ,;]{0,2}(?:x|ext\.?|extension|durchwahl|poste|anexo|ramal)[ .:]{0,2}[0-9]{1,6}(?![0-9])", re.I
)
_CLOSED = re.compile(r" ?[)\uff09]")
_PLUS = re.compile(r"[+\uff0b][ (]{0,2}\Z")
_OPENED = re.compile(r"[(\uff08] ?\Z")
# What may not touch a number: letters, signs of money, of numbering and of longer numbers; a path, a query.
_BEFORE = re.compile(rf"(?:[{LETTER}0-9_#$%\u00a3\u20ac\u00a5=/&*\\]|[{LETTER}0-9][{DASHES}.,:]|[{DASHES}])\Z")
_AFTER = re.compile(
    rf"[{LETTER}0-9_%\u00b0=*]|[.,:/{DASHES}][0-9{LETTER}]|[ \u00a0]?(?:[$\u00a3\u20ac\u00a5\u00b0\u5186\u5143\uc6d0]|"
    r"EUR\b|USD\b|GBP\b|CHF\b|kr\b|z\u0142|\u0440\u0443\u0431|px\b|km\b|mm\b|kg\b)"
)
_NO_PHONE = re.compile(
    rf"(?:(?:19|20)[0-9]{{2}}[{DASHES}./ ](?:0?[1-9]|1[0-2])[{DASHES}./ ][0-3]?[0-9]"
    rf"|[0-3]?[0-9][{DASHES}./ ][0-3]?[0-9][{DASHES}./ ](?:19|20)[0-9]{{2}})(?![0-9])"
    rf"|(?:(?:19|20)[0-9]{{2}}[ {DASHES}/]{{1,3}})+(?:19|20)[0-9]{{2}}\Z"  # years
    r"|0\.[0-9]+\Z"  # a fraction
    r"|(?:(?:[1-9]?[0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\.){3}[1-9]?[0-9]{1,2}\Z"  # an IPv4 address
)
_NO_BARE_PHONE = re.compile(
    r"[1-9][0-9]{0,2}(?:([ \u00a0\u202f.])[0-9]{3})(?:\1[0-9]{3})+\Z"  # thousands
    r"|[0-9]+ [0-9]+\.[0-9]+\Z"  # degrees and decimal minutes
)
_TRUNK_ZERO = re.compile(r"[(\uff08]0[)\uff09]")
_NORTH_AMERICAN = re.compile(
    rf"(?:1[ .{DASHES}])?\(?[2-9][0-9]{{2}}(?:\) ?|[ .{DASHES}])[2-9][0-9]{{2}}[ .{DASHES}][0-9]{{4}}\Z"
)
_MOST_DIGITS = 15  # ITU-T E.164
_MOST_GROUPS = 8
_MOST_SINGLES = 2  # groups of one digit, as in 8 800 555 35 35 or 0201-2402-0; more of them are a list or an address


class _Plan(NamedTuple):
    """A number that exists: in E.164, and the lengths of its groups as its country writes them."""

    number: str
    groups: tuple[int, ...]


def phones(text: str, regions: Sequence[str] = NOWHERE) -> Iterator[Span]:
    """Phone numbers that the numbering plan of their country knows, with their extension.

    A number with + or 00 is international and needs nothing else. Any other is read by the plans of `regions`, and is
    taken when a word such as "phone" stands within 40 characters before it, or when it is written as phone numbers
    are: in groups, with a leading 0 or brackets, as (3)3-4 in North America, or exactly as its country writes it.
    Nearer words such as "order" or "ISBN", dates, amounts, and numbers that touch letters or money say no.

    >>> [span[:3] for span in phones("Call +44 20 7946 0018 or (212) 736-5000 x12, order 212-736-5000")]
    [(5, 21, '<PHONE>'), (25, 43, '<PHONE>')]
    """
    for run in digit_runs(text):
        groups = list(_GROUP.finditer(text, *run))
        first = 0
        while first < len(groups):
            taken = None
            if _may_begin(text, groups, first):
                taken = _longest(text, groups[first : first + _MOST_GROUPS], regions)
            if taken is None:
                first += 1
            else:
                count, span = taken
                yield span
                first += count


def _may_begin(text: str, groups: list[re.Match[str]], first: int) -> bool:
    return first == 0 or _BREAK.search(text, groups[first - 1].end(), groups[first].start()) is not None


def _longest(text: str, groups: list[re.Match[str]], regions: Sequence[str]) -> tuple[int, Span] | None:
    """The phone number of most groups that begins with the first of these groups, and how many groups it takes."""
    first = groups[0].start()
    plus = _PLUS.search(text, max(0, first - 3), first)
    start = plus.start() if plus else first
    bracket = _OPENED.search(text, max(0, start - 2), start) if _CLOSED.match(text, groups[0].end()) else None
    outside = text[max(0, start - 2) : start]
    if _BEFORE.search(outside) and not (plus and (outside[-1] in "=/:" or outside[-1].isdigit())):
        return None
    cue = ""
    for count in range(len(groups), 0, -1):
        lengths = [len(group.group()) for group in groups[:count]]
        if not 7 <= sum(lengths) <= _MOST_DIGITS + 2 or lengths.count(1) > _MOST_SINGLES:
            continue
        end = groups[count - 1].end()
        extension = _EXTENSION.match(text, end)
        begin = bracket.start() if bracket and count > 1 else start
        if (not extension and _AFTER.match(text, end)) or text.count("/", first, end) > 1:
            continue
        cue = cue or ("yes" if plus else _cue(text, begin))
        if plus or text.startswith("00", first):
            plan = None if cue == "no" else _international(text[first:end])
        else:
            plan = _national(text[begin:end], lengths, cue, regions)
        if plan:
            return count, Span(begin, extension.end() if extension else end, PHONE, plan.number)
    return None


def _cue(text: str, start: int) -> str:
    """`yes` or `no`: what the nearest word before the number calls it; `unknown` where there is none."""
    word = last_match(PHONE_CUE, text, start)
    return word.lastgroup if word else "unknown"


def _international(written: str) -> _Plan | None:
    digits = _digits(_TRUNK_ZERO.sub("", written)).removeprefix("00")
    return _plan(f"+{digits}", "ZZ")


def _national(written: str, lengths: list[int], cue: str, regions: Sequence[str]) -> _Plan | None:
    if cue == "no" or _NO_PHONE.match(written.lstrip("(")):
        return None
    if cue != "yes" and (len(lengths) == 1 or _NO_BARE_PHONE.match(written)):
        return None
    digits = _digits(written)
    shaped = written[0] in "(\uff080" or _NORTH_AMERICAN.match(written) is not None
    for region in regions:
        plan = _plan(digits, region)
        if plan and (cue == "yes" or shaped or plan.groups == tuple(lengths)):
            return plan
    return None


def _digits(written: str) -> str:
    """In ASCII, whatever script they are written in."""
    digits = _NO_DIGIT.sub("", written)
    return digits if digits.isascii() else "".join(str(int(digit)) for digit in digits)


@lru_cache(maxsize=1 << 14)  # navigation repeats numbers on every page of a site
def _plan(digits: str, region: str) -> _Plan | None:
    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    national = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL)
    groups = tuple(len(group) for group in re.findall(r"[0-9]+", national))
    return _Plan(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164), groups)
