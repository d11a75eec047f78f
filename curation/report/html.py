"""`report.html`: one page, complete in itself, that shows what a run did with its pages.

Texts and addresses on it come from the web and are taken as hostile: everything is escaped, nothing of it is a link,
there is no script, and the page's own policy forbids loading anything.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from curation.report import handover, sections, tokenizer
from curation.report.cascade import cascade_sentence
from curation.report.gather import RunFacts, gather
from curation.report.numbers import duration, exact, fixed, percent, short

FILES_SHOWN = 12
CLUSTERS_OPEN = 5  # of the largest clusters, the rest is folded away
ADDRESS_CHARS = 500  # of an address that are shown at all; on the web they have a few hundred
RATES_SHOWN = 12  # languages of the compression table that are not folded away


def write_report(run: Path) -> Path:
    """Write RUN/report.html from what the run folder holds and return its path.

    InputError when RUN/funnel.json is missing; for every other absent file the page says what cannot be shown.
    """
    run = Path(run)
    page = render(gather(run))
    path = run / "report.html"
    attempt = run / f".report.html.{os.getpid()}.tmp"
    attempt.write_bytes(page.encode("utf-8", errors="replace"))  # JSON may carry lone surrogates
    attempt.replace(path)
    return path


def render(facts: RunFacts) -> str:
    """The page as text; a pure function of the facts."""
    environment = Environment(
        loader=PackageLoader("curation.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=_number,
        counted=_counted,
        duration=duration,
        exact=exact,
        fixed=fixed,
        share=_share,
        sentence=_sentence,
        address=_address,
    )
    return environment.get_template("report.html.jinja").render(_context(facts))


def _number(value: float | None, unit: str = "") -> Markup:
    """A short number with the exact one in the title."""
    title = f"{exact(value)} {unit}".strip()
    return Markup('<span class="n" title="{}">{}</span>').format(title, short(value))


def _counted(value: int, thing: str) -> Markup:
    """A short number and what it counts: one page, two pages."""
    return _number(value, thing + "s" * (value != 1)) + Markup(" {}").format(thing + "s" * (value != 1))


def _address(url: str) -> Markup:
    """An address on a line of its own, which the page cuts where it does not fit; whole in the title, within reason."""
    shown = url if len(url) <= ADDRESS_CHARS else url[: ADDRESS_CHARS - 1] + "\u2026"
    return Markup('<bdi class="address" title="{}">{}</bdi>').format(shown, shown)


def _share(part: float) -> str:
    return percent(part, 1)


def _sentence(told: str) -> str:
    """What the terminal says in a line of its own, as a sentence; names keep their first letter.

    >>> _sentence("measured on 3 documents"), _sentence("web is capped")
    ('Measured on 3 documents.', 'web is capped.')
    """
    known = told.startswith(("measured on", "too small", "sample", "pre-tokens", "the texts"))
    return f"{told[:1].upper() if known else told[:1]}{told[1:]}{'' if told.endswith('.') else '.'}"


def _context(facts: RunFacts) -> dict[str, Any]:
    manifest = facts.manifest or {}
    started, seconds = sections.times(manifest)
    troubled = sum(not file.sound for file in facts.files)
    return {
        "facts": facts,
        "funnel": facts.funnel,
        "manifest": manifest,
        "recipe_text": _as_yaml(manifest.get("resolved")),
        "inputs": sections.input_lines(manifest),
        "started": started,
        "seconds": seconds,
        "kept_share": percent(facts.pages_kept, facts.pages_read),
        "text_stage": sections.text_stage(facts.funnel),
        "stages": sections.funnel_rows(facts.funnel),
        "cascade": cascade_sentence(facts.funnel),
        "snapshots": sections.snapshot_rows(facts.funnel),
        "languages": sections.language_rows(facts.kept, facts.dropped),
        "hosts": sections.host_rows(facts.kept),
        "lengths": sections.length_chart(facts.kept, facts.dropped),
        "removals": [(removals, sections.removal_charts(removals)) for removals in facts.removals],
        "removed": sum(removals.removed for removals in facts.removals),
        "masked": sections.masked_rows(facts.kept),
        "cuts": sections.cut_rows(facts),
        "clusters_open": CLUSTERS_OPEN,
        "step_times": sections.step_times(manifest),
        "kept_samples": facts.kept.samples.get("kept", []) if facts.kept else [],
        "dropped_samples": sections.dropped_samples(facts),
        "files": facts.files[: max(FILES_SHOWN, troubled)],
        "troubled": troubled,
        **_handover(facts),
        "tokens": _tokens(facts),
    }


def _handover(facts: RunFacts) -> dict[str, Any]:
    """What stands under "Tokens and mixture"."""
    told, phases = facts.tokenizer, handover.phase_rows(facts.mixture)
    by_source = handover.compression_rows(facts.tokens, "compression_by_source")
    return {
        "token_rows": handover.token_rows(facts.tokens),
        "compression": handover.compression_rows(facts.tokens),
        "compression_by_source": by_source,
        "rates_shown": RATES_SHOWN,
        "rungs": tokenizer.rungs(told),
        "rungs_by_language": tokenizer.rates_by(told, "language"),
        "rungs_by_source": tokenizer.rates_by(told, "source"),
        "judged": tokenizer.judged_sentences(told or {}),
        "trained": tokenizer.training_sentences(told or {}),
        "warned": tokenizer.warnings(told),
        "mixture_rows": handover.mixture_rows(facts.mixture),
        "worth": handover.mixture_worth(facts.mixture),
        "phases": phases,
        "phase_bar": handover.phase_bar(phases),
    }


def _tokens(facts: RunFacts) -> tuple[int | None, str]:
    """Tokens and how they are known: counted in the shards, else the funnel's estimate."""
    rows = handover.token_rows(facts.tokens)
    if rows:
        return sum(row["tokens"] for row in rows), "counted in the shards"
    known = [stage["tokens_out"] for stage in facts.funnel["stages"] if stage.get("tokens_out") is not None]
    return (known[-1], "estimated from characters") if known else (None, "not counted in this run")


def _as_yaml(recipe: Any) -> str | None:
    if recipe is None:
        return None
    return yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=110)
