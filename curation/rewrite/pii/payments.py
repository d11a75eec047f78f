"""Numbers of payment cards and bank accounts: both carry check digits, so a number can be told from a code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.rewrite.pii.cue_words import CARD_CUE
from curation.rewrite.pii.digits import digit_runs
from curation.rewrite.pii.spans import LETTER, Span, last_match

CARD = "<CARD>"
IBAN = "<IBAN>"

_CARD_RUN = re.compile(rf"[0-9](?<![{LETTER}0-9_][0-9])(?<![0-9][.,\-][0-9])(?:[ \u00a0\-]?[0-9]){{11,}}")
_AFTER = re.compile(rf"[{LETTER}0-9_]|[.,][0-9]")
_GROUP = re.compile(r"[0-9]+")
# How card numbers are printed. 12 and 13 digits (old Maestro and Visa) only after a word such as "card".
_GROUPINGS = ((4, 4, 4, 4, 3), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 2))
# First digits and lengths. Source: ISO/IEC 7812 ranges as the networks publish them,
# https://en.wikipedia.org/wiki/Payment_card_number
_ISSUERS = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"  # Visa
    r"|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12,15}"  # Discover
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12,15}"  # JCB
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|62[0-9]{14,17}"  # UnionPay
    r"|220[0-4][0-9]{12}"  # Mir
)
_MAESTRO = re.compile(r"(?:5[0678]|6[0-9])[0-9]{10,17}")

# Length of an account number by country. Source: IBAN registry of SWIFT, release 99, https://www.swift.com/standards
_IBAN_LENGTHS = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
_LENGTH_OF = {country: length for length, countries in _IBAN_LENGTHS.items() for country in countries.split()}
_IBAN_START = re.compile(rf"(?<![{LETTER}0-9_])[A-Za-z]{{2}}[0-9]{{2}}(?=[ \u00a0\-]?[A-Za-z0-9]{{4}})")
_BANK_CHARS = 12  # characters between the start of an account number and its first long run of digits: GB82 WEST 1234
_IBAN_REST = re.compile(r"(?:[ \u00a0\-]?[A-Za-z0-9]){11,29}")


def cards(text: str) -> Iterator[Span]:
    """Payment card numbers: digits in the groups in which cards are printed, a known issuer, a right check digit.

    A number in a path or a query (/4111..., id=4111...) and one of 12 or 13 digits needs a word such as "card" before
    it. Other 16-digit numbers pass issuer and check digit with a probability of about 2%.

    >>> [span[:3] for span in cards("Visa 4111 1111 1111 1111, order 4111 1111 1111 1112")]
    [(5, 24, '<CARD>')]
    """
    for low, high in digit_runs(text):
        for run in _CARD_RUN.finditer(text, low, high):
            yield from _cards_in(text, list(_GROUP.finditer(text, *run.span())))


def _cards_in(text: str, groups: list[re.Match[str]]) -> Iterator[Span]:
    first = 0
    while first < len(groups):
        for count in _printed_as_card([len(group.group()) for group in groups[first : first + 5]]):
            taken = groups[first : first + count]
            digits = "".join(group.group() for group in taken)
            if _is_card(text, taken[0].start(), taken[-1].end(), digits):
                yield Span(taken[0].start(), taken[-1].end(), CARD, digits)
                first += count
                break
        else:
            first += 1


def _printed_as_card(lengths: list[int]) -> list[int]:
    """Numbers of groups, from here on, that together have the shape of a card number."""
    whole = [1] if 12 <= lengths[0] <= 19 else []
    return whole + [len(shape) for shape in _GROUPINGS if tuple(lengths[: len(shape)]) == shape]


def _is_card(text: str, start: int, end: int, digits: str) -> bool:
    issued = _ISSUERS.fullmatch(digits)
    if not (issued or _MAESTRO.fullmatch(digits)) or _AFTER.match(text, end) or not luhn(digits):
        return False
    if issued and len(digits) > 13 and text[max(0, start - 1) : start] not in ("/", "="):
        return True
    return last_match(CARD_CUE, text, start) is not None


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others. Source: ISO/IEC 7812-1, annex B.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(doubled)) % 10 == 0


def ibans(text: str) -> Iterator[Span]:
    """International bank account numbers: a country, its length, and the check digits of ISO 13616.

    Groups may be parted by single spaces or hyphens; what follows the number without a mark is not taken with it.
    Reading: at least 7 digits stand together, as they do in every country whose account numbers are numbers.

    >>> [span[:3] for span in ibans("IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFF")]
    [(5, 32, '<IBAN>')]
    """
    done = 0
    for match in _account_starts(text):
        start = match.start()
        length = _LENGTH_OF.get(text[start : start + 2].upper())
        rest = _IBAN_REST.match(text, match.end())
        if length is None or rest is None or start < done:
            continue
        end = _end_of(text, start, rest.end(), length)
        number = re.sub(r"[ \u00a0\-]", "", text[start:end]).upper()
        if len(number) == length and not re.match(r"[A-Za-z0-9]", text[end : end + 1]) and _mod97(number):
            yield Span(start, end, IBAN, number)
            done = end


def _account_starts(text: str) -> Iterator[re.Match[str]]:
    done = 0
    for low, high in digit_runs(text):
        yield from _IBAN_START.finditer(text, max(done, low - _BANK_CHARS), high)
        done = high


def _end_of(text: str, start: int, limit: int, length: int) -> int:
    at = start
    while at < limit and length:
        length -= text[at] not in " \u00a0-"
        at += 1
    return at


def _mod97(number: str) -> bool:
    return int("".join(str(int(char, 36)) for char in number[4:] + number[:4])) % 97 == 1
