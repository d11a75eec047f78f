"""Masks personal data with placeholders that never depend on the order of pages.

A placeholder is constant (email@example.com, <PHONE>), or a pseudonym: a keyed hash of the item in its canonical form,
so that equal items stay equal wherever they stand and however they are written. Masking twice changes nothing and
counts nothing. Every finder looks at a bounded window around each candidate: time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from curation.errors import RecipeError, did_you_mean
from curation.page import Drop, Page
from curation.rewrite.pii.kinds import ALL_KINDS, KINDS, Kind
from curation.rewrite.pii.regions import NOWHERE, regions_of
from curation.rewrite.pii.spans import Span, replaced
from curation.text import without_surrogates

Placeholder = Literal["constant", "hashed"]
MOST_ROUNDS = 8  # a text without items takes one, one with items two; more only where items are glued in a row
_LEAST_KEY_BYTES = 16  # a shorter key can be guessed, and with it every phone number behind a hash
_HALF_BYTES = str.maketrans("0123456789abcdef", "abcdefghijklmnop")  # letters only: no finder takes them for a number


def mask(
    page: Page,
    *,
    kinds: Sequence[Kind] = ALL_KINDS,
    max_items: int | None = None,
    placeholder: Placeholder = "constant",
    key_file: str | None = None,
) -> str | Drop:
    """The text of the page with personal data masked; counts go to `page.pii[kind]`, for kinds that were found.

    `max_items`: a page with more items than this is dropped as `too_many_items`; never, when left out. `placeholder:
    hashed` puts <EMAIL:...> with 16 letters of a hash by the key in `key_file` (at least 16 bytes, readable on every
    worker; kept out of the recipe because runs store their recipe). Phone numbers without + are read by the numbering
    plans of the countries that host and language of the page suggest.

    Source: FineWeb masks e-mail and public IPv4 addresses; Dolma drops a page with 6 items or more (`max_items: 5`);
        <KEY> and its like are the manner of StarCoder, https://arxiv.org/abs/2305.06161, section 4.
    Differs: see the finders; datatrove's placeholders rotate, so that its output depends on the pages before.

    >>> page = Page("Write to jo@site.org from 81.2.69.142 or call +44 20 7946 0018.")
    >>> mask(page)
    'Write to email@example.com from 192.0.2.1 or call <PHONE>.'
    >>> page.pii
    {'email': 1, 'ip': 1, 'phone': 1}
    """
    text, counts = _masked(page.text, kinds, regions_of(page), _replacement(placeholder, key_file))
    for kind, count in counts.items():
        page.pii[kind] = page.pii.get(kind, 0) + count
    total = sum(counts.values())
    return Drop("too_many_items", total) if max_items is not None and total > max_items else text


def mask_text(
    text: str, kinds: Sequence[Kind] = ALL_KINDS, regions: Sequence[str] = NOWHERE
) -> tuple[str, dict[str, int]]:
    """A text with the given kinds masked by constants, and the count of each kind found; kinds not found are left out.

    `regions`: ISO 3166 codes of the countries by whose plans phone numbers without + are read.

    >>> mask_text("a@b.io, c@d.io", ["email"])
    ('email@example.com, email@example.com', {'email': 2})
    """
    return _masked(text, kinds, regions, _replacement("constant", None))


def mask_page_text(page: Page) -> str:
    """The text of a page with all kinds masked, whatever the recipe masks: what people get to see in samples."""
    return mask_text(page.text, ALL_KINDS, regions_of(page))[0]


def _masked(
    text: str, kinds: Sequence[Kind], regions: Sequence[str], replacement: Callable[[str], Callable[[Span], str]]
) -> tuple[str, dict[str, int]]:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        mistakes = [f"kinds: {kind!r} cannot be masked; {did_you_mean(kind, ALL_KINDS)}" for kind in unknown]
        raise RecipeError("pii.mask", mistakes)
    counts: dict[str, int] = {}
    text = without_surrogates(text)
    for _ in range(MOST_ROUNDS):  # an item can hide the next one: what touches a number decides what the number is
        before = text
        for kind, find in KINDS.items():
            spans = list(find(text, regions)) if kind in kinds else []
            if spans:
                counts[kind] = counts.get(kind, 0) + len(spans)
                text = replaced(text, spans, replacement(kind))
        if text == before:
            break
    return text, counts


def _replacement(placeholder: Placeholder, key_file: str | None) -> Callable[[str], Callable[[Span], str]]:
    """For a kind, the function from an item to what replaces it."""
    if placeholder == "constant":
        return lambda kind: lambda span: span.placeholder
    if key_file is None:
        raise RecipeError("pii.mask", ["placeholder: hashed needs key_file, a file of at least 16 random bytes"])
    key = _key(key_file)
    return lambda kind: lambda span: f"<{kind.upper()}:{_pseudonym(key, kind, span.identity)}>"


def _pseudonym(key: bytes, kind: str, identity: str) -> str:
    """64 bits: among a billion different items two share a pseudonym with a probability of 3%."""
    item = f"{kind}\0{identity}".encode("utf-8", "surrogatepass")
    return blake2b(item, key=key, digest_size=8).hexdigest().translate(_HALF_BYTES)


@cache
def _key(path: str) -> bytes:
    try:
        key = Path(path).read_bytes().strip()
    except OSError as error:
        raise RecipeError(
            "pii.mask", [f"key_file: {path} cannot be read ({error.strerror}); write one first"]
        ) from error
    if len(key) < _LEAST_KEY_BYTES:
        raise RecipeError("pii.mask", [f"key_file: {path} holds {len(key)} bytes; write at least 16 random ones"])
    return blake2b(key, digest_size=32).digest()
