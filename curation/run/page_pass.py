"""The fused pass inside a worker: one unit of input goes through all page stages of a segment and is committed.

Nothing here knows of Spark. Raw HTML is read, used and forgotten in this process; what is written is the text that
lives, one line about each page that does not, and the keys on which the corpus stages will decide.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from curation.dedup.cuts import cut_page, ranges_of
from curation.dedup.stages import CorpusStage
from curation.document import DOCUMENT, from_batch, in_sample, to_batch
from curation.page import Page
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.rewrite.pii import mask_page_text, mask_text
from curation.run.folder import RunFolder, parquet_files, write_json
from curation.run.forgotten import FATE, forgotten_ids, without_trace
from curation.run.plan import Unit
from curation.stage import PageStage, run_stages

CHUNK_PAGES = 128
CHUNK_CHARS = 8 << 20  # of HTML and text held at a time; a larger page is a chunk of its own
AUDIT_DRAW = 1  # seed of the draw of dropped pages that keep their text


@dataclass(frozen=True)
class PassPlan:
    """What a worker needs to run one segment; `decided` = corpus stages between the previous pass and this one."""

    root: str
    segment: int
    last: bool
    stages: tuple[PageStage, ...]
    decided: tuple[CorpusStage, ...]
    corpus: tuple[CorpusStage, ...]
    audit_fraction: float
    annotate: bool


def run_unit(plan: PassPlan, unit: Unit) -> dict[str, Any]:
    """Runs and commits one unit; returns its commit record. Doing it twice gives the same files."""
    folder, started = RunFolder(Path(plan.root)), time.monotonic()
    reports: list[SplitReport] = []
    if plan.segment == 0:
        entering = _from_input(unit, reports, forgotten_ids(folder))
    else:
        entering = _from_previous(folder, plan, unit.name)
    file = f"{unit.name}.parquet"
    targets = [
        (folder.alive(plan.segment, plan.last) / file, DOCUMENT),
        (folder.dead(plan.segment) / file, DOCUMENT),
        *((folder.signatures(stage.name) / file, stage.key_schema()) for stage in plan.corpus),
    ]
    pages_in = chars_read = 0
    with parquet_files(targets) as (alive_file, dead_file, *key_files):
        for pages in _chunks(entering):
            pages_in += len(pages)
            chars_read += sum(page.trail[0] for page in pages if page.trail)
            run_stages(plan.stages, pages)
            alive = to_batch([page for page in pages if page.alive])
            alive_file.add(alive)
            dead_file.add(_dead_batch([page for page in pages if not page.alive], plan))
            for stage, keys in zip(plan.corpus, key_files, strict=True):
                keys.add(stage.keys(alive, unit.name))
    commit = {
        "unit": unit.name,
        "pages_in": pages_in,
        "chars_read": chars_read,
        "alive": alive_file.rows,
        "dead": dead_file.rows,
        "splits": [report.to_dict() for report in reports],
        "seconds": round(time.monotonic() - started, 3),
    }
    write_json(folder.commits(plan.segment) / f"{unit.name}.json", commit)
    return commit


def _from_input(unit: Unit, reports: list[SplitReport], forgotten: Set[int]) -> Iterator[Page]:
    for split in unit.splits:
        report = SplitReport(split)
        reports.append(report)
        for page in read_pages(split, report):
            if page.doc_id in forgotten:
                page = without_trace(page.doc_id, page.source, page.snapshot)
            if page.alive:
                page.trail = [page.chars]
            yield page


def _from_previous(folder: RunFolder, plan: PassPlan, unit: str) -> Iterator[Page]:
    """Living pages of the previous pass, with the corpus decisions applied. A cutting stage is the last of its pass."""
    removing = [stage for stage in plan.decided if not stage.cuts_text]
    cutting = [stage for stage in plan.decided if stage.cuts_text]
    removed, sizes = _removed(folder, removing, unit), _cluster_sizes(folder, removing, unit)
    ranges = [ranges_of(_of_unit(folder.cuts(stage.name), unit, ["doc_id", "start", "end"])) for stage in cutting]
    with pq.ParquetFile(folder.alive(plan.segment - 1, last=False) / f"{unit}.parquet") as file:
        for batch in file.iter_batches(batch_size=CHUNK_PAGES):
            for page in from_batch(batch):
                page.signals.update(sizes.get(page.doc_id, {}))
                decision = removed.get(page.doc_id)
                if plan.annotate and decision is not None:
                    stage = removing[decision[0]]
                    page.signals[f"{stage.name}.{stage.rule}"] = 1.0
                    decision = None
                survived = removing if decision is None else removing[: decision[0]]
                page.trail += [page.chars] * len(survived)
                if decision is not None:
                    stage = removing[decision[0]]
                    page.drop(stage.name, stage.rule, stage.deciding_value(page, decision[1]))
                for stage, of_stage in zip(cutting, ranges, strict=True):
                    if page.alive:
                        cut_page(page, stage, of_stage.get(page.doc_id, ()), plan.annotate)
                yield page


def _removed(folder: RunFolder, stages: Sequence[CorpusStage], unit: str) -> dict[int, tuple[int, int | None]]:
    """doc_id -> (number of the stage that removes it, id of the copy that is kept if one is), for one unit."""
    removed: dict[int, tuple[int, int | None]] = {}
    for number, stage in enumerate(stages):
        table = _of_unit(folder.removals(stage.name), unit, ["doc_id", "kept_id"])
        for doc_id, kept_id in zip(table["doc_id"].to_pylist(), table["kept_id"].to_pylist(), strict=True):
            removed.setdefault(doc_id, (number, kept_id))
    return removed


def _of_unit(decisions: Path, unit: str, columns: list[str]) -> pa.Table:
    """They are sorted by unit, so statistics of the row groups keep this from reading other units' rows."""
    return ds.dataset(decisions, format="parquet").to_table(columns=columns, filter=pc.field("unit") == unit)


def _cluster_sizes(folder: RunFolder, stages: Sequence[CorpusStage], unit: str) -> dict[int, dict[str, float]]:
    """doc_id -> {`<stage>.cluster_size`: documents}, for those of one unit that have copies.

    It stays on the page as a signal: weights by cluster size (see `curation.dedup.rehydration`) are made from it.
    """
    sizes: dict[int, dict[str, float]] = {}
    for stage in stages:
        table = _of_unit(folder.clusters(stage.name), unit, ["doc_id", "cluster_size"])
        for doc_id, size in zip(table["doc_id"].to_pylist(), table["cluster_size"].to_pylist(), strict=True):
            sizes.setdefault(doc_id, {})[f"{stage.name}.cluster_size"] = float(size)
    return sizes


def _chunks(pages: Iterable[Page]) -> Iterator[list[Page]]:
    chunk: list[Page] = []
    held = 0
    for page in pages:
        chunk.append(page)
        held += page.chars
        if len(chunk) >= CHUNK_PAGES or held >= CHUNK_CHARS:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def _dead_batch(pages: list[Page], plan: PassPlan) -> pa.RecordBatch:
    """Dropped pages: text only for the audit sample. Text, deciding value and message are masked with all kinds.

    Lengths are those before masking. A removal's value is an id or score of ours and stays.
    """
    audited = [page.dropped_by != FATE and in_sample(page.doc_id, plan.audit_fraction, AUDIT_DRAW) for page in pages]
    decided = {stage.name for stage in plan.decided}
    removed = [page.dropped_by.partition(".")[0] in decided for page in pages]
    batch = to_batch(pages, keep_text=audited)
    masked = {
        "text": [mask_page_text(page) if kept else None for page, kept in zip(pages, audited, strict=True)],
        "dropped_value": [
            page.dropped_value if ours else _masked(page.dropped_value)
            for page, ours in zip(pages, removed, strict=True)
        ],
        "error": [_masked(page.error) for page in pages],
    }
    for name, values in masked.items():
        field = DOCUMENT.field(name)
        batch = batch.set_column(DOCUMENT.get_field_index(name), field, pa.array(values, field.type))
    return batch


def _masked(text: str | None) -> str | None:
    return None if text is None else mask_text(text)[0]
