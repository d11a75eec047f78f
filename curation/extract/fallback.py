"""The other way: a page of which one engine keeps only a small share of the visible text is given to the other engine.

Some real pages lose their whole article to a class name that an engine takes for a menu.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from curation.extract.engines import resiliparse, trafilatura, visible_text
from curation.extract.guard import ExtractionFailed
from curation.page import Page

OTHER = {"trafilatura": ("resiliparse", resiliparse), "resiliparse": ("trafilatura", trafilatura)}


def with_fallback(engine: str, below: float) -> Callable[[Page, str], str]:
    """A second look at (page, text by `engine`): the text to keep.

    The other engine is tried where the text is shorter than `below` of the visible text, in code points without
    white space, and its text taken where it is longer; `page.notes["main_text"]` then names that engine.

    Cost: the visible text of every page (0.8 ms), and the other engine for the few.
    """
    return partial(_second_look, other=OTHER[engine], below=below)


def _second_look(page: Page, text: str, *, other: tuple[str, Callable[[str], str]], below: float) -> str:
    kept, (name, engine) = _letters(text), other
    try:
        if kept >= below * _letters(visible_text(page.html)):
            return text
        found = engine(page.html)
    except ExtractionFailed as failed:
        page.notes["fallback"] = f"{failed.rule}: {failed}"
        return text
    if _letters(found) <= kept:
        return text
    page.notes["main_text"] = name
    return found


def _letters(text: str) -> int:
    return sum(map(len, text.split()))
