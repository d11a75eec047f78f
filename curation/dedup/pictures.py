"""The pictures of the deduplication notebooks, by matplotlib (extra `notebooks`). Each function returns a figure.

Colours are those of Okabe and Ito, which people of any colour vision can tell apart; where a colour says something, a
label or a mark says it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

from curation.dedup.curve import candidate_probability, threshold
from curation.dedup.scopes import Left

BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, BLACK = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
)  # fmt: skip
GREY, PALE = "#767676", "#d9d9d9"
DPI = 100
DARK = 0.83  # from here white letters stand out more on the blue of a grid than black ones
_SHARE = ticker.PercentFormatter(1.0, decimals=0)


def s_curves(settings: Sequence[tuple[int, int]], marked: tuple[int, int], points: Sequence[float]) -> Picture:
    """S-curves of (bands, rows); `marked` drawn strongly, with its probability at each similarity of `points`."""
    figure, (axes,) = _figure(8.6, 5.0)
    at = np.linspace(0, 1, 501)
    for bands, rows in settings:
        strong = (bands, rows) == marked
        axes.plot(
            at, candidate_probability(at, bands, rows), color=BLUE if strong else GREY, lw=2.8 if strong else 1.2,
            zorder=3 if strong else 2,
        )  # fmt: skip
        half = (1 - 0.5 ** (1 / bands)) ** (1 / rows)  # where the curve crosses one half
        axes.annotate(
            f"{bands}×{rows}", (half, 0.5), rotation=62, ha="center", va="center", fontsize=9,
            color=BLUE if strong else GREY, weight="bold" if strong else "normal",
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"}, zorder=4,
        )  # fmt: skip
    chances = candidate_probability(points, *marked)
    axes.plot(points, chances, "o", color=ORANGE, ms=6, zorder=5)
    for place, (similarity, chance) in enumerate(zip(points, chances.tolist(), strict=True)):
        axes.annotate(
            f"{similarity:g}: {chance:.1%}", (similarity, chance), xytext=(1.03, 0.60 + 0.09 * place), va="center",
            color=ORANGE, fontsize=10, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": ORANGE, "lw": 0.6, "alpha": 0.6},
        )  # fmt: skip
    axes.text(1.03, 0.60 + 0.09 * len(points), "similarity: probability", color=ORANGE, fontsize=9, va="center")
    nominal = threshold(*marked)
    axes.plot([nominal, nominal], [0, float(candidate_probability(nominal, *marked))], color=BLUE, ls=":", lw=1.4)
    axes.text(nominal + 0.008, 0.03, f"(1/{marked[0]})^(1/{marked[1]}) = {nominal:.2f}", color=BLUE, fontsize=9)
    axes.set(xlim=(0, 1), ylim=(0, 1.01), xlabel="true Jaccard similarity of two pages")
    axes.yaxis.set_major_formatter(_SHARE)
    _title(axes, "How likely two pages share a band: bands × rows per band", "probability of becoming a candidate pair")
    figure.subplots_adjust(right=0.8)
    return figure


def similarity_grid(names: Sequence[str], jaccard: np.ndarray, together: np.ndarray) -> Picture:
    """Heat map of each pair's true similarity. `together` (bool, as `jaccard`): pairs of one cluster, framed."""
    size = len(names)
    figure, (axes,) = _figure(8.4, 6.4)
    shown = np.ma.masked_where(np.triu(np.ones_like(jaccard, dtype=bool)), jaccard)
    axes.imshow(shown, cmap="Blues", vmin=0, vmax=1.15)  # above 1, so that text stays legible on the darkest blue
    for row in range(size):
        for column in range(row):
            value = jaccard[row, column]
            axes.text(
                column, row, f"{value:.2f}" if value >= 0.005 else "0", ha="center", va="center", fontsize=9,
                color="white" if value > DARK else BLACK if value >= 0.005 else GREY,
            )  # fmt: skip
            if together[row, column]:
                axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, ec=ORANGE, lw=2.6))
    labels = [name.replace("_", " ") for name in names]
    axes.set_xticks(range(size - 1), labels[:-1], rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(1, size), labels[1:])
    axes.set(xlim=(-0.5, size - 1.5), ylim=(size - 0.5, 0.5))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    _title(axes, "True Jaccard similarity of word 5-grams", "framed: one cluster, of which the pipeline kept one page")
    figure.subplots_adjust(left=0.2, bottom=0.22, right=0.98)
    return figure


def caught_grid(settings: Sequence[str], pairs: Sequence[str], chances: np.ndarray, caught: np.ndarray) -> Picture:
    """Pairs (rows) by settings (columns): the probability of being caught, and what the pipeline did.

    `chances` float and `caught` bool, [pairs, settings].
    """
    figure, (axes,) = _figure(8.6, 0.95 + 0.62 * len(pairs))
    axes.imshow(chances, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for row in range(len(pairs)):
        for column in range(len(settings)):
            chance, found = float(chances[row, column]), bool(caught[row, column])
            colour = "white" if chance > DARK else BLACK
            axes.text(column, row - 0.14, _percent(chance), ha="center", va="center", fontsize=10, color=colour)
            axes.text(
                column, row + 0.24, "caught" if found else "not caught", ha="center", va="center", fontsize=8.5,
                color=colour, weight="bold" if found else "normal",
            )  # fmt: skip
    axes.set_xticks(range(len(settings)), settings)
    axes.set_yticks(range(len(pairs)), pairs)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("How likely a pair is caught, and what happened (bands × rows)", fontsize=12, loc="left", pad=26)
    figure.subplots_adjust(left=0.27, right=0.98, top=0.78, bottom=0.04)
    return figure


def choice_of_rows(hashes: int, alike: float, unlike: float, marked: int) -> Picture:
    """Both errors for each number of rows when `hashes` values are spent: pairs of similarity `alike` missed, pairs of

    similarity `unlike` joined. `marked` = rows to point out.
    """
    figure, (axes,) = _figure(8.6, 4.4)
    rows = np.arange(1, 15)
    bands = hashes // rows
    missed = np.array([1 - candidate_probability(alike, b, r) for b, r in zip(bands, rows, strict=True)])
    joined = np.array([candidate_probability(unlike, b, r) for b, r in zip(bands, rows, strict=True)])
    axes.axvline(marked, color=PALE, lw=9, zorder=0)
    axes.annotate(
        f"{hashes // marked}×{marked}", (marked, 1.0), xytext=(9, 0), textcoords="offset points", va="top", color=GREY,
        fontsize=10,
    )  # fmt: skip
    for values, colour, label in (
        (joined, ORANGE, f"a pair of similarity {unlike:g}\nbecomes a candidate"),
        (missed, BLUE, f"a pair of similarity {alike:g}\nis missed"),
    ):
        axes.plot(rows, values, "o-", color=colour, lw=2, ms=5)
        at = 3 if colour == ORANGE else 12
        offset = (10, -6) if colour == ORANGE else (-12, 6)
        axes.annotate(
            label, (rows[at], values[at]), xytext=offset, textcoords="offset points", color=colour, fontsize=10,
            ha="left" if colour == ORANGE else "right",
        )  # fmt: skip
    axes.set_xticks(rows, [f"{r}\n{b}" for r, b in zip(rows, bands, strict=True)])
    axes.set(xlabel=f"rows per band (above), bands (below): at most {hashes} hashes", ylim=(-0.02, 1.02))
    axes.yaxis.set_major_formatter(_SHARE)
    _title(axes, f"Fewer rows join strangers, more rows miss copies: {hashes} hashes", "probability")
    figure.subplots_adjust(bottom=0.2)
    return figure


def removals_by_snapshot(left: Sequence[Left], unit: str = "characters") -> Picture:
    """What each scope leaves and removes of each snapshot, oldest on top. `unit`: characters or documents."""
    scopes = list(dict.fromkeys(one.scope for one in left))
    count = len(left) // len(scopes)
    figure, panels = _figure(9.4, 1.5 + 0.42 * count, columns=len(scopes))
    most = max((one.chars if unit == "characters" else one.documents) for one in left)
    divisor, word = (1e6, "million ") if most > 2e6 else (1e3, "thousand ") if most > 2e4 else (1, "")
    for axes, scope in zip(panels, scopes, strict=True):
        rows = [one for one in left if one.scope == scope]
        whole = np.array([one.chars if unit == "characters" else one.documents for one in rows]) / divisor
        gone = np.array([one.chars_removed if unit == "characters" else one.removed for one in rows]) / divisor
        place = np.arange(len(rows))
        axes.barh(place, whole - gone, color=BLUE, height=0.7)
        axes.barh(place, gone, left=whole - gone, color=PALE, height=0.7, hatch="///", edgecolor="white", lw=0)
        for at, (stays, all_of) in enumerate(zip(whole - gone, whole, strict=True)):
            share = stays / all_of if all_of else 0.0
            axes.text(all_of + whole.max() * 0.015, at, f"{_percent(share)} stays", va="center", fontsize=9)
        axes.set_yticks(place, [one.snapshot for one in rows] if axes is panels[0] else [""] * len(rows))
        axes.set(ylim=(len(rows) - 0.4, -0.6), xlim=(0, whole.max() * 1.27), xlabel=word + unit)
        axes.tick_params(axis="y", length=0)
        name = "each snapshot on its own" if scope == "snapshot" else "all snapshots together"
        axes.set_title(f"scope: {scope}\n{name}", fontsize=11, loc="left")
    figure.suptitle("What deduplication leaves (blue) and removes (hatched), oldest snapshot on top", x=0.02, ha="left")
    figure.tight_layout()
    return figure


def shares(groups: Mapping[str, tuple[int, int]], title: str, yes: str, no: str) -> Picture:
    """One bar for each group: `yes` of all, given as (how many, of how many)."""
    figure, (axes,) = _figure(8.6, 1.3 + 0.55 * len(groups))
    for place, (how_many, of) in enumerate(groups.values()):
        share = how_many / of if of else 0.0
        axes.barh(place, share, color=GREEN, height=0.62)
        axes.barh(place, 1 - share, left=share, color=PALE, height=0.62, hatch="///", edgecolor="white", lw=0)
        axes.text(1.012, place, f"{share:.0%} of {of:,}", va="center", fontsize=10)
    axes.set_yticks(range(len(groups)), groups.keys())
    axes.set(ylim=(len(groups) - 0.5, -0.5), xlim=(0, 1), xlabel=f"share of documents: {yes} (green), {no} (hatched)")
    axes.xaxis.set_major_formatter(_SHARE)
    axes.tick_params(axis="y", length=0)
    axes.set_title(title, fontsize=12, loc="left")
    figure.tight_layout()
    figure.subplots_adjust(right=0.86)
    return figure


class Picture(Figure):
    """A figure that a notebook shows by itself. Made without pyplot, so nothing stays open behind it."""

    def _repr_png_(self) -> bytes:
        drawn, written = BytesIO(), BytesIO()
        self.savefig(drawn, format="png", dpi=DPI)
        # 64 colours are enough for flat areas and the edges of letters, and a third of the bytes.
        Image.open(drawn).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(written, "png", optimize=True)
        return written.getvalue()


def _figure(width: float, height: float, columns: int = 1) -> tuple[Picture, list[Axes]]:
    """A figure of inches x inches with panels side by side."""
    figure = Picture(figsize=(width, height), dpi=DPI)
    panels = [figure.add_subplot(1, columns, 1 + n) for n in range(columns)]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _title(axes: Axes, title: str, below: str) -> None:
    """A title, and under it in grey what the vertical axis or the marks mean: read first, and level."""
    axes.set_title(title, fontsize=12, loc="left", pad=20)
    axes.text(0, 1.02, below, transform=axes.transAxes, fontsize=9.5, color=GREY, va="bottom")


def _percent(share: float) -> str:
    """A probability that is neither 0 nor 1 does not look as if it were.

    >>> _percent(0.0), _percent(0.0002), _percent(0.081), _percent(0.99996)
    ('0%', '<0.1%', '8.1%', '>99.9%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"
