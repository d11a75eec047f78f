"""The cascade: a page that cannot survive the recipe is given up before the slow engine reads it.

All visible text of a page comes from a parser that costs a twentieth of trafilatura. It holds nearly every word that a
main-text engine could keep, so the recipe's own later stages can be rehearsed on it:

- counts with a lower bound: what the visible text does not reach, no part of it reaches;
- language: menus and notices blur it, so the bound is loosened. The scorer is the recipe's own.

What the rehearsal decides is the fate `<stage>.cascade_<rule>`. A share of those pages, drawn by hash, is not given up:
they take the whole route, and how many of them survive says what the cascade costs (`curation.run.loss`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from curation.document import in_sample
from curation.errors import CurationError
from curation.extract.guard import ExtractionFailed
from curation.page import Page
from curation.stage import ERROR_CHARS, UNSUPPORTED, PageStage, Rule

NOTE = "cascade"  # page.notes[NOTE] = the rule by which an audited page would have been given up
AUDIT_DRAW = 2  # seed of the draw, so that this sample is not the one whose texts are stored
# Measures that are never larger on a part of the text than on all of it.
SHRINKING = ("chars", "characters.letter_count", "gopher_quality.word_count", "gopher_quality.stop_word_count")
BEST_LABEL = 0.5  # a label with half the probability is the best one: the bound where a recipe sets no threshold


class CascadeSettings(BaseModel):
    """The key `cascade` of an extract stage; `cascade: true` takes the defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Of the recipe's language threshold, what the visible text must leave possible: benchmarks/cascade.py.
    loosen: float = Field(default=0.6, gt=0, le=1)
    audit: float = Field(default=0.01, ge=0, le=1)  # share of the pages given up that are extracted all the same


@dataclass(frozen=True)
class Hopeless:
    """One reason to give a page up. `holds` gets a page of visible text and returns the value that decides, or None."""

    rule: str
    holds: Callable[[Page], object | None]


@dataclass(frozen=True)
class Rehearsal:
    """What of the later stages can be decided on visible text. `scorer` fills the language where the recipe asks it."""

    scorer: PageStage | None
    reasons: tuple[Hopeless, ...]


def rehearse(later: Sequence[PageStage], loosen: float) -> Rehearsal:
    """The rehearsal of the stages behind an extraction; without reasons where none of their bounds can be used.

    `later` ends at the first corpus stage: a page that would be dropped behind it takes part in it, and may be the copy
    for which another page is removed.
    """
    scorer = next((stage for stage in later if "language" in stage.fills), None)
    # Language first: that a German page lacks English stop words is no news.
    reasons = [] if scorer is None else _language_reasons(later, loosen)
    reasons += [
        Hopeless(rule.name, lambda page, rule=rule: _too_small(page, rule))
        for stage in later
        for rule in stage.rules
        if rule.source in SHRINKING and rule.min is not None
    ]
    return Rehearsal(scorer, tuple(reasons))


def _too_small(page: Page, rule: Rule) -> object | None:
    value = rule.measure(page)
    return value if value < rule.min else None


def _language_reasons(later: Sequence[PageStage], loosen: float) -> list[Hopeless]:
    """None where the recipe takes every language. Probabilities add up to 1: beside a label of 0.7, no other has more
    than 0.3; a page is hopeless when that is too little for each language the recipe takes."""
    name, least = _wanted(later)
    floors = {label: loosen * bound for label, bound in least.items()}
    if not floors:
        return []

    def out_of_reach(page: Page) -> bool:
        return all(1 - page.language_score < floor for label, floor in floors.items() if label != page.language)

    def other_language(page: Page) -> object | None:
        hopeless = page.language not in floors and out_of_reach(page)
        return f"{page.language} {page.language_score:.3f}" if hopeless else None

    def in_doubt(page: Page) -> object | None:
        hopeless = page.language_score < floors.get(page.language, 0) and out_of_reach(page)
        return page.language_score if hopeless else None

    told = [Hopeless(name, other_language)]
    scored = any(rule.source == "language_score" for stage in later for rule in stage.every_rule)
    return [*told, Hopeless("language_score", in_doubt)] if scored else told


def _wanted(later: Sequence[PageStage]) -> tuple[str, dict[str, float]]:
    """The rule that refuses other languages, and each label the recipe takes with the least score it asks for."""
    general = [rule for stage in later for rule in stage.rules]
    for rule in general:
        if rule.source == "language" and rule.allowed is not None:
            return rule.name, dict.fromkeys(rule.allowed, _least_score(general))
    for stage in later:
        if stage.by_language is not None:
            return UNSUPPORTED, {label: _least_score(own) for label, own in stage.by_language.items()}
    return "", {}


def _least_score(rules: Iterable[Rule]) -> float:
    return next((r.min for r in rules if r.source == "language_score" and r.min is not None), BEST_LABEL)


def with_cascade(stage: PageStage, rehearsal: Rehearsal, audit: float, visible: Callable[[str], str]) -> PageStage:
    """An extract stage that first gives up the pages for which the rehearsal finds a reason.

    `audit` = share of them that are extracted all the same. `visible` = HTML to visible text. Text and fate of all
    other pages are those of `stage`. A page given up keeps its visible text and the language found in it.
    """

    def run(pages: list[Page]) -> None:
        stand_ins = [(page, text) for page in pages if page.html is not None and (text := _look(page, visible))]
        if rehearsal.scorer is not None:
            rehearsal.scorer.run([text for _, text in stand_ins])
        for page, text in stand_ins:
            if text.alive:  # a scorer that breaks on the visible text may take the main text
                _decide(stage.name, rehearsal, audit, page, text)
        stage.run([page for page in pages if page.alive])

    return PageStage(stage.name, run, behind=stage)


def _look(page: Page, visible: Callable[[str], str]) -> Page | None:
    """A stand-in that holds the visible text. Where there is none the engine decides alone."""
    try:
        text = visible(page.html)
    except ExtractionFailed as failed:
        page.notes["visible_text"] = f"{failed.rule}: {failed}"
        return None
    return Page(text, url=page.url, host=page.host, doc_id=page.doc_id) if text else None


def _decide(stage: str, rehearsal: Rehearsal, audit: float, page: Page, text: Page) -> None:
    for reason in rehearsal.reasons:
        try:
            value = reason.holds(text)
        except CurationError:
            raise
        except Exception as error:  # a measure that breaks on the visible text may take the main text
            page.notes["cascade_error"] = f"{reason.rule}: {type(error).__name__}: {error}"[:ERROR_CHARS]
            return
        if value is None:
            continue
        if in_sample(page.doc_id, audit, AUDIT_DRAW):
            page.notes[NOTE] = reason.rule
            return
        page.text, page.html = text.text, None
        page.language, page.language_score = text.language, text.language_score
        page.drop(stage, f"cascade_{reason.rule}", value)
        return
