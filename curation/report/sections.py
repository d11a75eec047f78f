"""From facts to what the template prints: rows with their bars, and charts. No HTML besides the charts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from curation.report.charts import Part, Series, histogram, stacked_bar
from curation.report.counts import LENGTH_EDGES
from curation.report.duplicates import CLUSTER_SIZES, SIMILARITY_BINS, StageRemovals
from curation.report.folder import rule_of
from curation.report.gather import RunFacts
from curation.report.numbers import duration, exact, file_size, percent, short
from curation.report.pages import PageGroup, Sample, languages_by_pages
from curation.rewrite.pii import mask_text

LANGUAGES_SHOWN = 12
HOSTS_SHOWN = 10


def funnel_rows(funnel: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Stages as rows. Every bar of pages has the scale of the pages read, so that the bars form the funnel.

    Bars of characters have two scales: HTML before the main text is taken out, where most characters are markup, and
    text from there on.
    """
    stages = funnel["stages"]
    pages = max((stage["pages_in"] for stage in stages), default=0)
    first = text_stage(funnel)
    html = max((stage["chars_in"] for stage in stages[:first]), default=0)
    text = max((stage["chars_out"] for stage in stages[first:]), default=0)
    return [
        _funnel_row(stage, pages, html if number < first else text, became_text=0 < first == number)
        for number, stage in enumerate(stages)
    ]


def text_stage(funnel: Mapping[str, Any]) -> int:
    """Number of the stage that turned HTML into text: the one that took most out of the pages it kept. 0 if none did.

    Pages that it dropped do not count: a cascade gives up most of them, with all their HTML.

    >>> text_stage({"stages": [{"kind": "page", "chars_in": 90, "chars_dropped": 0, "chars_trimmed": 0},
    ...                        {"kind": "page", "chars_in": 90, "chars_dropped": 80, "chars_trimmed": 8}]})
    1
    """
    of_pages = ((i, s) for i, s in enumerate(funnel["stages"]) if s["kind"] == "page")
    return next((i for i, s in of_pages if s["chars_trimmed"] > (s["chars_in"] - s["chars_dropped"]) / 2), 0)


def _funnel_row(stage: Mapping[str, Any], pages: int, chars: int, became_text: bool) -> dict[str, Any]:
    trimmed, name = stage["chars_trimmed"], stage["stage"]
    fates = [Part(f"{exact(stage[fate])} pages {fate}", stage[fate], fate) for fate in ("kept", "dropped", "failed")]
    texts = [Part(f"{exact(stage['chars_out'])} characters out", stage["chars_out"], "kept")]
    if not became_text:
        net = "added to" if trimmed < 0 else "trimmed from"
        texts += [
            Part(f"{exact(stage['chars_dropped'])} characters in dropped pages", stage["chars_dropped"], "dropped"),
            Part(f"{exact(abs(trimmed))} characters {net} kept pages", trimmed, "trimmed"),
        ]
    losses = stage["dropped"] + stage["failed"]
    reasons = sorted(stage.get("reasons") or [], key=lambda r: (-r["pages"], r["reason"]))
    return {
        **stage,
        "share": percent(stage["kept"], stage["pages_in"]),
        "bar": stacked_bar(fates, pages, f"{name}: " + ", ".join(part.label for part in fates)),
        "chars_bar": stacked_bar(texts, chars, f"{name}: " + ", ".join(part.label for part in texts), height=5),
        "reasons": [
            {
                **reason,
                "rule": rule_of(reason["reason"], name),
                "share": percent(reason["pages"], losses),
                "bar": _single(reason["pages"], reasons[0]["pages"], "dropped", reason["reason"]),
            }
            for reason in reasons
        ],
    }


def _single(value: float, scale: float, css: str, what: str) -> Markup:
    return stacked_bar([Part(f"{what}: {exact(value)}", value, css)], scale, f"{what}: {exact(value)}", height=10)


def snapshot_rows(funnel: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pages read and kept of each snapshot, by name; sources other than crawls have no snapshot."""
    rows = []
    for name, counts in sorted((funnel.get("by_snapshot") or {}).items()):
        read, kept = counts["pages_in"], counts["kept"]
        bar = _single(kept, read, "kept", f"{name}, pages kept")
        rows.append({"name": name, "read": read, "kept": kept, "share": percent(kept, read), "bar": bar})
    return rows


def language_rows(kept: PageGroup | None, dropped: PageGroup | None) -> list[dict[str, Any]]:
    """Languages with the pages kept and dropped, most kept pages first; the rare ones summed up in one row."""
    rows = languages_by_pages(kept, dropped)
    rest = rows[LANGUAGES_SHOWN:]
    if rest:
        sums = (sum(row[i] for row in rest) for i in (1, 2, 3))
        rows = [*rows[:LANGUAGES_SHOWN], (f"{len(rest)} others", *sums)]
    scale = max((pages + lost for _, pages, _, lost in rows), default=0)
    return [_language_row(name, pages, chars, lost, scale) for name, pages, chars, lost in rows]


def _language_row(name: str, pages: int, chars: int, lost: int, scale: int) -> dict[str, Any]:
    parts = [Part(f"{exact(pages)} pages kept", pages, "kept"), Part(f"{exact(lost)} pages dropped", lost, "dropped")]
    bar = stacked_bar(parts, scale, f"{name}: " + ", ".join(part.label for part in parts), height=10)
    return {"name": name, "pages": pages, "chars": chars, "dropped": lost, "bar": bar}


def host_rows(kept: PageGroup | None) -> list[dict[str, Any]]:
    """The hosts of most pages; an address in numbers is masked, as everywhere in the report."""
    hosts = [(mask_text(name)[0], pages) for name, pages in (kept.hosts.most_common(HOSTS_SHOWN) if kept else [])]
    return [{"name": name, "pages": n, "bar": _single(n, hosts[0][1], "kept", name)} for name, n in hosts]


def masked_rows(kept: PageGroup | None) -> list[dict[str, Any]]:
    """Personal data by kind, most items first."""
    rows = sorted((kept.masked if kept else {}).items(), key=lambda item: (-item[1][0], item[0]))
    return [
        {"name": name, "items": items, "pages": pages, "bar": _single(items, rows[0][1][0], "kept", name)}
        for name, (items, pages) in rows
    ]


def cut_rows(facts: RunFacts) -> list[dict[str, Any]]:
    """What cutting stages found, beside what the funnel says they took out."""
    stages = {stage["stage"]: stage for stage in facts.funnel["stages"]}
    return [
        {
            "stage": cuts.stage,
            "ranges": cuts.ranges,
            "pages": cuts.pages,
            "chars": cuts.chars,
            "pieces": cuts.pieces,
            "trimmed": stages.get(cuts.stage, {}).get("chars_trimmed"),
            "dropped": stages.get(cuts.stage, {}).get("dropped"),
        }
        for cuts in facts.cuts
    ]


def length_chart(kept: PageGroup | None, dropped: PageGroup | None) -> Markup | None:
    """Kept pages as bars, dropped pages with a text as an outline, each as a share of its own group."""
    groups = [("kept", kept), ("dropped", dropped)]
    series = [_length_series(name, group) for name, group in groups if group and group.lengths.sum()]
    if not series:
        return None
    ticks = [(5.0 * power, name) for power, name in enumerate(("1", "10", "100", "1 k", "10 k", "100 k", "1 M"))]
    title = "Lengths of pages in characters: " + "; ".join(s.label for s in series)
    return histogram(series, ticks, title, "length of the text, characters (log scale)", "% of the pages")


def _length_series(name: str, group: PageGroup) -> Series:
    total = int(group.lengths.sum())
    last = len(group.lengths) - 1
    tips = [
        f"{short(round(low))} {'or more' if i == last else 'to ' + short(round(high))} characters: "
        f"{exact(int(count))} pages {name} ({percent(int(count), total)})"
        for i, (low, high, count) in enumerate(zip(LENGTH_EDGES, LENGTH_EDGES[1:], group.lengths, strict=False))
    ]
    return Series(f"{exact(total)} pages {name}", [100 * int(count) / total for count in group.lengths], tips, name)


def removal_charts(removals: StageRemovals) -> dict[str, Any]:
    """Histogram of similarity from the lowest tenth that occurs, and removed pages by size of their cluster."""
    counts = [int(count) for count in removals.similarity]
    lowest = next((i for i, count in enumerate(counts) if count), SIMILARITY_BINS - 1)
    per_tenth = SIMILARITY_BINS // 10
    first = min(lowest // per_tenth, 9) * per_tenth
    tips = [
        f"similarity {i / SIMILARITY_BINS:.2f} to {(i + 1) / SIMILARITY_BINS:.2f}: {exact(counts[i])} pages"
        for i in range(first, SIMILARITY_BINS)
    ]
    ticks = [(i - first, f"{i / SIMILARITY_BINS:.1f}") for i in range(first, SIMILARITY_BINS + 1, per_tenth)]
    bars = Series("removed", counts[first:], tips, "dropped")
    title = f"{removals.stage}: similarity of removed pages to the copy that was kept"
    sizes = [int(count) for count in removals.sizes]
    names = [_size_class(i) for i in range(len(sizes))]
    by_size = Series(
        "removed", sizes, [f"{n} copies: {exact(c)} pages" for n, c in zip(names, sizes, strict=True)], "dropped"
    )
    size_title = f"{removals.stage}: removed pages by size of their cluster"
    size_ticks = [(i + 0.5, name) for i, name in enumerate(names)]
    return {
        "similarity": histogram(
            [bars], ticks, title, "similarity (estimated share of shingles in common)", "pages removed"
        )
        if sum(counts) > removals.identical
        else None,
        "sizes": histogram([by_size], size_ticks, size_title, "size of the cluster, pages", "pages removed"),
    }


def _size_class(number: int) -> str:
    low = CLUSTER_SIZES[number]
    if number + 1 == len(CLUSTER_SIZES):
        return f"> {exact(low - 1)}"
    high = CLUSTER_SIZES[number + 1] - 1
    return str(low) if low == high else f"{low}\u2013{exact(high)}"


def dropped_samples(facts: RunFacts) -> list[dict[str, Any]]:
    """Samples by reason, most pages first, with the pages the funnel counts under it."""
    if facts.dropped is None:
        return []
    pages = {r["reason"]: r["pages"] for stage in facts.page_stages for r in stage.get("reasons") or []}
    groups: list[tuple[str, list[Sample]]] = sorted(
        facts.dropped.samples.items(), key=lambda item: (-pages.get(item[0], 0), item[0])
    )
    return [{"reason": reason, "pages": pages.get(reason), "samples": samples} for reason, samples in groups]


def times(manifest: Mapping[str, Any] | None) -> tuple[str | None, float | None]:
    """Start of the run in UTC, to the minute, and its wall time in seconds; None for what the manifest lacks."""
    ends = [(manifest or {}).get(key) for key in ("started", "finished")]
    started, finished = (datetime.fromisoformat(end) if end else None for end in ends)
    if started is None:
        return None, None
    start = (started.astimezone(UTC) if started.tzinfo else started).strftime("%Y-%m-%d %H:%M")
    seconds = (finished - started).total_seconds() if finished else None
    return (f"{start} UTC" if started.tzinfo else start), seconds


def step_times(manifest: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Wall time of each step of the run, in their order."""
    seconds = (manifest or {}).get("seconds") or {}
    longest = max(seconds.values(), default=0)
    return [
        {
            "name": name,
            "seconds": took,
            "bar": stacked_bar([Part(duration(took), took, "kept")], longest, f"{name}: {duration(took)}", height=10),
        }
        for name, took in seconds.items()
    ]


def input_lines(manifest: Mapping[str, Any] | None) -> list[str]:
    """What was read, a line for each source, snapshot and kind of file."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for file in (manifest or {}).get("inputs") or []:
        groups.setdefault((file["source"], file["snapshot"], file["kind"]), []).append(file["size"])
    return [
        f"{source}{' ' + snapshot if snapshot else ''}: {exact(len(sizes))} {kind} file{'s' * (len(sizes) > 1)}, "
        f"{file_size(sum(sizes))}"
        for (source, snapshot, kind), sizes in sorted(groups.items())
    ]
