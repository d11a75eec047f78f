"""Terminal tables of a run: the funnel, the reasons, the input files. Each fits 100 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from curation.report.folder import file_states, rule_of, top_reason
from curation.report.numbers import DASH, exact, percent, short

_WIDEST_EXACT = 10**8  # beyond nine digits a page count no longer leaves room for the reason


def funnel_table(funnel: Mapping[str, Any]) -> Table:
    """One row per stage. Pages are exact below 100 million; characters and tokens have three significant digits.

    A `~` before tokens says that they are estimated from characters, not counted.
    """
    table = _table(f"{funnel.get('recipe', 'run')}: what each stage kept")
    table.add_column("stage", overflow="ellipsis", no_wrap=True, max_width=24)
    for name in ("pages in", "kept", "dropped", "failed", "% kept", "chars out", "tokens"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("top reason", overflow="ellipsis")  # the one that may shrink, so that no number is cut
    estimated = "~" if funnel.get("tokens_estimated") else ""
    for stage in funnel["stages"]:
        top, tokens = top_reason(stage), stage.get("tokens_out")
        table.add_row(
            _plain(stage["stage"]),
            *(_pages(stage[key]) for key in ("pages_in", "kept", "dropped")),
            Text(_pages(stage["failed"]), style="red" if stage["failed"] else ""),
            percent(stage["kept"], stage["pages_in"]).replace(" %", ""),
            short(stage["chars_out"]),
            DASH if tokens is None else estimated + short(tokens),
            _plain(rule_of(top["reason"], stage["stage"]) if top else "", no_wrap=True),
        )
    if funnel.get("balanced") is False:
        table.caption = Text("The books do not balance: pages or characters are missing under every fate.", "bold red")
    else:
        table.caption = "A page counts under the first rule it failed: counts depend on the order of the stages."
    return table


def reasons_table(funnel: Mapping[str, Any], limit: int = 40) -> Table:
    """Reasons of all stages, most pages first; `limit` rows, the rest summed up in the caption."""
    reasons = [reason for stage in funnel["stages"] for reason in stage.get("reasons") or []]
    reasons.sort(key=lambda reason: (-reason["pages"], reason["reason"]))
    total = sum(reason["pages"] for reason in reasons)
    table = _table("why pages were dropped or failed")
    table.add_column("reason", overflow="fold", max_width=56)
    for name in ("pages", "% of these", "chars"):
        table.add_column(name, justify="right", no_wrap=True)
    for reason in reasons[:limit]:
        share = percent(reason["pages"], total).replace(" %", "")
        table.add_row(_plain(reason["reason"]), exact(reason["pages"]), share, short(reason.get("chars")))
    rest = reasons[limit:]
    if rest:
        table.caption = f"and {len(rest)} more reasons with {exact(sum(r['pages'] for r in rest))} pages"
    return table


def files_table(manifest: Mapping[str, Any], limit: int = 20) -> Table:
    """Input files with their state, troubled ones first and in colour; `limit` rows, the rest counted in the caption.

    Troubled files are all listed, whatever the limit.
    """
    files = file_states(manifest)
    troubled = sum(not file.sound for file in files)
    table = _table(f"{exact(len(files))} input files, {exact(troubled)} not sound")
    table.add_column("file", overflow="fold", max_width=52)
    table.add_column("state", no_wrap=True)
    for name in ("records", "pages", "damaged"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = files[: max(limit, troubled)]
    for file in shown:
        style = "" if file.sound else "bold red"
        counts = (exact(file.records), exact(file.pages), exact(file.damaged))
        table.add_row(_plain(file.name), Text(file.state, style), *counts)
    if len(files) > len(shown):
        table.caption = f"and {exact(len(files) - len(shown))} more complete files"
    return table


def items_table(stage: str, benchmarks: Sequence[Mapping[str, Any]]) -> Table:
    """What a decontamination stage found: rows of `curation.report.benchmarks.count_states`."""
    table = _table(f"{stage}: benchmark items")
    table.add_column("benchmark", overflow="fold", max_width=32)
    for name in ("items", "found", "only frequent", "clean", "uncheckable", "highest share"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in benchmarks:
        counts = [exact(row[name]) for name in ("items", "found", "frequent", "clean", "uncheckable")]
        table.add_row(_plain(row["benchmark"]), *counts, f"{row['highest_ratio']:.0%}")
    table.caption = "Uncheckable: no field as long as an n-gram. Only frequent: what was found is in many documents."
    return table


def _table(title: str) -> Table:
    table = Table(title=_plain(title), box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title_justify="left")
    table.caption_justify = "left"
    return table


def _pages(number: int) -> str:
    return exact(number) if abs(number) < _WIDEST_EXACT else short(number)


def _plain(text: str, no_wrap: bool | None = None) -> Text:
    """Names come from files and lists of others: no rich markup and no terminal control codes may act from them."""
    return Text("".join(char if char.isprintable() else "\ufffd" for char in text), no_wrap=no_wrap)
