"""Pages that no training set wants: thin, stuffed, repeated, lists, dummy text, code, boilerplate, not HTML, gone."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from html import escape

from curation.sample.author import Article, Author, prose
from curation.sample.world import SNAPSHOTS, Planted, World, http_headers

_NOTHING = Article("en", "Page", ())
_NAMES = ("menu", "slide", "track", "panel", "modal", "login", "basket", "banner", "filter", "player")


def bad_pages(world: World, role: str, count: int) -> list[Planted]:
    """`count` pages of one of the roles below, in turn in each snapshot; their main text counts as empty."""
    planted = []
    for number in range(count):
        page = _ROLES[role](world, role, SNAPSHOTS[number % len(SNAPSHOTS)], world.rng(role, number))
        page.truth.title, page.truth.paragraphs = "", []
        planted.append(page)
    return planted


def _author(rng: random.Random) -> Author:
    return Author("en", "gardening", rng)


def _paragraphs(items: list[str]) -> str:
    return "\n".join(f"<p>{escape(item)}</p>" for item in items)


def _thin(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    return world.plant(role, _NOTHING, snapshot, body=_paragraphs([rng.choice(prose("en")["thin"])]))


def _spam(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """Keywords in a few orders, over and over."""
    goods = [_author(rng).draw("things") for _ in range(2)]
    stock = [f"{word} {thing}" for thing in goods for word in ("cheap", "buy", "best", "discount", "order")]
    rows = [", ".join(rng.choices(stock, k=40)) for _ in range(6)]
    return world.plant(role, replace(_NOTHING, title=f"{goods[0]} online"), snapshot, body=_paragraphs(rows))


def _repetitive(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """One sentence over and over; no two paragraphs alike, because trafilatura passes over a repeated paragraph."""
    sentence = _author(rng).sentence()
    return world.plant(role, _NOTHING, snapshot, body=_paragraphs([" ".join([sentence] * n) for n in range(2, 9)]))


def _bullets(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """A list whose items carry their own bullets, as in text pasted from a word processor."""
    author = _author(rng)
    items = [f"\u2022 {author.draw('things')}, {author.draw('town')}, {author.draw('month')}" for _ in range(40)]
    return world.plant(role, _NOTHING, snapshot, body=_paragraphs(items))


def _lorem(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    stock = prose("en")["lorem"]
    rows = [" ".join(rng.sample(stock, len(stock))) for _ in range(2)]
    return world.plant(role, replace(_NOTHING, title="Lorem ipsum"), snapshot, body=_paragraphs(rows))


def _javascript(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """A note that asks for JavaScript, and the script itself shown as text because a tag was left open."""
    names = rng.sample(_NAMES, 8)
    code = [
        f"function {a}_{b}(e) {{ if (e == null) {{ return [{n}, {n + 1}]; }} {b}[{n}] = ({a} + '#{b}') || {{}}; }}"
        for n, (a, b) in enumerate(zip(names, reversed(names), strict=True))
    ]
    body = _paragraphs(["Please enable JavaScript in your browser to view this page.", *code])
    return world.plant(role, replace(_NOTHING, title="Loading"), snapshot, body=body)


def _boilerplate_only(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    return world.plant(role, _NOTHING, snapshot, body="")


def _banned_url(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """A readable article under an address that gives it away."""
    host = f"www.casino-poker-{rng.choice(('palace', 'lounge', 'club'))}-{rng.randrange(1000)}.example"
    return world.plant(role, world.article("en"), snapshot, url=f"https://{host}/bonus/{rng.randrange(1000)}")


def _not_found(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    body = _paragraphs(["The page that you asked for does not exist. It may have been moved."])
    page = world.plant(role, replace(_NOTHING, title=f"Not found {rng.randrange(10000)}"), snapshot, body=body)
    return _answer(page, status="404 Not Found")


def _redirect(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    page = world.plant(role, _NOTHING, snapshot, body="")
    target = page.capture.url.replace("https://www.", "https://")
    body = f'<html><body><p>Moved to <a href="{target}">here</a>.</p></body></html>\n'.encode()
    headers = http_headers(body, "text/html", ("Location", target))
    return _answer(page, status="301 Moved Permanently", body=body, headers=headers)


def _pdf(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """The shortest file that readers open as an empty page of PDF; half of them labelled as HTML."""
    body = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    )
    return _served(world, role, snapshot, body, rng.choice(("application/pdf", "text/html")))


def _image(world: World, role: str, snapshot: str, rng: random.Random) -> Planted:
    """A grey PNG of one pixel; half of them labelled as HTML."""
    level = bytes([0, rng.randrange(256)])
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(level)), (b"IEND", b""))
    body = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return _served(world, role, snapshot, body, rng.choice(("image/png", "text/html")))


def _served(world: World, role: str, snapshot: str, body: bytes, content_type: str) -> Planted:
    page = _answer(world.plant(role, _NOTHING, snapshot), body=body, headers=http_headers(body, content_type))
    page.truth.boilerplate = []
    return page


def _answer(page: Planted, **changes: object) -> Planted:
    """The page answered otherwise."""
    page.capture = replace(page.capture, **changes)
    return page


_ROLES: dict[str, Callable[[World, str, str, random.Random], Planted]] = {
    "thin": _thin,
    "spam": _spam,
    "repetitive": _repetitive,
    "bullets": _bullets,
    "lorem": _lorem,
    "javascript": _javascript,
    "boilerplate_only": _boilerplate_only,
    "banned_url": _banned_url,
    "not_found": _not_found,
    "redirect": _redirect,
    "pdf": _pdf,
    "image": _image,
}
ROLES = tuple(_ROLES)
