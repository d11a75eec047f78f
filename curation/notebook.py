"""The notebook door, without Spark: a recipe on documents or a small crawl, in memory; every rule on one page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa

from curation.dedup.cuts import cut_page, ranges_of
from curation.dedup.stages import CorpusStage, LocalDecision, LooksAgain
from curation.document import to_batch
from curation.errors import InputError
from curation.given import pages_given
from curation.page import Page
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.recipe.load import Recipe
from curation.run.benchmarks import with_benchmarks
from curation.sample.snapshots import write_snapshots
from curation.stage import UNSUPPORTED, PageStage, run_stages

_SPLIT = 128 << 20  # bytes of a crawl file read at a time
_AT_ONCE = 256  # pages held with their HTML
_MADE_PAGES = 600  # of a made-up crawl to try things on

_TOLD = ("doc_id", "url", "text", "language", "language_score", "scores", "dropped_by", "dropped_value", "error", "pii",
         "trail")  # fmt: skip


def on_documents(
    recipe: Recipe, documents: Iterable[Mapping[str, Any]], benchmarks: Path | str | None = None
) -> list[dict[str, Any]]:
    """The documents with their fate, in the order given. `documents`: dicts with `text`, or with `html` for recipes
    that extract; beside it may stand url, host, date, source, snapshot, record_id, language, language_score, doc_id.

    Each one comes back as a dict with `dropped_by` (None = kept, else `<stage>.<rule>`), `dropped_value` (the value
    that decided), `text` as the recipe left it, `doc_id`, `url`, `language`, `language_score`, `scores`, `error`, `pii`
    (items masked, by kind) and `trail` (characters after each stage). Corpus stages compare the documents given with
    each other, in memory. `benchmarks` is the folder of benchmark files, for recipes that decontaminate.

    Raises InputError that names the document which is no such dict, ModelError where a model is missing.

    >>> from curation import load_recipe
    >>> found = on_documents(load_recipe("gopher"), [{"text": "Far too short to be a page of its own."}])
    >>> found[0]["dropped_by"], found[0]["dropped_value"]
    ('gopher_quality.word_count', '10')
    """
    recipe = with_benchmarks(_loaded(recipe), benchmarks)
    pages = pages_given(documents)
    for page in pages:
        page.trail = [page.chars]
    for stage in recipe.stages:
        if isinstance(stage, PageStage):
            run_stages([stage], pages)
        else:
            _decide(stage, pages)
    return [{name: getattr(page, name) for name in _TOLD} for page in pages]


def crawl_at_hand(folder: Path) -> Path:
    """Root of a crawl of two snapshots to try things on: `snapshots` of the folder that CURATION_REAL_DATA names, or,

    where that is not set, a made-up crawl written into `folder`. Raises InputError where it names no such folder.
    """
    named = os.environ.get("CURATION_REAL_DATA")
    if not named:
        write_snapshots(folder, pages=_MADE_PAGES)
        return folder
    if not (Path(named) / "snapshots").is_dir():
        raise InputError(f"CURATION_REAL_DATA is {named}, which holds no folder snapshots/; name another, or unset it")
    return Path(named) / "snapshots"


def pages_of_crawl(recipe: Recipe, where: str | Path, *, snapshots: Sequence[str] = ()) -> list[Page]:
    """All pages of a crawl after those page stages of a recipe that stand before its first corpus stage, in memory.

    `where` as in `curation run --input`. Dropped and unreadable pages are there too: `dropped_by` says why.
    For some thousand pages; a run (`run_recipe`) has no such limit. Raises InputError where nothing can be read.
    """
    stages = list(takewhile(lambda stage: isinstance(stage, PageStage), recipe.stages))
    done: list[Page] = []
    for split in plan_splits(list_inputs(str(where), snapshots=snapshots), _SPLIT):
        read = read_pages(split, SplitReport(split))
        while pages := list(islice(read, _AT_ONCE)):
            for page in pages:
                page.trail = [page.chars]
            run_stages(stages, pages)
            for page in pages:
                page.html = None
            done += pages
    return done


def decide(stage: CorpusStage, pages: Iterable[Page]) -> LocalDecision:
    """What a corpus stage decides about the living pages, compared with each other in memory; changes no page."""
    batch = to_batch(page for page in pages if page.alive)
    if isinstance(stage, LooksAgain):
        stage = stage.with_texts(lambda unit: iter([batch]))
    return stage.local_removals(pa.Table.from_batches([stage.keys(batch, "memory")]))


def _loaded(recipe: Any) -> Recipe:
    if not isinstance(recipe, Recipe):
        raise InputError(f"the recipe is {recipe!r:.60} ({type(recipe).__name__}): give load_recipe(NAME_OR_PATH)")
    return recipe


def _decide(stage: Any, pages: list[Page]) -> None:
    alive = [page for page in pages if page.alive]
    decision = decide(stage, alive)
    if stage.cuts_text:
        ranges = ranges_of(decision.cuts)
        for page in alive:
            cut_page(page, stage, ranges.get(page.doc_id, ()))
        return
    removals = decision.removals
    kept_of = dict(zip(removals["doc_id"].to_pylist(), removals["kept_id"].to_pylist(), strict=True))
    for page in alive:
        if page.doc_id in kept_of:
            page.drop(stage.name, stage.rule, stage.deciding_value(page, kept_of[page.doc_id]))
        else:
            page.trail.append(page.chars)


@dataclass(frozen=True)
class Finding:
    """One line of an explanation. `passed` is None where a stage only changes or describes the page."""

    stage: str
    rule: str
    value: Any
    bound: str
    passed: bool | None


def explain(recipe: Recipe, page: Page) -> list[Finding]:
    """Every rule of every stage with its value and bound for one page, passing and failing.

    A failing rule does not end the explanation: later stages see the page as if it had passed, and `page` is changed
    as they change it. Raises InputError where `page` is no Page.
    """
    if not isinstance(page, Page):
        raise InputError(f"the page is {page!r:.60} ({type(page).__name__}): give Page(text), or Page(html=html)")
    findings: list[Finding] = []
    for stage in _loaded(recipe).stages:
        if not isinstance(stage, PageStage):
            rule = "cut" if stage.cuts_text else stage.rule
            findings.append(Finding(stage.name, rule, "", "decided over the whole corpus", None))
        elif stage.every_rule:
            findings += _meet(stage, page)
        elif stage.behind is not None:
            findings += [_foretold(stage, page), _change(stage.behind, page)]
        else:
            findings.append(_change(stage, page))
    return findings


def _foretold(stage: PageStage, page: Page) -> Finding:
    """Whether the cascade of an extract stage gives the page up; the page itself stays as it is."""
    ahead = Page(html=page.html, url=page.url, host=page.host, doc_id=page.doc_id)
    stage.run([ahead])
    rule = (ahead.dropped_by or "").partition(".")[2]
    if rule.startswith("cascade_"):
        return Finding(stage.name, rule, ahead.dropped_value, "", False)
    return Finding(stage.name, "cascade", "not given up", "", True)


def _meet(stage: PageStage, page: Page) -> list[Finding]:
    """The rules that a page of this language meets; what a stage only measures goes to the page's signals."""
    findings = []
    for rule in stage.rules_for(page.language):
        value = rule.measure(page)
        findings.append(Finding(stage.name, rule.name, value, rule.bound, rule.passes(value) if rule.bounded else None))
        if not rule.bounded:
            page.signals[rule.name] = float(value)
    if not stage.supports(page.language):
        findings.append(Finding(stage.name, UNSUPPORTED, page.language, "in " + ", ".join(stage.by_language), False))
    return findings


def _change(stage: PageStage, page: Page) -> Finding:
    """What an extraction, annotation or edit does to the page; a page it refuses goes on as it was."""
    before, scores = page.chars, dict(page.scores)
    stage.run([page])
    if not page.alive:
        rule, value = page.dropped_by.partition(".")[2], page.error or page.dropped_value
        page.dropped_by = page.dropped_value = page.error = None
        return Finding(stage.name, rule, value, "", False)
    if page.scores != scores:
        told = ", ".join(f"{name} {value:.3f}" for name, value in page.scores.items() if name not in scores)
        return Finding(stage.name, "scores", told, "", None)
    if "language" in stage.fills:
        return Finding(stage.name, "language", f"{page.language} {page.language_score:.3f}", "", None)
    return Finding(stage.name, "characters", f"{before:,} -> {page.chars:,}", "", None)
