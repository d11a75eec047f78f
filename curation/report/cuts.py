"""What stages that cut repeated text found: how much of it, in how many pages, and the pieces that repeat most.

One pass over RUN/cuts, then one look at the pages of a few ranges for their text. It is masked as samples are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.page import Page
from curation.report.counts import scramble
from curation.report.folder import parquet_files
from curation.rewrite.pii import mask_text, regions_of

PIECES_SHOWN = 8
PIECE_CHARS = 240  # of the text of a piece
_GROUPS, _EACH = 24, 3  # ranges whose text is read: of the groups that repeat most, the shortest few of each
_COLUMNS = ["doc_id", "unit", "start", "end", "kept_id", "copies"]


class Range(NamedTuple):
    """A range of a page that was cut, in code points of its text before the stage."""

    rank: tuple[int, int]
    unit: str
    doc_id: int
    start: int
    end: int


@dataclass(frozen=True)
class RepeatedPiece:
    """A text that was cut, its lines in one. `copies` of it, or of its most frequent part, are in the corpus; `chars`
    is its length as it was; `cut` says that more of it follows."""

    copies: int
    chars: int
    text: str
    cut: bool


@dataclass
class StageCuts:
    """Ranges of one cutting stage: how many, in how many pages, their code points; and the pieces that repeat most.

    These are ranges as they were found; what is taken out of a page may be less or more, see the funnel. Of ranges that
    repeat equally often the shortest are kept in mind: neighbours that are cut too lengthen a range, not its copies.
    """

    stage: str
    ranges: int = 0
    pages: int = 0
    chars: int = 0
    pieces: list[RepeatedPiece] = field(default_factory=list)
    _most: dict[tuple[int, int], list[Range]] = field(default_factory=dict)
    _last: int | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Rows as they lie in a file: sorted by unit and page, so that pages are counted without holding their ids.

        Rows without `copies` are passed over: decontamination cuts benchmark text, which is no repeat.
        """
        batch = batch.filter(pc.is_valid(batch["copies"]))
        if not len(batch):
            return
        ids, start, end, copies = (batch[name].to_numpy() for name in ("doc_id", "start", "end", "copies"))
        kept = pc.fill_null(batch["kept_id"], 0).to_numpy()
        self.ranges += len(ids)
        self.chars += int((end - start).sum())
        self.pages += int((ids[1:] != ids[:-1]).sum()) + (int(ids[0]) != self._last)
        self._last = int(ids[-1])
        hashes = scramble(ids)
        keys = np.stack([copies, kept], axis=1)
        for row in _first_of_groups(keys, end - start, hashes):
            key = tuple(keys[row].tolist())
            rank = (int(end[row] - start[row]), int(hashes[row]))
            one = Range(rank, batch["unit"][row].as_py(), int(ids[row]), int(start[row]), int(end[row]))
            self._most[key] = heapq.nsmallest(_EACH, [*self._most.get(key, []), one])
        self._most = {key: self._most[key] for key in heapq.nlargest(_GROUPS, self._most)}

    def new_file(self) -> None:
        self._last = None

    def read_pieces(self, run: Path, stages_before: int) -> None:
        """Texts of the ranges that were kept in mind; `stages_before` counts reading as one."""
        chosen = [(key[0], one) for key, ranges in self._most.items() for one in ranges]
        texts = _texts(run, [one for _, one in chosen], stages_before)
        pieces: dict[str, RepeatedPiece] = {}
        for copies, one in sorted(chosen, key=lambda item: (-item[0], item[1])):
            text = _in_one_line(texts.get(one, ""))
            more_of_one = any(p.copies == copies and p.text in text for p in pieces.values())
            if text and not more_of_one and len(pieces) < PIECES_SHOWN:
                cut = len(text) > PIECE_CHARS
                pieces.setdefault(text, RepeatedPiece(copies, one.end - one.start, text[:PIECE_CHARS], cut))
        self.pieces = list(pieces.values())


def gather_cuts(run: Path, stages: Sequence[Mapping[str, Any]]) -> list[StageCuts]:
    """Cuts by stage, in the order of `stages` (those of the funnel); stages that cut nothing are left out."""
    found: dict[str, StageCuts] = {}
    for path in parquet_files(run, "cuts/*/**/*.parquet"):
        stage = path.relative_to(run / "cuts").parts[0]
        cuts = found.setdefault(stage, StageCuts(stage))
        cuts.new_file()
        with pq.ParquetFile(path) as parquet:
            for batch in parquet.iter_batches(columns=_COLUMNS):
                cuts.add(batch)
    places = {stage["stage"]: number for number, stage in enumerate(stages)}
    told = sorted((cuts for cuts in found.values() if cuts.ranges), key=lambda c: (places.get(c.stage, -1), c.stage))
    for cuts in told:
        if cuts.stage in places:
            cuts.read_pieces(run, places[cuts.stage])
    return told


def _first_of_groups(keys: np.ndarray, lengths: np.ndarray, hashes: np.ndarray) -> list[int]:
    """Rows: the `_EACH` shortest, equal ones by hash, of each of the `_GROUPS` largest keys."""
    order = np.lexsort((hashes, lengths, -keys[:, 1], -keys[:, 0]))
    ordered = keys[order]
    fresh = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    group = np.cumsum(fresh) - 1
    place = np.arange(len(order)) - np.flatnonzero(fresh)[group]
    return order[(group < _GROUPS) & (place < _EACH)].tolist()


def _in_one_line(text: str) -> str:
    """
    >>> _in_one_line("Home\\n\\n  About\\tus ")
    'Home / About us'
    """
    return " / ".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _texts(run: Path, ranges: Sequence[Range], stages_before: int) -> dict[Range, str]:
    """Masked texts of ranges, from the pages as the stage saw them; a page that is gone (forgotten) has none."""
    by_unit: dict[str, list[Range]] = {}
    for one in ranges:
        by_unit.setdefault(one.unit, []).append(one)
    files = {path.stem: path for path in _pages_before(run, stages_before)}
    found: dict[Range, str] = {}
    for unit, wanted in by_unit.items():
        if unit in files:
            found.update(_cut_out(files[unit], wanted))
    return found


def _pages_before(run: Path, stages: int) -> list[Path]:
    """Files of the last pass whose pages went through no more than these stages: a trail has an entry for each."""
    passes: dict[str, list[Path]] = {}
    for path in parquet_files(run, "documents/pass-*/alive=true/*.parquet"):
        passes.setdefault(path.relative_to(run).parts[1], []).append(path)
    lengths = [(_trail_length(files), files) for files in passes.values()]
    return max(((length, files) for length, files in lengths if 0 < length <= stages), default=(0, []))[1]


def _trail_length(files: Iterable[Path]) -> int:
    """Entries of the trail of living pages, which all pages of a pass have alike; 0 where none lives."""
    for path in files:
        with pq.ParquetFile(path) as parquet:
            first = next(parquet.iter_batches(1, columns=["trail"]), None)
        if first is not None and len(first):
            return len(first["trail"][0].as_py())
    return 0


def _cut_out(path: Path, ranges: Sequence[Range]) -> dict[Range, str]:
    ids = pa.array({one.doc_id for one in ranges}, pa.int64())
    found: dict[Range, str] = {}
    with pq.ParquetFile(path) as parquet:
        for batch in parquet.iter_batches(256, columns=["doc_id", "host", "language", "text"]):
            for row in batch.filter(pc.is_in(batch["doc_id"], ids)).to_pylist():
                regions = regions_of(Page(host=row["host"] or "", language=row["language"] or ""))
                for one in ranges:
                    if one.doc_id == row["doc_id"]:
                        found[one] = _masked(row["text"] or "", one.start, one.end, regions)
    return found


def _masked(text: str, start: int, end: int, regions: Sequence[str]) -> str:
    """The range with personal data masked. Where an item reaches over its border, a part of it would not be known for
    what it is: then the lines that the range touches, masked.

    >>> _masked("my mail: ann@mail.org", 0, 7, ()), _masked("my mail: ann@mail.org", 0, 15, ())
    ('my mail', 'my mail: email@example.com')
    """
    before, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    parts = (text[before:start], text[start:end], text[end : after if after >= 0 else len(text)])
    masked = [mask_text(part, regions=regions)[0] for part in parts]
    lines = mask_text("".join(parts), regions=regions)[0]
    return (masked[1] if "".join(masked) == lines else lines).strip()
