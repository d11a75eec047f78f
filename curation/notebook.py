"""The notebook door: a recipe on a list of documents, and every rule of a recipe on one page. No Spark, no files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from curation.dedup.cuts import cut_page, ranges_of
from curation.dedup.stages import LooksAgain
from curation.document import document_id, to_batch
from curation.page import Page
from curation.recipe.load import Recipe
from curation.run.benchmarks import with_benchmarks
from curation.stage import UNSUPPORTED, PageStage, run_stages

GIVEN = ("url", "host", "date", "source", "snapshot", "record_id", "language", "language_score", "doc_id")


def on_documents(
    recipe: Recipe, documents: Iterable[Mapping[str, Any]], benchmarks: Path | str | None = None
) -> list[dict[str, Any]]:
    """The documents with their fate, in the order given: each one a dict with `text`, `dropped_by` (None = kept),

    `dropped_value`, `error`, `language`, `language_score`, `scores`, `pii` and `trail`.

    A document is a dict with `text`, or with `html` for recipes that extract; url, date and other columns of
    `curation.document` may stand beside. Corpus stages compare the documents given with each other, in memory.

    `benchmarks` is the folder of benchmark files, for recipes that decontaminate.

    Raises ValueError that names the document without text and html.
    """
    recipe = with_benchmarks(recipe, benchmarks)
    pages = [_page(number, document) for number, document in enumerate(documents)]
    for page in pages:
        page.trail = [page.chars]
    for stage in recipe.stages:
        if isinstance(stage, PageStage):
            run_stages([stage], pages)
        else:
            _decide(stage, pages)
    columns = (
        "doc_id",
        "url",
        "text",
        "language",
        "language_score",
        "scores",
        "dropped_by",
        "dropped_value",
        "error",
        "pii",
        "trail",
    )
    return [{name: getattr(page, name) for name in columns} for page in pages]


def _page(number: int, document: Mapping[str, Any]) -> Page:
    if document.get("text") is None and document.get("html") is None:
        raise ValueError(f"document {number} has neither 'text' nor 'html'; its keys: {', '.join(map(str, document))}")
    given = {name: document[name] for name in GIVEN if document.get(name) is not None}
    given.setdefault("doc_id", document_id(given.get("source", ""), given.get("snapshot", ""), "memory", number, ""))
    return Page(
        document.get("text") or "", html=None if document.get("text") is not None else document["html"], **given
    )


def _decide(stage: Any, pages: list[Page]) -> None:
    alive = [page for page in pages if page.alive]
    batch = to_batch(alive)
    if isinstance(stage, LooksAgain):
        stage = stage.with_texts(lambda unit: iter([batch]))
    decision = stage.local_removals(pa.Table.from_batches([stage.keys(batch, "memory")]))
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

    A failing rule does not end the explanation: later stages see the page as if it had passed.
    """
    findings: list[Finding] = []
    for stage in recipe.stages:
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
    if page.chars == before and page.language:
        return Finding(stage.name, "language", f"{page.language} {page.language_score:.3f}", "", None)
    return Finding(stage.name, "characters", f"{before:,} -> {page.chars:,}", "", None)
