"""Text of the real pages, for benchmarks: all visible text or the main text by resiliparse, as the pass sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from curation.extract.engines import resiliparse
from curation.page import Page
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits


def real_pages(root: Path, most: int, main_content: bool = False) -> list[Page]:
    """The first `most` pages with text of all crawls below `root`, in order of snapshot, file and offset."""
    found = []
    for page in _pages(root):
        page.text = resiliparse(page.html, main_content=main_content) if page.html is not None else page.text
        page.html = None
        if page.text:
            found.append(page)
        if len(found) == most:
            break
    return found


def _pages(root: Path) -> Iterator[Page]:
    for crawl in sorted(path for path in root.iterdir() if (path / "crawl-data").is_dir()):
        files = sorted(list_inputs(str(crawl)), key=lambda file: (file.snapshot, file.name))
        for split in plan_splits(files, 1 << 30):
            yield from (page for page in read_pages(split, SplitReport(split)) if page.alive)
