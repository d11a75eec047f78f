"""The open table of kinds of personal data. A new kind is a finder in a module of its own and one line here.

The order is that of masking, whatever the order in a recipe: a credential may hold an address (ftp://jo:pw@site.org),
and each kind sees what the ones before it left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from curation.rewrite.pii.addresses import addresses
from curation.rewrite.pii.credentials import credentials
from curation.rewrite.pii.emails import emails
from curation.rewrite.pii.payments import cards, ibans
from curation.rewrite.pii.phones import phones
from curation.rewrite.pii.spans import Finder, Span
from curation.rewrite.pii.ssn import social_security_numbers

Kind = Literal["credential", "email", "ip", "iban", "card", "ssn", "phone"]


def _anywhere(find: Callable[[str], Iterator[Span]]) -> Finder:
    """A finder for items that look the same in all countries."""

    def finder(text: str, regions: Sequence[str]) -> Iterator[Span]:
        return find(text)

    return finder


KINDS: dict[Kind, Finder] = {
    "credential": _anywhere(credentials),
    "email": _anywhere(emails),
    "ip": _anywhere(addresses),
    "iban": _anywhere(ibans),
    "card": _anywhere(cards),
    "ssn": _anywhere(social_security_numbers),
    "phone": phones,
}
ALL_KINDS: tuple[Kind, ...] = tuple(KINDS)
