"""Compares a finished run with the truth about its sample crawl: what was planted, and what the run made of it.

In every finding `planted` counts what was put into the crawl and `found` how much of it fared as it should.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from curation.dedup.curve import candidate_probability
from curation.sample.expectations import BAD, BANDS, ROWS, accepted
from curation.sample.outcome import Outcome, squeezed
from curation.sample.truth import PageTruth, Truth, read_truth

_NEAR = ("near_copy_95", "near_copy_90", "near_copy_85")
_FAR = "near_copy_below"
_HARD = ("charset_labelled", "charset_mislabelled", "gzip_body", "chunked_body")
_TEXT_ROLES = (
    "good",
    "exact_copy",
    *_NEAR,
    _FAR,
    "recrawl_same",
    "recrawl_changed",
    "pii_look_alike",
    *_HARD,
)
_SHARE_OF_TEXT = 0.95  # of the paragraphs, that an extractor should bring through
_SHARE_OF_LEAKS = 0.01  # of the boilerplate, that may come with them
_DEVIATIONS = 3  # standard deviations that a count may lie from its expectation


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table: `found` of `planted` fared as they should."""

    role: str
    planted: int
    found: int
    ok: bool
    note: str = ""


def check(run: Path, truth: Path) -> list[Finding]:
    """Findings about the run in folder `run`, against `truth` (the file truth.jsonl), in a fixed order.

    Raises InputError where either cannot be read.
    """
    known, outcome = read_truth(truth), Outcome(run)
    clusters = _clusters(known)
    return [
        _one_fate_each(known, outcome),
        *_good_pages(known, outcome, clusters),
        *_texts(known, outcome),
        _exact_copies(known, outcome, clusters),
        *(_pairs(role, known, outcome) for role in (*_NEAR, _FAR)),
        _removals(known, outcome, clusters),
        *(_kept(role, known, outcome) for role in ("recrawl_same", "recrawl_changed")),
        *_personal_data(known, outcome),
        *(_recovered(role, known, outcome) for role in _HARD),
        *(_fates(role, known, outcome) for role in ("truncated_body", *BAD)),
        _neighbours_of_damage(known, outcome),
    ]


def _one_fate_each(known: Truth, outcome: Outcome) -> Finding:
    single = sum(len(outcome.fates(page)) == 1 for page in known.pages)
    ok = single == len(known.pages) == outcome.rows
    return Finding("every page has one fate", len(known.pages), single, ok, f"{outcome.rows} rows in the run")


def _good_pages(known: Truth, outcome: Outcome, clusters: dict[str, list[PageTruth]]) -> Iterable[Finding]:
    """Kept, or their place taken by a copy that was kept."""
    by_language: dict[str, list[PageTruth]] = {}
    for page in known.of("good"):
        by_language.setdefault(page.language, []).append(page)
    for language, pages in by_language.items():
        lost = [page for page in pages if not any(map(outcome.kept, clusters.get(page.record_id, [page])))]
        yield Finding(f"good pages, {language}", len(pages), len(pages) - len(lost), not lost, _counted(lost, outcome))


def _texts(known: Truth, outcome: Outcome) -> Iterable[Finding]:
    """Main text and boilerplate on the pages that were kept."""
    kept = [page for page in known.pages if page.role in _TEXT_ROLES and outcome.kept(page)]
    texts = [outcome.text(page) for page in kept]
    paragraphs = sum(len(page.paragraphs) for page in kept)
    through = sum(squeezed(p) in text for page, text in zip(kept, texts, strict=True) for p in page.paragraphs)
    exact = sum(text == squeezed(_main_text(page)) for page, text in zip(kept, texts, strict=True))
    note = f"{exact} of {len(kept)} texts are exactly the main text"
    yield Finding("paragraphs of the main text", paragraphs, through, through >= _SHARE_OF_TEXT * paragraphs, note)
    pieces = sum(len(page.boilerplate) for page in kept)
    leaks = sum(squeezed(b) in text for page, text in zip(kept, texts, strict=True) for b in page.boilerplate)
    yield Finding("boilerplate left out", pieces, pieces - leaks, leaks <= _SHARE_OF_LEAKS * pieces, f"{leaks} leaked")


def _exact_copies(known: Truth, outcome: Outcome, clusters: dict[str, list[PageTruth]]) -> Finding:
    """Of an original and its mirrors one stays, whichever."""
    copied = {page.original for page in known.of("exact_copy")}
    survivors = Counter(sum(map(outcome.kept, clusters[original])) for original in copied if original)
    note = ", ".join(f"{kept} kept in {count}" for kept, count in sorted(survivors.items()) if kept != 1)
    return Finding("clusters of exact copies", len(copied), survivors[1], survivors[1] == len(copied), note)


def _pairs(role: str, known: Truth, outcome: Outcome) -> Finding:
    """Pairs of which one stays, or both where they are too unlike. How many depends on the draw of the hash functions,
    so the number that the S-curve lets expect stands beside it; that a pair loses both is never right."""
    pages, by_record = known.of(role), {page.record_id: page for page in known.pages}
    pairs = [(page, by_record[page.original]) for page in pages if page.original]
    survivors = Counter(sum(map(outcome.kept, pair)) for pair in pairs)
    expected, deviation = _expected_candidates(pages)
    found, wish = survivors[1], "one kept"
    if role == _FAR:
        found, wish, expected = survivors[2], "both kept", len(pages) - expected
    note = f"expected {expected:.1f}" + (f", both removed {survivors[0]}" if survivors[0] else "")
    ok = found >= expected - deviation and not survivors[0]
    return Finding(f"pairs of {role}, {wish}", len(pages), found, ok, note)


def _removals(known: Truth, outcome: Outcome, clusters: dict[str, list[PageTruth]]) -> Finding:
    """Removals, each of which should join two pages that were planted as copies of each other."""
    cluster_of = {page.record_id.strip("<>"): pages for pages in clusters.values() for page in pages}
    errors = []
    for removal in outcome.removals:
        pages = cluster_of.get(removal.record_id)
        if pages is not None and pages is cluster_of.get(removal.kept_record_id):
            errors.append(abs(removal.similarity - (pages[-1].jaccard or 0.0)))
    note = f"similarity {sum(errors) / len(errors):.3f} off on average" if errors else ""
    removals, planted = len(outcome.removals), len(errors)
    return Finding("removals of planted copies", removals, planted, planted == removals, note)


def _kept(role: str, known: Truth, outcome: Outcome) -> Finding:
    lost = [page for page in known.of(role) if not outcome.kept(page)]
    planted = len(known.of(role))
    return Finding(f"{role}, kept in its snapshot", planted, planted - len(lost), not lost, _counted(lost, outcome))


def _personal_data(known: Truth, outcome: Outcome) -> Iterable[Finding]:
    """Items on kept pages, each to be gone from the text; and sentences that only look like it, each to be there."""
    kept = [page for page in known.of("pii") if outcome.kept(page)]
    for kind in sorted({kind for page in known.of("pii") for kind in page.planted}):
        items = [(page, item) for page in kept for item in page.planted.get(kind, ())]
        left = sum(item in outcome.text(page) for page, item in items)
        yield Finding(f"personal data masked, {kind}", len(items), len(items) - left, bool(items) and not left)
    kept = [page for page in known.of("pii_look_alike") if outcome.kept(page)]
    sentences = [(page, sentence) for page in kept for sentence in page.look_alikes]
    changed = [sentence for page, sentence in sentences if squeezed(sentence) not in outcome.text(page)]
    ok = bool(sentences) and not changed
    yield Finding("look-alikes left alone", len(sentences), len(sentences) - len(changed), ok, "; ".join(changed[:2]))


def _recovered(role: str, known: Truth, outcome: Outcome) -> Finding:
    """Kept with every paragraph as it was written."""
    lost = [p for p in known.of(role) if not all(squeezed(paragraph) in outcome.text(p) for paragraph in p.paragraphs)]
    planted = len(known.of(role))
    return Finding(f"{role}, read in full", planted, planted - len(lost), not lost, _counted(lost, outcome))


def _fates(role: str, known: Truth, outcome: Outcome) -> Finding:
    pages = known.of(role)
    found = sum(accepted(role, outcome.fate(page)) for page in pages)
    return Finding(role, len(pages), found, found == len(pages), _counted(pages, outcome))


def _neighbours_of_damage(known: Truth, outcome: Outcome) -> Finding:
    """Pages that share a file with a damaged or cut record: each was read, before and after the damage."""
    harmed = [*known.of("damaged_record"), *known.of("truncated_record")]
    files = {page.warc_file for page in harmed}
    others = [page for page in known.pages if page.warc_file in files and page not in harmed]
    lost = [page for page in others if outcome.fate(page).split(".")[-1] in ("missing", "damaged", "truncated")]
    return Finding("neighbours of damage read", len(others), len(others) - len(lost), not lost, _counted(lost, outcome))


def _clusters(known: Truth) -> dict[str, list[PageTruth]]:
    """Record id of an original -> the original and its copies in the same snapshot, all at the same Jaccard index."""
    by_record = {page.record_id: page for page in known.pages}
    clusters: dict[str, list[PageTruth]] = {}
    for page in known.pages:
        if page.original and page.role in ("exact_copy", *_NEAR, _FAR):
            clusters.setdefault(page.original, [by_record[page.original]]).append(page)
    return clusters


def _expected_candidates(pages: list[PageTruth]) -> tuple[float, float]:
    """(expected number of pairs that share a band, how far the count may lie from it) at the bands of the recipe."""
    chances = candidate_probability([page.jaccard or 0.0 for page in pages], BANDS, ROWS)
    return float(chances.sum()), _DEVIATIONS * sqrt(float((chances * (1 - chances)).sum())) + 0.5


def _main_text(page: PageTruth) -> str:
    return " ".join((page.title, *page.paragraphs))


def _counted(pages: list[PageTruth], outcome: Outcome) -> str:
    """Fates and how often, the most frequent first."""
    fates = Counter(map(outcome.fate, pages))
    return ", ".join(f"{fate} {count}" for fate, count in fates.most_common())
