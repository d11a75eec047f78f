"""Measures on the HTML of a page: how much of what a reader sees is content, and how much of it is links.

They have a value only while the page has its HTML, so their stage stands before the extraction; a recipe that has it
the other way round is refused. Pages that come as text (WET, JSONL, Parquet) have no boilerplate to measure and get the
value of a page of pure content. Cost: one parse by resiliparse, about 1.5 ms a page.
"""

from __future__ import annotations

from curation.page import Page

__all__ = ["kept_text_fraction", "link_density", "visible_character_count"]


def visible_character_count(page: Page) -> int:
    """Characters of all visible text of the HTML, white space not counted; 0 for a page that comes as text.

    Source: our reading of the boilerplate-to-content ratio: its denominator. Store it by a stage with `measure`.

    >>> visible_character_count(Page(html="<nav>Home</nav><p>A tale.</p><script>x()</script>"))
    10
    """
    return 0 if page.html is None else _characters(_visible_text(page.html))


def link_density(page: Page) -> float:
    """Characters inside links as a fraction of all visible characters, white space not counted; 0 without any text.

    Source: Kohlschuetter et al. 2010 (boilerpipe), who have it for blocks; this is the page's.
    Reading: the text of `a` elements with an address, at most 1 (hidden text in a link is not visible text).

    >>> link_density(Page(html="<p>abcd <a href='/x'>ef gh</a></p>"))
    0.5
    """
    if page.html is None:
        return 0.0
    from resiliparse.parse.html import HTMLTree

    visible = _characters(_visible_text(page.html))
    body = HTMLTree.parse(page.html.encode("utf-8", "replace").decode("utf-8")).body
    if not visible or body is None:
        return 0.0
    linked = sum(_characters(link.text) for link in body.query_selector_all("a[href]"))
    return min(1.0, linked / visible)


def kept_text_fraction(page: Page) -> float:
    """Characters of the extracted text as a fraction of those of all visible text, white space not counted.

    The signal `visible_character_count` must have been stored before the extraction. 1 where nothing was visible, or
    the page came as text.

    Source: our reading of the boilerplate-to-content ratio. Some engines lose a whole article to a class name: such
    pages show up at the low end.
    Reading: can pass 1 by a little, where an engine writes text that is not visible (alternative texts).

    >>> page = Page("A tale.")
    >>> page.signals["visible_character_count"] = 12.0
    >>> kept_text_fraction(page)
    0.5
    """
    visible = page.signals.get("visible_character_count", 0.0)
    return _characters(page.text) / visible if visible else 1.0


def _visible_text(html: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    whole = html.encode("utf-8", "replace").decode("utf-8")  # resiliparse refuses lone surrogates
    return extract_plain_text(whole, main_content=False, alt_texts=False, preserve_formatting=False)


def _characters(text: str | None) -> int:
    return sum(map(len, (text or "").split()))
