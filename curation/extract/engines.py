"""The two extraction engines. Both take decoded text, never bytes, so that no engine guesses a charset on its own."""

from __future__ import annotations

import json
import logging
import os
from functools import cache
from typing import Annotated, Literal

from pydantic import Field

from curation.extract.guard import guard

Favor = Literal["precision", "recall", "balanced"]


def trafilatura(
    html: str,
    *,
    favor: Favor = "precision",
    fast: bool = False,
    deadline_seconds: Annotated[float, Field(gt=0)] = 30.0,
    memory_mib: Annotated[int, Field(ge=512)] = 2048,
    recycle_pages: Annotated[int, Field(ge=1)] = 2000,
) -> str:
    """Main text by trafilatura, in a child process; "" where it finds none. About 25-50 pages/s/core.

    A page that takes more than `deadline_seconds` or `memory_mib` of address space, or crashes the child, has the fate
    timeout, memory or crash; the child is replaced, and in any case after `recycle_pages` pages, because caches in the
    libraries below grow by up to 1 MB a page (trafilatura issue 216).

    Source: https://trafilatura.readthedocs.io; `favor: precision` scored F1 0.964 on the article-extraction benchmark,
        `fast: true` (no fallback algorithms) 0.962.
    Differs: its duplicate removal, which datatrove and NeMo Curator switch on, stays off: that memory is process-wide,
        so the text would depend on the pages before.
    """
    settings = json.dumps({"favor": favor, "fast": fast})
    return guard("trafilatura", settings, deadline_seconds, memory_mib << 20, recycle_pages, os.getpid()).text(html)


def resiliparse(
    html: str,
    *,
    main_content: bool = True,
    links: bool = False,
    alt_texts: bool = False,
    deadline_seconds: Annotated[float, Field(gt=0)] = 30.0,
    memory_mib: Annotated[int, Field(ge=512)] = 2048,
    recycle_pages: Annotated[int, Field(ge=1)] = 20_000,
) -> str:
    """Text by resiliparse, in a child process; `main_content: false` gives all visible text. 500-1,200 pages/s/core.

    In a child like trafilatura, because its time is not linear: 100,000 nested elements keep it busy for minutes, and
    100,000 attributes of one element for half a minute. It does not leak, so the child lives longer.

    Source: https://resiliparse.chatnoir.eu; DCLM's choice (arXiv 2406.11794). F1 0.917 on the same benchmark.
    """
    settings = json.dumps({"main_content": main_content, "links": links, "alt_texts": alt_texts})
    return guard("resiliparse", settings, deadline_seconds, memory_mib << 20, recycle_pages, os.getpid()).text(html)


def visible_text(html: str) -> str:
    """All text that a reader of the page sees, menus and notices too. About 0.8 ms a page, pipe included."""
    return resiliparse(html, main_content=False)


def trafilatura_in_process(html: str, *, favor: Favor, fast: bool) -> str:
    """What runs in the child: trafilatura without any guard."""
    from trafilatura import extract

    _quiet("trafilatura", "htmldate", "courlan", "justext")
    found = extract(
        html,
        favor_precision=favor == "precision",
        favor_recall=favor == "recall",
        fast=fast,
        include_comments=False,
        deduplicate=False,
    )
    return found or ""


def resiliparse_in_process(html: str, *, main_content: bool, links: bool, alt_texts: bool) -> str:
    """What runs in the child: resiliparse without any guard."""
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(
        html, main_content=main_content, links=links, alt_texts=alt_texts, preserve_formatting=True
    ).strip()


IN_PROCESS = {"trafilatura": trafilatura_in_process, "resiliparse": resiliparse_in_process}  # what the child may run


@cache
def _quiet(*loggers: str) -> None:
    """One line on stderr for every odd page would drown the run's own; the fate of the page says it already."""
    for name in loggers:
        logging.getLogger(name).setLevel(logging.CRITICAL)
