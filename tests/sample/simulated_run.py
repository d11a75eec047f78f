"""A finished run without the pipeline: the files that `check` reads, written from the truth itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from curation.document import document_id, to_batch
from curation.page import Page
from curation.sample.truth import PageTruth, Truth

_JOINED = ("exact_copy", "near_copy_95", "near_copy_90", "near_copy_85")
MASK = "email@example.com"


@dataclass
class SimulatedRun:
    """Fates and texts by record id; a test changes what it likes, then writes."""

    truth: Truth
    fates: dict[str, str | None] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    removals: list[tuple[str, str, float]] = field(default_factory=list)  # record ids of removed and kept, similarity
    lost: set[str] = field(default_factory=set)  # pages without any row

    def write(self, run: Path) -> Path:
        known = [page for page in self.truth.pages if page.record_id not in self.lost]
        rows = [self._page(page) for page in known]
        _write(run / "curated" / "a.parquet", [page for page in rows if page.alive])
        _write(run / "documents" / "pass-0" / "alive=false" / "a.parquet", [page for page in rows if not page.alive])
        ids = {page.record_id: row.doc_id for page, row in zip(known, rows, strict=True)}
        table = pa.table(
            {
                "doc_id": [ids[removed] for removed, _, _ in self.removals],
                "kept_id": [ids[kept] for _, kept, _ in self.removals],
                "similarity": [similarity for _, _, similarity in self.removals],
            }
        )
        folder = run / "removals" / "near_duplicates"
        folder.mkdir(parents=True)
        pq.write_table(table, folder / "a.parquet")
        return run

    def _page(self, truth: PageTruth) -> Page:
        return Page(
            self.texts.get(truth.record_id, ""),
            url=truth.url,
            doc_id=document_id("web", truth.snapshot, truth.warc_file, truth.warc_offset, truth.record_id),
            snapshot=truth.snapshot,
            warc_file=truth.warc_file,
            warc_offset=truth.warc_offset,
            # a damaged record cannot tell its id
            record_id="" if truth.role == "damaged_record" else truth.record_id.strip("<>"),
            dropped_by=self.fates[truth.record_id],
        )


def perfect_run(truth: Truth) -> SimulatedRun:
    """The run that does everything right: copies lose against their originals."""
    run = SimulatedRun(truth)
    for page in truth.pages:
        joined = page.role in _JOINED
        fate = "near_duplicates.duplicate" if joined else next(iter(page.fates))
        run.fates[page.record_id] = None if fate == "kept" else fate if joined else f"{fate}rule"
        if joined:
            run.removals.append((page.record_id, page.original, page.jaccard))
        text = "\n".join((page.title, *page.paragraphs))
        for item in (item for items in page.planted.values() for item in items):
            text = text.replace(item, MASK)
        run.texts[page.record_id] = text
    return run


def _write(file: Path, pages: list[Page]) -> None:
    file.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_batches([to_batch(pages)]), file)
