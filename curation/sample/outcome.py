"""What became of the pages of a crawl, read from the folder of a finished run with pyarrow alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from curation.errors import InputError
from curation.sample.truth import PageTruth

KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Removal:
    """One line of a removal table, with record ids in place of document ids."""

    record_id: str
    kept_record_id: str
    similarity: float


class Outcome:
    """Fates and texts by page. A page is found by its record id, or by file and offset where that could not be read."""

    def __init__(self, run: Path):
        if not (run / "curated").is_dir():
            raise InputError(f"{run} holds no curated/: point at the folder of a finished run")
        self._fates: dict[object, list[str]] = defaultdict(list)
        self._texts: dict[str, str] = {}
        self.rows = 0
        names: dict[int, str] = {}
        for row in _rows(run.glob("curated/**/*.parquet"), "doc_id", "record_id", "warc_file", "warc_offset", "text"):
            self._note(row, KEPT)
            self._texts[_bare(row["record_id"])] = row["text"] or ""
            names[row["doc_id"]] = _bare(row["record_id"])
        dropped = run.glob("documents/**/alive=false/**/*.parquet")
        for row in _rows(dropped, "doc_id", "record_id", "warc_file", "warc_offset", "dropped_by"):
            self._note(row, row["dropped_by"])
            names[row["doc_id"]] = _bare(row["record_id"])
        self.removals = [
            Removal(names.get(row["doc_id"], ""), names.get(row["kept_id"], ""), row["similarity"])
            for row in _rows(run.glob("removals/*/**/*.parquet"), "doc_id", "kept_id", "similarity")
        ]

    def fates(self, page: PageTruth) -> list[str]:
        """Every fate the run gives the page: one, if the run is sound; "kept" or <stage>.<rule>."""
        by_record = self._fates.get(_bare(page.record_id))
        return by_record or self._fates.get((_file(page.warc_file), page.warc_offset), [])

    def fate(self, page: PageTruth) -> str:
        """The first fate, or "missing"."""
        return next(iter(self.fates(page)), "missing")

    def kept(self, page: PageTruth) -> bool:
        return self.fate(page) == KEPT

    def text(self, page: PageTruth) -> str:
        """The curated text, white space collapsed; empty for a page that was dropped."""
        return squeezed(self._texts.get(_bare(page.record_id), ""))

    def _note(self, row: dict, fate: str) -> None:
        self.rows += 1
        record = _bare(row["record_id"])
        self._fates[record or (_file(row["warc_file"]), row["warc_offset"])].append(fate)


def squeezed(text: str) -> str:
    """The text with every run of white space as one space.

    >>> squeezed("a\\n\\n b ")
    'a b'
    """
    return " ".join(text.split())


def _rows(files: Iterable[Path], *columns: str) -> Iterable[dict]:
    for file in sorted(files):
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(columns=list(columns)):
                yield from batch.to_pylist()


def _bare(record_id: str | None) -> str:
    """The id without angle brackets, so that it does not matter whether a reader keeps them."""
    return (record_id or "").strip("<>")


def _file(name: str | None) -> str:
    """The last part of a file's name, so that it does not matter what a run took for the root."""
    return (name or "").rsplit("/", 1)[-1]
