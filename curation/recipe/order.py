"""What must stand before what in a recipe: HTML is measured while it is there, a score read once it is written."""

from __future__ import annotations

from collections.abc import Sequence

from curation.errors import did_you_mean
from curation.recipe.catalog import SCORES
from curation.recipe.rule_names import measure_name, rule_name

OF_THE_HTML = ("html.visible_character_count", "html.link_density")
KEPT = "html.kept_text_fraction"
VISIBLE = "visible_character_count"  # the signal that KEPT divides by


def check_order(stages: Sequence[tuple[str, dict]], mistakes: list[str]) -> None:
    """Adds a sentence for each stage that would measure HTML that is gone, or divide by a signal never stored."""
    extracted, visible = False, False
    for name, body in stages:
        verb = "measure" if "measure" in body else "keep_if"
        rules = body.get(verb) if isinstance(body.get(verb), list) else []
        measures = [measure_name(rule) for rule in rules]
        if extracted:
            mistakes += [
                f"stage '{name}': {measure} needs the HTML; put the stage before the extraction"
                for measure in measures
                if measure in OF_THE_HTML
            ]
        if KEPT in measures and not (extracted and visible):
            mistakes.append(
                f"stage '{name}': {KEPT} needs a stage `measure: [{{{OF_THE_HTML[0]}: {{}}}}]` before the extraction, "
                "and must stand after it"
            )
        visible = visible or (verb == "measure" and VISIBLE in map(rule_name, rules) and OF_THE_HTML[0] in measures)
        extracted = extracted or "extract" in body


def check_scores(stages: Sequence[tuple[str, dict]], mistakes: list[str]) -> None:
    """Adds a sentence for each score that a rule or a corpus stage reads and no annotation before it writes."""
    written: list[str] = []
    for name, body in stages:
        mistakes += [
            f"stage '{name}': no stage before it writes the score '{score}'; {did_you_mean(score, written)}"
            for score in _scores_read(body)
            if score not in written
        ]
        into = body.get("into", []) if "annotate" in body else []
        written += [into] if isinstance(into, str) else [str(column) for column in into]


def _scores_read(body: dict) -> list[str]:
    verb = "measure" if "measure" in body else "keep_if"
    rules = body.get(verb) if isinstance(body.get(verb), list) else []
    named = [measure_name(rule) for rule in rules]
    read = [measure.removeprefix(SCORES) for measure in named if measure.startswith(SCORES)]
    if "corpus" in body and body.get("score") is not None:
        read.append(str(body["score"]))
    return read
