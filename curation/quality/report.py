"""report.json and report.html of a trained classifier: figures, curves and words, in the dress of the run report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.table import Table

from curation.report.charts import Line, Series, histogram, unit_square
from curation.report.numbers import exact, percent
from curation.run.folder import write_json
from curation.score.ratings import BEST


def write_report(report: dict[str, Any], out: Path) -> Path:
    """Writes report.json and report.html into `out`; returns the path of the page."""
    write_json(out / "report.json", report)
    path = out / "report.html"
    path.write_text(render(report), encoding="utf-8", errors="replace")
    return path


def render(report: dict[str, Any]) -> str:
    """The page as text. Words on it come from web pages: everything is escaped, and nothing is loaded."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("curation.quality", ""), PackageLoader("curation.report", "")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(exact=exact, share=lambda value: percent(value, 1))
    template = environment.get_template("quality_report.html.jinja")
    return template.render(report=report, charts=_charts(report), sides=_sides(report))


def summary_table(report: dict[str, Any]) -> Table:
    """The figures for a terminal."""
    table = Table("held out", "", title="how well it tells good texts from others")
    at = report["at_threshold"]
    rows = [
        ("texts, hosts", f"{exact(report['held_out']['texts'])}, {exact(report['held_out']['hosts'])}"),
        ("good among them", percent(report["share_good"], 1)),
        ("ROC AUC", f"{report['auc']:.4f}"),
        ("average precision", f"{report['average_precision']:.4f}"),
        (f"F1 at {at['threshold']:g}", f"{at['f1']:.4f}  (precision {at['precision']:.3f}, recall {at['recall']:.3f})"),
    ]
    if report["rated"]:
        rows.append(("mean error of the rating", f"{report['mean_error']:.3f}"))
    for name, value in rows:
        table.add_row(name, value)
    return table


def _sides(report: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    return [("trained on", report["trained_on"]), ("held out", report["held_out"])]


def _charts(report: dict[str, Any]) -> dict[str, Markup]:
    top = BEST if report["rated"] else 1
    auc, precision = report["auc"], report["average_precision"]
    share = report["share_good"]
    told = [(point["score"] / top, point["truth"] / top) for point in report["calibration"]]
    return {
        "roc": unit_square(
            [Line("by chance", [(0, 0), (1, 1)], "base"), Line(f"AUC {auc:.4f}", report["roc"], "kept")],
            f"ROC curve, area {auc:.4f}",
            "share of the others kept",
            "share of the good kept",
        ),
        "precision_recall": unit_square(
            [
                Line("by chance", [(0, share), (1, share)], "base"),
                Line(f"average precision {precision:.4f}", report["precision_recall"], "kept"),
            ],
            f"precision by recall, average {precision:.4f}",
            "recall: share of the good kept",
            "precision: share good of what is kept",
        ),
        "calibration": unit_square(
            [Line("said and true agree", [(0, 0), (1, 1)], "base"), Line("held out", told, "kept", dots=True)],
            "calibration: what the score says and what is true",
            f"mean score{' / 5' if report['rated'] else ''}",
            "mean rating / 5" if report["rated"] else "share good",
        ),
        "scores": _score_chart(report, top),
    }


def _score_chart(report: dict[str, Any], top: int) -> Markup:
    series = []
    for name, css, counts in zip(("good", "others"), ("kept", "dropped"), report["histogram"], strict=True):
        total = max(1, sum(counts))
        step = top / len(counts)
        tips = [f"{i * step:.2f} to {(i + 1) * step:.2f}: {exact(count)} {name}" for i, count in enumerate(counts)]
        series.append(Series(f"{exact(total)} {name}", [100 * count / total for count in counts], tips, css))
    ticks = [(len(series[0].values) * i / 5, f"{top * i / 5:g}") for i in range(6)]
    return histogram(
        series, ticks, "scores of held-out texts: good filled, others as a line", "score", "% of the texts"
    )
