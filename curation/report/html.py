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

from curation.report import sections
from curation.report.cascade import cascade_sentence
from curation.report.gather import RunFacts, gather
from curation.report.numbers import duration, exact, percent, short

FILES_SHOWN = 12


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
    environment.filters.update(number=_number, duration=duration, exact=exact)
    return environment.get_template("report.html.jinja").render(_context(facts))


def _number(value: float | None, unit: str = "") -> Markup:
    """A short number with the exact one in the title."""
    title = f"{exact(value)} {unit}".strip()
    return Markup('<span class="n" title="{}">{}</span>').format(title, short(value))


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
        "kept_samples": facts.kept.samples.get("kept", []) if facts.kept else [],
        "dropped_samples": sections.dropped_samples(facts),
        "files": facts.files[: max(FILES_SHOWN, troubled)],
        "troubled": troubled,
        "token_rows": sections.token_rows(facts.tokens),
        "mixture_rows": sections.mixture_rows(facts.mixture),
        "compression": sections.compression_rows(facts.tokens),
        "tokens": _tokens(facts),
    }


def _tokens(facts: RunFacts) -> tuple[int | None, str]:
    """Tokens and how they are known: counted in the shards, else the funnel's estimate."""
    rows = sections.token_rows(facts.tokens)
    if rows:
        return sum(row["tokens"] for row in rows), "counted in the shards"
    known = [stage["tokens_out"] for stage in facts.funnel["stages"] if stage.get("tokens_out") is not None]
    return (known[-1], "estimated from characters") if known else (None, "not counted in this run")


def _as_yaml(recipe: Any) -> str | None:
    if recipe is None:
        return None
    return yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=110)
