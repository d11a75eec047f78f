"""What is known about every page of a sample crawl, as it stands in `truth.jsonl`: one object per page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from curation.errors import InputError


@dataclass(slots=True, kw_only=True)
class PageTruth:
    """One page: where it lies, what it holds, and what it is a copy of."""

    url: str
    snapshot: str
    record_id: str  # as in WARC-Record-ID, with the angle brackets
    role: str  # a key of `expectations.EXPECTED`
    language: str = ""
    title: str = ""
    paragraphs: list[str] = field(default_factory=list)  # main text without the title; empty where there is none
    boilerplate: list[str] = field(default_factory=list)
    planted: dict[str, list[str]] = field(default_factory=dict)  # kind of personal data -> items, to be masked
    look_alikes: list[str] = field(default_factory=list)  # sentences that hold no personal data and must stay
    original: str | None = None  # record_id of the page that this one copies
    original_url: str | None = None
    jaccard: float | None = None  # of the word 5-grams of this main text (title and paragraphs) and the original's
    fates: list[str] = field(default_factory=list)  # accepted: "kept", or the beginning of <stage>.<rule>
    warc_file: str = ""  # relative to the root of the crawl
    warc_offset: int = -1  # bytes from the start of the file to the gzip member of the response


@dataclass(frozen=True, slots=True)
class Truth:
    """All pages of a sample crawl, in the order in which they were planted."""

    root: Path
    pages: list[PageTruth]

    def of(self, role: str) -> list[PageTruth]:
        """Pages of one role."""
        return [page for page in self.pages if page.role == role]


def write_truth(file: Path, truth: Truth) -> None:
    """One JSON object a line, UTF-8, keys in the order of the fields."""
    lines = (json.dumps(asdict(page), ensure_ascii=False) for page in truth.pages)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_truth(file: Path) -> Truth:
    """The truth as written by `write_truth`; InputError where the file is not one."""
    if not file.is_file():
        raise InputError(
            f"{file} is not there: write a sample crawl first (curate demo), it puts its truth.jsonl there"
        )
    known = {f.name for f in fields(PageTruth)}
    pages = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            pages.append(PageTruth(**{name: value for name, value in row.items() if name in known}))
        except (ValueError, TypeError) as error:
            raise InputError(
                f"{file} line {number} is not the truth about a page ({error}); write the crawl again"
            ) from error
    return Truth(file.parent, pages)
