"""Documents that a user gives in memory: each one checked, with an error that names it, and made a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from curation.document import document_id
from curation.errors import InputError
from curation.page import Page
from curation.text import without_surrogates

TEXTS = ("text", "html", "url", "host", "date", "source", "snapshot", "record_id", "language")
IDS = 1 << 63  # doc_id is an int64


def pages_given(documents: Iterable[Mapping[str, Any]]) -> list[Page]:
    """A page of each document, in order. Documents without a doc_id get one of their number.

    Raises InputError that names the document where it is no mapping, has neither text nor html, holds a value of
    another type than its column, or has the doc_id of another one.
    """
    if isinstance(documents, (str, bytes, Mapping)) or not isinstance(documents, Iterable):
        raise InputError(f"documents must be a list of dicts with 'text', is {_shown(documents)}: put it into a list")
    pages = [_page(number, document) for number, document in enumerate(documents)]
    numbers: dict[int, int] = {}
    for number, page in enumerate(pages):
        first = numbers.setdefault(page.doc_id, number)
        if first != number:
            raise InputError(f"documents {first} and {number} both have the doc_id {page.doc_id}; leave doc_id out")
    return pages


def _page(number: int, document: Any) -> Page:
    if not isinstance(document, Mapping):
        raise InputError(
            f"document {number} is {_shown(document)}: give a dict, such as {{'text': ...}} (of a data frame: "
            "frame.to_dict('records'))"
        )
    values = {name: document[name] for name in TEXTS if document.get(name) is not None}
    if "text" not in values and "html" not in values:
        raise InputError(f"document {number} has neither 'text' nor 'html'; its keys: {', '.join(map(str, document))}")
    for name, value in values.items():
        if not isinstance(value, str):
            hint = "decode it first" if isinstance(value, bytes) else "it must be text"
            raise InputError(f"document {number}: '{name}' is {_shown(value)}: {hint}")
        values[name] = without_surrogates(value)
    for name, kind, meaning in (("language_score", Real, "a number"), ("doc_id", Integral, "an integer")):
        value = document.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, kind):
            raise InputError(f"document {number}: '{name}' is {_shown(value)}: it must be {meaning}, or left out")
        values[name] = int(value) if kind is Integral else float(value)  # numpy's numbers become plain ones
    own = document_id(values.get("source", ""), values.get("snapshot", ""), "memory", number, "")
    if not -IDS <= values.setdefault("doc_id", own) < IDS:
        raise InputError(f"document {number}: 'doc_id' is {values['doc_id']}: it must fit into 64 bits, or be left out")
    text = values.pop("text", None)
    html = values.pop("html", None)
    return Page(text or "", html=html if text is None else None, **values)


def _shown(value: Any) -> str:
    """A value in an error: its start, and its type."""
    shown = repr(value)
    return f"{shown if len(shown) <= 60 else shown[:57] + '...'} ({type(value).__name__})"
