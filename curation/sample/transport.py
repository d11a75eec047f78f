"""Good pages that reach the reader the hard way: other charsets, encoded bodies, cut bodies, damaged records."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from html import escape

from curation.sample.author import Article
from curation.sample.world import SNAPSHOTS, Planted, World, http_headers

_CHUNK = 1000  # bytes of a chunk of a chunked body
_KEPT_OF_CUT_BODY = 0.6  # share of the bytes of the article's HTML that a cut body holds
_CYCLE = ("de", "fr", "es")  # languages that windows-1252 can write and ASCII cannot


def hard_pages(world: World, role: str, count: int) -> list[Planted]:
    """`count` pages of one of the roles below. The main text is as good as any; only the way to it is hard."""
    return [_ROLES[role](world, role, number) for number in range(count)]


def _plant(world: World, role: str, language: str, number: int, charset: str = "utf-8") -> Planted:
    return world.plant(role, world.article(language), SNAPSHOTS[number % len(SNAPSHOTS)], charset=charset)


def _charset_labelled(world: World, role: str, number: int) -> Planted:
    """windows-1252 bytes, and the label says so."""
    page = _plant(world, role, _CYCLE[number % 3], number, "windows-1252")
    body = page.capture.body.decode("utf-8").encode("windows-1252")
    page.capture = replace(page.capture, body=body, headers=http_headers(body, "text/html; charset=windows-1252"))
    return page


def _charset_mislabelled(world: World, role: str, number: int) -> Planted:
    """UTF-8 bytes, and the label says ISO-8859-1."""
    page = _plant(world, role, _CYCLE[number % 3], number, "iso-8859-1")
    headers = http_headers(page.capture.body, "text/html; charset=ISO-8859-1")
    page.capture = replace(page.capture, headers=headers)
    return page


def _gzip_body(world: World, role: str, number: int) -> Planted:
    """The body as the server sent it: compressed."""
    page = _plant(world, role, "en", number)
    body = gzip.compress(page.capture.body, mtime=0)
    page.capture = replace(page.capture, body=body, headers=_raw_headers(("Content-Encoding", "gzip")))
    return page


def _chunked_body(world: World, role: str, number: int) -> Planted:
    """The body as the server sent it: in chunks, each after its length in hexadecimal digits."""
    page = _plant(world, role, "en", number)
    whole = page.capture.body
    chunks = [whole[at : at + _CHUNK] for at in range(0, len(whole), _CHUNK)] + [b""]
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    page.capture = replace(page.capture, body=body, headers=_raw_headers(("Transfer-Encoding", "chunked")))
    return page


def _truncated_body(world: World, role: str, number: int) -> Planted:
    """A body that the crawler stopped reading; the record says so. Main text: the paragraphs that came whole."""
    page = _plant(world, role, "en", number)
    html = page.capture.body
    last = escape(page.article.paragraphs[-1]).encode()
    cut = html.index(last) + int(len(last) * _KEPT_OF_CUT_BODY)
    page.capture = replace(page.capture, body=html[:cut], truncated="length")
    page.truth.paragraphs.pop()
    page.truth.boilerplate = [piece for piece in page.truth.boilerplate if escape(piece).encode() in html[:cut]]
    return page


def _damaged_record(world: World, role: str, number: int) -> Planted:
    return _without_text(_plant(world, role, "en", 0), "flip")


def _truncated_record(world: World, role: str, number: int) -> Planted:
    return _without_text(_plant(world, role, "en", 1), "cut")


def _without_text(page: Planted, damage: str) -> Planted:
    page.capture = replace(page.capture, damage=damage)
    page.truth.title, page.truth.paragraphs, page.truth.boilerplate = "", [], []
    page.article = Article("en", "", ())
    return page


def _raw_headers(encoding: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("Server", "sample/1"), ("Content-Type", "text/html; charset=UTF-8"), encoding)


_ROLES: dict[str, Callable[[World, str, int], Planted]] = {
    "charset_labelled": _charset_labelled,
    "charset_mislabelled": _charset_mislabelled,
    "gzip_body": _gzip_body,
    "chunked_body": _chunked_body,
    "truncated_body": _truncated_body,
    "damaged_record": _damaged_record,
    "truncated_record": _truncated_record,
}
ROLES = tuple(_ROLES)
