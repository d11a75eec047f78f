"""E-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.rewrite.pii.spans import LETTER, Span

EMAIL = "email@example.com"  # RFC 2606

# The literal @ comes first in the pattern, so that the search runs at the speed of memchr: 3 GB/s.
_AT = re.compile(rf"@(?<=[{LETTER}0-9_%+'\-]@)(?=[{LETTER}0-9])")
_ATOM = rf"[{LETTER}0-9_%+'\-]"
_REVERSED_LOCAL = re.compile(rf"{_ATOM}++(?:\.{_ATOM}++)*+")
_LABEL = rf"[{LETTER}0-9](?:[{LETTER}0-9\-]{{0,61}}[{LETTER}0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.){{1,8}}(?:xn--[A-Za-z0-9\-]{{2,59}}|[{LETTER}]{{2,63}})")
_FILE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".css", ".js", ".json", ".html", ".htm", ".php")


def emails(text: str) -> Iterator[Span]:
    """E-mail addresses, left to right: an atom of at most 64 characters, @, a domain of at least two labels.

    Reading: letters of Latin, Greek and Cyrillic on both sides; an address may touch Chinese, Japanese, Korean or
    Arabic text. Names of pictures for dense screens (logo@2x.png) are not addresses.
    Differs: datatrove wants a word border before the address, and so misses one that follows a Chinese character; it
    takes the rarer marks that RFC 5322 allows in the local part (such as = and /) and domains in brackets.

    >>> [span[:3] for span in emails("see logo@2x.png or ask jo.doe+x@mail.site.org.")]
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
            yield Span(start, done, EMAIL, text[start:done].lower())
