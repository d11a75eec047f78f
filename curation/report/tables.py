"""Terminal tables of a run: the funnel, the reasons, the input files. Each fits the width it is told, 80 or more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from curation.report.folder import file_states, rule_of, top_reason
from curation.report.numbers import DASH, exact, percent, short

WIDE = 100  # columns from which a table shows all it has
_WIDEST_EXACT = 10**8  # beyond nine digits a page count no longer leaves room for the reason
_WIDEST_NARROW = 10**5


def funnel_table(funnel: Mapping[str, Any], width: int = WIDE) -> Table:
    """One row per stage. Pages are exact below 100 million; characters and tokens have three significant digits.

    Below 100 columns the pages that came in (those kept by the stage before) and the top reason are left out, and pages
    are exact below 100,000. A `~` before tokens says that they are estimated from characters, not counted.
    """
    wide, widest = width >= WIDE, _widest(width)
    read = max((stage["pages_in"] for stage in funnel["stages"]), default=0)
    table = compact_table(f"{funnel.get('recipe', 'run')}: what each stage kept of {exact(read)} pages")
    table.add_column("stage", overflow="ellipsis", no_wrap=True, max_width=24)
    counted = ("pages_in", "kept", "dropped", "failed")[0 if wide else 1 :]
    for name in (*(key.replace("_", " ") for key in counted), "% kept", "chars out", "tokens"):
        table.add_column(name, justify="right", no_wrap=True)
    if wide:
        table.add_column("top reason", overflow="ellipsis")  # the one that may shrink, so that no number is cut
    estimated = "~" if funnel.get("tokens_estimated") else ""
    for stage in funnel["stages"]:
        top, tokens = top_reason(stage), stage.get("tokens_out")
        counts = [Text(_pages(stage[key], widest)) for key in counted]
        if stage["failed"]:
            counts[-1].stylize("red")
        reason = _plain(rule_of(top["reason"], stage["stage"]) if top else "", no_wrap=True)
        table.add_row(
            _plain(stage["stage"]),
            *counts,
            percent(stage["kept"], stage["pages_in"]).replace(" %", ""),
            short(stage["chars_out"]),
            DASH if tokens is None else estimated + short(tokens),
            *([reason] if wide else []),
        )
    if funnel.get("balanced") is False:
        table.caption = Text("The books do not balance: pages or characters are missing under every fate.", "bold red")
    else:
        table.caption = "A page counts under the first rule it failed: counts depend on the order of the stages."
    return table


def reasons_table(funnel: Mapping[str, Any], limit: int = 40, width: int = WIDE) -> Table:
    """Reasons of all stages, most pages first; `limit` rows, the rest summed up in the caption.

    Below 100 columns without their characters, so that the names of long rules stay whole.
    """
    wide = width >= WIDE
    reasons = [reason for stage in funnel["stages"] for reason in stage.get("reasons") or []]
    reasons.sort(key=lambda reason: (-reason["pages"], reason["reason"]))
    total = sum(reason["pages"] for reason in reasons)
    table = compact_table("why pages were dropped or failed")
    table.add_column("reason", overflow="fold", max_width=56)
    for name in ("pages", "% of these", "chars")[: 3 if wide else 2]:
        table.add_column(name, justify="right", no_wrap=True)
    for reason in reasons[:limit]:
        share = percent(reason["pages"], total).replace(" %", "")
        chars = [short(reason.get("chars"))] if wide else []
        table.add_row(_plain(reason["reason"]), _pages(reason["pages"], _widest(width)), share, *chars)
    rest = reasons[limit:]
    if rest:
        table.caption = f"and {len(rest)} more reasons with {exact(sum(r['pages'] for r in rest))} pages"
    return table


def files_table(manifest: Mapping[str, Any], limit: int = 20, width: int = WIDE) -> Table:
    """Input files with their state, troubled ones first and in colour; `limit` rows, the rest counted in the caption.

    Troubled files are all listed, whatever the limit.
    """
    files = file_states(manifest)
    troubled = sum(not file.sound for file in files)
    table = compact_table(f"{exact(len(files))} input files, {exact(troubled)} not sound")
    room = min(52, max(24, width - 40))  # the other columns take 40 where numbers are as wide as their heads
    table.add_column("file", overflow="fold", max_width=room)
    table.add_column("state", no_wrap=True)
    for name in ("records", "pages", "damaged"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = files[: max(limit, troubled)]
    for file in shown:
        style = "" if file.sound else "bold red"
        counts = (_pages(count, _widest(width)) for count in (file.records, file.pages, file.damaged))
        table.add_row(_path(file.name, room), Text(file.state, style), *counts)
    if len(files) > len(shown):
        table.caption = f"and {exact(len(files) - len(shown))} more complete files"
    return table


def items_table(stage: str, benchmarks: Sequence[Mapping[str, Any]]) -> Table:
    """What a decontamination stage found: rows of `curation.report.benchmarks.count_states`."""
    table = compact_table(f"{stage}: benchmark items")
    table.add_column("benchmark", overflow="fold", max_width=32)
    for name in ("items", "found", "only frequent", "clean", "uncheckable", "highest share"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in benchmarks:
        counts = [exact(row[name]) for name in ("items", "found", "frequent", "clean", "uncheckable")]
        table.add_row(_plain(row["benchmark"]), *counts, f"{row['highest_ratio']:.0%}")
    table.caption = "Uncheckable: no field as long as an n-gram. Only frequent: what was found is in many documents."
    return table


def compact_table(title: str) -> Table:
    """A table without a frame, two spaces between columns: the look of all tables of the commands."""
    table = Table(title=_plain(title), title_justify="left", caption_justify="left", box=box.SIMPLE_HEAD)
    table.pad_edge, table.padding = False, (0, 1, 0, 0)
    return table


def _widest(width: int) -> int:
    """The number from which counts are rounded."""
    return _WIDEST_EXACT if width >= WIDE else _WIDEST_NARROW


def _pages(number: int, widest: int) -> str:
    return exact(number) if abs(number) < widest else short(number)


def _path(name: str, room: int) -> Text:
    """A path in lines that end behind a slash, as far as its parts fit into `room` columns."""
    lines = [""]
    for part in name.replace("/", "/\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(part) > room:
            lines.append("")
        lines[-1] += part
    return Text("\n").join(_plain(line) for line in lines)


def _plain(text: str, no_wrap: bool | None = None) -> Text:
    """Names come from files and lists of others: no rich markup and no terminal control codes may act from them."""
    return Text("".join(char if char.isprintable() else "\ufffd" for char in text), no_wrap=no_wrap)
