"""Masks e-mail addresses and public IP addresses with constant placeholders.

The placeholders are reserved for documentation, so nobody owns them, and they are constant, so the output does not
depend on the order of pages, as it does where a formatter rotates through a few (FineWeb, datatrove's
`formatters/pii.py`). Masking twice changes nothing and counts nothing. Every finder looks at a bounded window around
each candidate: time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_address
from typing import Literal

from curation.errors import RecipeError, did_you_mean
from curation.page import Drop, Page

Kind = Literal["email", "ip"]
Span = tuple[int, int, str]  # start, end, placeholder

EMAIL = "email@example.com"  # RFC 2606
IPV4 = "192.0.2.1"  # TEST-NET-1, RFC 5737
IPV6 = "2001:db8::1"  # RFC 3849

# Latin, Greek and Cyrillic letters may stand in an address; Han, Kana, Hangul, Arabic and others end one, because their
# words touch it without a space.
_LETTER = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u052f\u1e00-\u1eff"
_AT = re.compile(rf"(?<=[{_LETTER}0-9_%+'\-])@(?=[{_LETTER}0-9])")
_ATOM = rf"[{_LETTER}0-9_%+'\-]"
_REVERSED_LOCAL = re.compile(rf"{_ATOM}++(?:\.{_ATOM}++)*+")
_LABEL = rf"[{_LETTER}0-9](?:[{_LETTER}0-9\-]{{0,61}}[{_LETTER}0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.){{1,8}}(?:xn--[A-Za-z0-9\-]{{2,59}}|[{_LETTER}]{{2,63}})")
_FILE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".css", ".js", ".json", ".html", ".htm", ".php")

_IPV4 = re.compile(
    rf"(?<![{_LETTER}0-9_])(?<![0-9]\.)[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?![{_LETTER}0-9_]|\.[0-9])",
)
_IPV6 = re.compile(
    rf"(?:(?<=v6:)|(?<=V6:)|(?<![{_LETTER}0-9_.])(?<![0-9A-Fa-f:]:))"  # not inside another address
    r"[23][0-9A-Fa-f]{3}(?>(?:::?[0-9A-Fa-f]{1,4}){1,7}(?:::)?|::)"  # 2000::/3, all that is given out so far
    rf"(?![{_LETTER}0-9_]|\.[0-9])"
)
_CONTEXT = 32  # characters before a dotted number in which a word can tell a version from an address
_VERSION_WORD = re.compile(
    r"\b(?:v|ver|version|versions|release|build|revision|rev|firmware|driver|update|patch|kernel|chapter|section|clause|"
    r"article|figure|table)(?: (?:number|no|is|to|of))?[.:#=( ]{0,3}\Z",
    re.IGNORECASE,
)
_ADDRESS_WORD = re.compile(
    r"(?:\b(?:ip|ips|ipv4|dns|nameserver|ping|traceroute|inet)\b[^\n;]{0,24}|://|@)\Z", re.IGNORECASE
)


def mask(page: Page, *, kinds: Sequence[Kind] = ("email", "ip"), max_items: int | None = None) -> str | Drop:
    """The text of the page with personal data masked; counts go to `page.pii[kind]`, for kinds that were found.

    `max_items`: a page with more items than this is dropped as `too_many_items`; never, when left out.

    Source: FineWeb masks e-mail and public IPv4 addresses; Dolma drops a page with 6 items or more (`max_items: 5`).
    Differs: see `emails` and `addresses`; both are wider in script and narrower on version numbers than datatrove.

    >>> page = Page("Write to jo@site.org from 81.2.69.142.")
    >>> mask(page), page.pii
    ('Write to email@example.com from 192.0.2.1.', {'email': 1, 'ip': 1})
    """
    text, counts = mask_text(page.text, kinds)
    for kind, count in counts.items():
        page.pii[kind] = page.pii.get(kind, 0) + count
    total = sum(counts.values())
    return Drop("too_many_items", total) if max_items is not None and total > max_items else text


def mask_text(text: str, kinds: Sequence[Kind] = ("email", "ip")) -> tuple[str, dict[str, int]]:
    """A text with the given kinds masked, and how many items of each kind were found; kinds not found are left out.

    >>> mask_text("a@b.io, c@d.io", ["email"])
    ('email@example.com, email@example.com', {'email': 2})
    """
    counts: dict[str, int] = {}
    for kind in kinds:
        if kind not in FINDERS:
            raise RecipeError("pii.mask", [f"kinds: {kind!r} cannot be masked; {did_you_mean(kind, list(FINDERS))}"])
        spans = list(FINDERS[kind](text))
        if spans:
            counts[kind] = len(spans)
            text = _replaced(text, spans)
    return text, counts


def emails(text: str) -> Iterator[Span]:
    """E-mail addresses, left to right: an atom of at most 64 characters, @, a domain of at least two labels.

    Reading: letters of Latin, Greek and Cyrillic on both sides; an address may touch Chinese, Japanese, Korean or
    Arabic text. Names of pictures for dense screens (logo@2x.png) are not addresses.
    Differs: datatrove wants a word border before the address, and so misses one that follows a Chinese character; it
    takes the rarer marks that RFC 5322 allows in the local part (such as = and /) and domains in brackets.

    >>> list(emails("see logo@2x.png or ask jo.doe+x@mail.site.org."))
    [(23, 45, 'email@example.com')]
    """
    done = 0
    for at in map(re.Match.start, _AT.finditer(text)):
        if at < done:
            continue
        window = text[max(done, at - 64) : at]
        local = _REVERSED_LOCAL.match(window[::-1])
        domain = _DOMAIN.match(text, at + 1, at + 1 + 253)
        if local is None or domain is None or domain.group().lower().endswith(_FILE_ENDINGS):
            continue
        name = local.group()[::-1].lstrip("%+'-")
        start = at - len(name)
        mailbox, _, host = EMAIL.partition("@")
        if name.endswith(mailbox) and text.startswith(host, at + 1):  # masked before, perhaps glued to its neighbours
            done = at + 1 + len(host)
        elif name:
            done = domain.end()
            yield start, done, EMAIL


def addresses(text: str) -> Iterator[Span]:
    """Public IPv4 and IPv6 addresses, left to right; private, reserved and documentation ranges are not personal.

    A dotted number of four parts is taken for a version, not an address, right after a word such as "version"; and
    where it looks like one (11.2.3.4, Flash 32.0.0.101), unless a word such as "IP", "://" or "@" stands before it. It
    looks like one when no part is above 63, or both inner parts are 0: true of 0.4% of all addresses.

    Differs: datatrove has no border around the pattern and masks version numbers; it leaves IPv6 alone.

    >>> list(addresses("Oracle 11.2.0.4 on IP 11.2.0.4, 10.0.0.1 and 81.2.69.142; 12:30:45 at 2a00:1450:4001::8a"))
    [(22, 30, '192.0.2.1'), (45, 56, '192.0.2.1'), (70, 88, '2001:db8::1')]
    """
    spans = [
        *((m.start(), m.end(), IPV4) for m in _IPV4.finditer(text) if _is_public_ipv4(text, m)),
        *((m.start(), m.end(), IPV6) for m in _IPV6.finditer(text) if _is_global(m.group())),
    ]
    return iter(sorted(spans))


FINDERS: dict[str, Callable[[str], Iterator[Span]]] = {"email": emails, "ip": addresses}


def _is_public_ipv4(text: str, match: re.Match[str]) -> bool:
    if not _is_global(match.group()):
        return False
    before = text[max(0, match.start() - _CONTEXT) : match.start()]
    if _VERSION_WORD.search(before):
        return False
    parts = [int(part) for part in match.group().split(".")]
    looks_like_version = max(parts) <= 63 or parts[1] == parts[2] == 0
    return not looks_like_version or _ADDRESS_WORD.search(before) is not None


def _is_global(address: str) -> bool:
    try:
        return ip_address(address).is_global
    except ValueError:  # a part above 255 or with a leading zero, or too few groups: a number, not an address
        return False


def _replaced(text: str, spans: Sequence[Span]) -> str:
    pieces, done = [], 0
    for start, end, placeholder in spans:
        pieces += (text[done:start], placeholder)
        done = end
    return "".join((*pieces, text[done:]))
