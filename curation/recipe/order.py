"""Where in a recipe a measure of the HTML may stand: it has a value only while the page still has its HTML."""

from __future__ import annotations

from collections.abc import Sequence

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
