"""Page stages: what a recipe's `extract`, `annotate`, `measure`, `keep_if` and `rewrite` become.

A page stage works on a list of living pages and never removes one: a page that must go is marked with its fate
`<stage>.<rule>`. An exception in a measure, an edit or a model is caught here and nowhere else; it costs that page
only, as the fate `<stage>.error` with type and message. A CurationError is no page's fault and fails the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from curation.errors import CurationError, ModelError, SetUpError
from curation.extract.guard import ExtractionFailed
from curation.page import Drop, Page

Measure = Callable[[Page], Any]
Edit = Callable[[Page], "str | Drop"]
Score = Callable[[list[Page]], list[Sequence[Any]]]
SecondLook = Callable[[Page, str], str]

UNSUPPORTED = (
    "unsupported_language"  # the fate of a page whose language has no rules in a stage that has them by language
)
SHORT_COLUMN = "language_score"  # a column of 32 bits; what is compared with a bound has 64
ERROR_CHARS = 300  # of an exception's message that a fate keeps; messages can quote whole pages


@dataclass(frozen=True)
class Rule:
    """A measure (or a column) with its bounds. Bounds are inclusive; a value outside them fails, and so does NaN.

    A rule without any bound only measures; every page passes it.
    """

    name: str
    measure: Measure
    source: str  # what the recipe names, such as gopher_quality.word_count, or a column
    min: float | None = None
    max: float | None = None
    allowed: tuple[Any, ...] | None = None

    def passes(self, value: Any) -> bool:
        if self.allowed is not None:
            return value in self.allowed
        low, high = self.min, self.max
        if self.source == SHORT_COLUMN:  # so 0.65 passes `min: 0.65` before it is written and when it is read again
            value, low, high = (one if one is None else float(np.float32(one)) for one in (value, low, high))
        return (low is None or value >= low) and (high is None or value <= high)

    @property
    def bounded(self) -> bool:
        return self.allowed is not None or self.min is not None or self.max is not None

    @property
    def bound(self) -> str:
        """The bound as a person writes it: `50 .. 100000`, `>= 0.8`, `in en, de`; empty where there is none."""
        if not self.bounded:
            return ""
        if self.allowed is not None:
            return "in " + ", ".join(map(str, self.allowed))
        if self.min is not None and self.max is not None:
            return f"{self.min:g} .. {self.max:g}"
        return f">= {self.min:g}" if self.min is not None else f"<= {self.max:g}"


@dataclass(frozen=True)
class PageStage:
    """One named step of the pass. `run` gets living pages and edits or marks them in place.

    `rules` hold for every page, or, where `by_language` gives the rules for each label, for pages of any other label.
    `probe` is called once, before any work is sent out: it raises where a word list or a model is missing or of the
    wrong kind.
    `fills` = columns that a model's answer goes to. `behind` = the stage itself, where `run` begins with a cascade.
    """

    name: str
    run: Callable[[list[Page]], None]
    rules: tuple[Rule, ...] = field(default=())
    by_language: Mapping[str, tuple[Rule, ...]] | None = None
    probe: Callable[[], None] = field(default=lambda: None)
    fills: tuple[str, ...] = ()
    behind: PageStage | None = None

    def rules_for(self, language: str) -> tuple[Rule, ...]:
        """The rules that a page with this label meets."""
        return (self.by_language or {}).get(language, self.rules)

    def supports(self, language: str) -> bool:
        """Whether the stage has rules for pages with this label; always, where rules do not depend on it."""
        return self.by_language is None or language in self.by_language

    @property
    def every_rule(self) -> tuple[Rule, ...]:
        """All rules of all languages, each with its own bounds."""
        return self.rules + tuple(rule for rules in (self.by_language or {}).values() for rule in rules)


def keep_if(
    name: str,
    rules: Sequence[Rule],
    by_language: Mapping[str, Sequence[Rule]] | None = None,
    *,
    annotate: bool = False,
) -> PageStage:
    """Marks a page with the first rule it fails; the rules after that one are not evaluated.

    `by_language`: the rules for each label of `page.language`. A page of any other label meets `rules`, and if it
    passes them its fate is `unsupported_language`, with the label as the value.
    `annotate`: instead, all rules are evaluated, their numbers stored as signals `<stage>.<rule>`; no page is marked.
    """
    chosen = None if by_language is None else {label: tuple(own) for label, own in by_language.items()}
    stage = PageStage(name, lambda pages: None, tuple(rules), chosen)

    def decide(page: Page) -> None:
        for rule in stage.rules_for(page.language):
            value = rule.measure(page)
            if not rule.passes(value):
                page.drop(name, rule.name, value)
                return
        if not stage.supports(page.language):
            page.drop(name, UNSUPPORTED, page.language)

    def store(page: Page) -> None:
        for rule in stage.rules_for(page.language):
            if rule.allowed is None:  # those look at text columns, which are stored anyway
                page.signals[f"{name}.{rule.name}"] = float(rule.measure(page))

    return replace(stage, run=_each(name, store if annotate else decide), probe=_trial(stage.every_rule))


def measure(name: str, rules: Sequence[Rule]) -> PageStage:
    """Writes the value of each measure to `page.signals` under the name of its rule; drops no page."""
    rules = tuple(rules)

    def store(page: Page) -> None:
        for rule in rules:
            page.signals[rule.name] = float(rule.measure(page))

    return PageStage(name, _each(name, store), rules, probe=_trial(rules))


def rewrite(name: str, edit: Edit, *, annotate: bool = False) -> PageStage:
    """Replaces the text by what `edit` returns, or marks the page with the `Drop` it returns.

    `annotate`: instead of the mark a signal `<stage>.<rule>` of 1 is stored, and the text stays as it was.
    """

    def run(pages: list[Page]) -> None:
        for page in pages:
            try:
                edited = edit(page)
            except Exception as error:
                _fail(page, name, error)
                continue
            if isinstance(edited, Drop) and annotate:
                page.signals[f"{name}.{edited.rule}"] = 1.0
            elif isinstance(edited, Drop):
                page.drop(name, edited.rule, edited.value)
            else:
                page.text = edited

    return PageStage(name, run, probe=lambda: _tried(name, edit))


def extract(name: str, engine: Callable[[str], str], second_look: SecondLook | None = None) -> PageStage:
    """Turns `html` into `text`. Pages that come with text (WET, JSONL, Parquet) pass as they are.

    `second_look` gets the page and the engine's text and returns the text to keep.
    """

    def run(pages: list[Page]) -> None:
        for page in pages:
            if page.html is None:
                continue
            try:
                text = engine(page.html)
                if second_look is not None:
                    text = second_look(page, text)
            except ExtractionFailed as failed:
                page.drop(name, failed.rule, error=str(failed)[:ERROR_CHARS])
                continue
            except Exception as error:
                _fail(page, name, error)
                continue
            if text:
                page.text, page.html = text, None
            else:
                page.drop(name, "no_text")

    return PageStage(name, run)


def annotate(name: str, score: Score, into: Sequence[str]) -> PageStage:
    """Writes what a model says of each page into the named columns, or into `scores` under names that are no column."""
    into = tuple(into)

    def write(page: Page, values: Sequence[Any]) -> None:
        for column, value in zip(into, values, strict=True):
            if column in ("language", "language_score"):
                setattr(page, column, value)
            else:  # as it will be stored, so that a rule sees one value whether a corpus stage lies between or not
                page.scores[column] = float(np.float32(value))

    def run(pages: list[Page]) -> None:
        try:
            for page, values in zip(pages, score(pages), strict=True):
                write(page, values)
        except Exception:  # one page broke the batch: find it by scoring one by one
            for page in pages:
                try:
                    write(page, score([page])[0])
                except Exception as error:
                    _fail(page, name, error)

    def probe() -> None:
        try:
            write(Page(""), score([Page("a")])[0])
        except CurationError:
            raise
        except Exception as error:
            raise ModelError(f"stage '{name}' cannot score a page: {type(error).__name__}: {error}") from error

    return PageStage(name, run, probe=probe, fills=into)


def _tried(name: str, edit: Edit) -> None:
    """Raises where an edit lacks something, such as a key file, that its settings name."""
    try:
        edit(Page(""))
    except CurationError:
        raise
    except Exception as error:
        raise SetUpError(f"stage '{name}' cannot edit a page: {type(error).__name__}: {error}") from error


def run_stages(stages: Sequence[PageStage], pages: list[Page]) -> None:
    """All stages over a chunk of pages, in order. Appends to each survivor's trail its length after the stage."""
    alive = [page for page in pages if page.alive]
    for stage in stages:
        stage.run(alive)
        alive = [page for page in alive if page.alive]
        for page in alive:
            page.trail.append(page.chars)


def _trial(rules: Sequence[Rule]) -> Callable[[], None]:
    """A probe of rules: measures are defined on the empty page, and one that lacks its word list says so."""

    def probe() -> None:
        for rule in rules:
            rule.measure(Page(""))

    return probe


def _each(name: str, treat: Callable[[Page], None]) -> Callable[[list[Page]], None]:
    """Treats page after page; an exception costs its page only."""

    def run(pages: list[Page]) -> None:
        for page in pages:
            try:
                treat(page)
            except Exception as error:
                _fail(page, name, error)

    return run


def _fail(page: Page, stage: str, error: Exception) -> None:
    if isinstance(error, CurationError):  # a missing model, word list or engine is no page's fault
        raise error
    page.drop(stage, "error", error=f"{type(error).__name__}: {error}"[:ERROR_CHARS])
