"""Small SVG charts: no script, no library, colours from the page's CSS so that they follow light and dark.

Each is one `<svg role="img">` with a `<title>` that says what a sighted reader sees; each bar has its own tooltip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 540, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 14, 46
_THINNEST = 0.5  # percent of the width


@dataclass(frozen=True)
class Part:
    """A piece of a bar: what it is, how much, the CSS class that colours it."""

    label: str
    value: float
    css: str


@dataclass(frozen=True)
class Series:
    """One distribution: a value and a tooltip for each bin. The first series is drawn filled, others as an outline."""

    label: str
    values: Sequence[float]
    tips: Sequence[str]
    css: str


def stacked_bar(parts: Sequence[Part], scale: float, title: str, height: int = 14) -> Markup:
    """One horizontal bar. `scale` is the value of the full width, in the unit of the parts.

    >>> '<rect class="kept" x="0.00" width="50.00"' in stacked_bar([Part("kept", 1, "kept")], 2, "half")
    True
    """
    pieces, x = [], 0.0
    for part in parts:
        width = 100 * max(part.value, 0) / scale if scale > 0 else 0.0
        if width > 0:
            width = max(width, _THINNEST)  # a few failures among millions stay visible
            x = min(x, 100 - width)
            pieces.append(
                Markup('<rect class="{}" x="{:.2f}" width="{:.2f}" y="0" height="10"><title>{}</title></rect>').format(
                    part.css, x, width, part.label
                )
            )
            x += width
    head = Markup(
        '<svg class="bar" role="img" viewBox="0 0 100 10" preserveAspectRatio="none" height="{}"><title>{}</title>'
    )
    return head.format(height, title) + Markup("").join(pieces) + Markup("</svg>")


def histogram(
    series: Sequence[Series], ticks: Sequence[tuple[float, str]], title: str, x_label: str, y_label: str
) -> Markup:
    """Bars over equal bins. `ticks` are (position in bins, text) on the x axis; units belong into the axis labels."""
    bins = len(series[0].values)
    top = _nice_ceiling(max(max(s.values) for s in series))
    if all(isinstance(value, int) for s in series for value in s.values) and top < 20:
        top = 4 * math.ceil(top / 4)  # no half pages at the grid lines
    step = (_WIDTH - _LEFT - _RIGHT) / bins
    base = _HEIGHT - _BOTTOM

    def x_of(position: float) -> float:
        return _LEFT + position * step

    def y_of(value: float) -> float:
        return base - (base - _TOP) * value / top

    parts = [_y_axis(top, y_of), _bars(series[0], x_of, y_of, step, base)]
    parts += [_outline(other, x_of, y_of, base) for other in series[1:]]
    for position, text in ticks:
        parts.append(_text(x_of(position), base + 16, text, "middle"))
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, x_label, "middle", "axis"))
    parts.append(_turned((_TOP + base) / 2, y_label))
    return _chart(parts, title)


@dataclass(frozen=True)
class Line:
    """A line through points (x, y), both from 0 to 1, with the CSS class of its colour; `dots` marks the points."""

    label: str
    points: Sequence[tuple[float, float]]
    css: str
    dots: bool = False


def unit_square(lines: Sequence[Line], title: str, x_label: str, y_label: str) -> Markup:
    """Lines over x and y from 0 to 1, such as ROC and calibration curves."""
    base, span = _HEIGHT - _BOTTOM, _WIDTH - _LEFT - _RIGHT

    def x_of(value: float) -> float:
        return _LEFT + span * value

    def y_of(value: float) -> float:
        return base - (base - _TOP) * value

    parts = [_y_axis(1, y_of)]
    for line in lines:
        path = "".join(f"{'L' if i else 'M'}{x_of(x):.1f} {y_of(y):.1f}" for i, (x, y) in enumerate(line.points))
        drawn = Markup('<path class="outline {}" d="{}"><title>{}</title></path>').format(line.css, path, line.label)
        dot = Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4"><title>{:.3f}, {:.3f}</title></circle>')
        parts.append(drawn)
        parts += [dot.format(line.css, x_of(x), y_of(y), x, y) for x, y in line.points if line.dots]
    parts += [_text(x_of(quarter / 4), base + 16, f"{quarter / 4:g}", "middle") for quarter in range(5)]
    parts += [_text(x_of(0.5), _HEIGHT - 6, x_label, "middle", "axis"), _turned(y_of(0.5), y_label)]
    return _chart(parts, title)


def _chart(parts: Sequence[Markup], title: str) -> Markup:
    head = Markup('<svg class="chart" role="img" viewBox="0 0 {} {}"><title>{}</title>').format(_WIDTH, _HEIGHT, title)
    return head + Markup("").join(parts) + Markup("</svg>")


def _turned(y: float, text: str) -> Markup:
    place = Markup('<text class="axis" text-anchor="middle" transform="translate(12 {:.1f}) rotate(-90)">{}</text>')
    return place.format(y, text)


def _y_axis(top: float, y_of) -> Markup:
    lines = []
    for quarter in range(5):
        value = top * quarter / 4
        line = Markup('<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>')
        css = "base" if quarter == 0 else "grid"
        lines.append(line.format(css, _LEFT, _WIDTH - _RIGHT, y_of(value), y_of(value)))
        lines.append(_text(_LEFT - 6, y_of(value) + 4, f"{value:,.10g}", "end"))
    return Markup("").join(lines)


def _bars(series: Series, x_of, y_of, step: float, base: float) -> Markup:
    bar = Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>')
    gap = min(1.5, step / 5)
    drawn = [
        bar.format(series.css, x_of(i) + gap / 2, y_of(value), step - gap, base - y_of(value), tip)
        for i, (value, tip) in enumerate(zip(series.values, series.tips, strict=True))
        if value > 0
    ]
    return Markup("").join(drawn)


def _outline(series: Series, x_of, y_of, base: float) -> Markup:
    points = [f"M{x_of(0):.1f} {base:.1f}"]
    for i, value in enumerate(series.values):
        points.append(f"V{y_of(value):.1f}H{x_of(i + 1):.1f}")
    path = "".join([*points, f"V{base:.1f}"])
    return Markup('<path class="outline {}" d="{}"><title>{}</title></path>').format(series.css, path, series.label)


def _text(x: float, y: float, text: str, anchor: str, css: str = "tick") -> Markup:
    place = Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
    return place.format(css, x, y, anchor, escape(text))


def _nice_ceiling(value: float) -> float:
    """A round number at or above the value whose quarters are round too: they name the four grid lines.

    >>> [_nice_ceiling(v) for v in (0, 0.3, 7, 46)]
    [1.0, 0.32, 8.0, 60.0]
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    ceilings = (float(f"{first * power:.10g}") for first in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10))
    return next(ceiling for ceiling in ceilings if ceiling >= value * (1 - 1e-12))
