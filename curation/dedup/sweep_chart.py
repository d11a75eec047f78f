"""The picture of a sweep: each setting's S-curve, and what was measured on the sample, as one SVG file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from curation.dedup.curve import candidate_probability
from curation.dedup.sweep import Outcome, parse_setting

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")  # Okabe and Ito: safe for all
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _PLOT = 900, 460, 60, 40, 60, 500
_ROW = 34  # pixels of one line of the legend
_APART = 5  # pixels between the dots of two settings in one bin, which would hide each other
_DASHED = "7 5"  # a curve that lies on an earlier one: same bands and rows, other shingles


def sweep_chart(outcomes: Sequence[Outcome], similar_at: float) -> str:
    """Curves are the theory; a dot is a bin of sampled pairs (0.05 wide), its size the number of pairs.

    Dots of several settings stand side by side inside their bin. Colours repeat after seven settings.
    """
    curves = [parse_setting(one.setting)[1:] for one in outcomes]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {max(_HEIGHT, _ROW * len(outcomes) + 110)}" '
        'font-family="sans-serif" font-size="13">',
        "<title>How likely a pair of pages becomes a candidate, by its true Jaccard similarity</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        *_axes(similar_at),
    ]
    for number, outcome in enumerate(outcomes):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = f' stroke-dasharray="{_DASHED}"' if curves[number] in curves[:number] else ""
        aside = _APART * (number - (len(outcomes) - 1) / 2)
        parts += [_curve(outcome, colour, dash), *_dots(outcome, colour, aside)]
        parts += _legend(outcome, number, colour, dash)
    return "\n".join([*parts, "</svg>", ""])


def _x(similarity: float) -> float:
    return _LEFT + _PLOT * similarity


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * share


def _axes(similar_at: float) -> list[str]:
    parts = []
    for tick in np.arange(0, 1.01, 0.2):
        parts += [
            f'<path d="M{_x(tick):.1f} {_y(0):.1f}V{_y(1):.1f}M{_x(0):.1f} {_y(tick):.1f}H{_x(1):.1f}" stroke="#ddd"/>',
            f'<text x="{_x(tick):.1f}" y="{_y(0) + 18:.1f}" text-anchor="middle">{tick:.1f}</text>',
            f'<text x="{_x(0) - 8:.1f}" y="{_y(tick) + 4:.1f}" text-anchor="end">{tick:.0%}</text>',
        ]
    return [
        *parts,
        f'<path d="M{_x(similar_at):.1f} {_y(0):.1f}V{_y(1):.1f}" stroke="#888" stroke-dasharray="4 4"/>',
        f'<text x="{_x(similar_at):.1f}" y="{_TOP - 8}" text-anchor="middle">similar from {similar_at:g}</text>',
        f'<text x="{_x(0.5):.1f}" y="{_HEIGHT - 18}" text-anchor="middle">true Jaccard similarity of a pair</text>',
        f'<text x="{_x(0):.1f}" y="18" text-anchor="start">pairs that become candidates</text>',
        f'<text x="{_x(1) + 30:.1f}" y="18" fill="#555" font-size="12">line: expected by the S-curve</text>',
        f'<text x="{_x(1) + 30:.1f}" y="34" fill="#555" font-size="12">dot: measured, the larger the more pairs</text>',
    ]


def _curve(outcome: Outcome, colour: str, dash: str) -> str:
    _, bands, rows = parse_setting(outcome.setting)
    at = np.linspace(0, 1, 201)
    shares = candidate_probability(at, bands, rows)
    path = "L".join(f"{_x(s):.1f} {_y(p):.1f}" for s, p in zip(at.tolist(), shares.tolist(), strict=True))
    return f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'


def _dots(outcome: Outcome, colour: str, aside: float) -> list[str]:
    dots = []
    for rate in outcome.rates:
        share, radius = rate.candidates / rate.pairs, 2 + 1.2 * np.log10(rate.pairs)
        tip = f"{outcome.setting}: {rate.candidates} of {rate.pairs} pairs at {rate.low:g} to {rate.high:g}"
        dots.append(
            f'<circle cx="{_x((rate.low + rate.high) / 2) + aside:.1f}" cy="{_y(share):.1f}" r="{radius:.1f}" '
            f'fill="{colour}" fill-opacity="0.8"><title>{escape(tip)}</title></circle>'
        )
    return dots


def _legend(outcome: Outcome, number: int, colour: str, dash: str) -> list[str]:
    top, left = _TOP + 30 + _ROW * number, _LEFT + _PLOT + 30
    measured = ", ".join(
        f"{name} {value:.2f}" for name, value in (("recall", outcome.recall), ("precision", outcome.precision))
        if value is not None
    )  # fmt: skip
    return [
        f'<path d="M{left} {top}h22" stroke="{colour}" stroke-width="3"{dash}/>',
        f'<text x="{left + 30}" y="{top + 4}">{escape(outcome.setting)}: removes {outcome.removed_share:.1%}</text>',
        f'<text x="{left + 30}" y="{top + 18}" fill="#555" font-size="11">{measured or "no pair in the sample"}</text>',
    ]
