"""What a run hands to a trainer, as rows for the report: token shards, compression, the mixture and its phases."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from curation.report.charts import Part, stacked_bar
from curation.report.numbers import DASH, exact, percent, short

COUNTS = ("documents", "rows", "shards", "cut", "cut_fitting")
SHORT_BY = 0.0005  # a share that is met to a twentieth of a percent counts as met


def token_rows(tokens: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Token shards of each source and split, and what packing cost; None and a dash for what the summary lacks.

    `padding` is what rows lack to the sequence length, of all they could hold; `cut` counts documents in more than one
    piece, `cut_share` is their share of all documents, `cut_fitting` are those that would have fitted into one row.
    """
    if tokens is None:
        return []
    padded = tokens.get("packing") != "none"  # there a row is a document, and there is nothing to fill
    return [
        {
            "source": source,
            "split": split,
            "tokens": count,
            **{name: _of(tokens, name, source, split) for name in COUNTS},
            "padding": _share_of(tokens, "padding_share", source, split) if padded else DASH,
            "cut_share": _share_of(tokens, "truncation_share", source, split),
        }
        for source, splits in sorted((tokens.get("tokens") or {}).items())
        for split, count in splits.items()
    ]


def _of(tokens: Mapping[str, Any], name: str, source: str, split: str) -> Any:
    return ((tokens.get(name) or {}).get(source) or {}).get(split)


def _share_of(tokens: Mapping[str, Any], name: str, source: str, split: str) -> str:
    share = _of(tokens, name, source, split)
    return DASH if share is None else percent(share, 1)


def compression_rows(tokens: Mapping[str, Any] | None, key: str = "compression") -> list[dict[str, Any]]:
    """Characters and bytes per token of all encoded text, best compressed first; `key` of the summary: by language
    (`compression`) or by source (`compression_by_source`)."""
    rates = (tokens or {}).get(key) or {}
    rows = sorted(rates.items(), key=lambda item: (-item[1]["chars_per_token"], item[0]))
    scale = rows[0][1]["chars_per_token"] if rows else 0
    return [
        {
            "name": name,
            "chars_per_token": rate["chars_per_token"],
            "bytes_per_token": rate.get("bytes_per_token"),
            "bar": _bar(rate["chars_per_token"], scale, name, f"{rate['chars_per_token']:.2f} characters per token"),
        }
        for name, rate in rows
    ]


def mixture_rows(mixture: Mapping[str, Any] | None, synthetic: Container[str] = ()) -> list[dict[str, Any]]:
    """Sources of a mixture or of one of its phases, largest share first.

    `short` says that the source gives less than was asked of it. `worth` is the value of its tokens as fresh ones,
    1 while nothing is repeated; phases are not valued apart, nor do they say which sources are `synthetic`.
    """
    sources = (mixture or {}).get("sources") or {}
    rows = sorted(sources.items(), key=lambda item: (-item[1]["share"], item[0]))
    return [_source_row(name, source, name in synthetic) for name, source in rows]


def _source_row(name: str, source: Mapping[str, Any], synthetic: bool) -> dict[str, Any]:
    share, asked, tokens, worth = (source.get(key) for key in ("share", "share_asked", "tokens", "effective_tokens"))
    return {
        "name": name,
        "synthetic": synthetic or bool(source.get("synthetic")),
        "asked": DASH if asked is None else percent(asked, 1),
        "share": percent(share, 1),
        "short": asked is not None and share < asked - SHORT_BY,
        "bar": _bar(share, 1, name, percent(share, 1)),
        "available": source.get("tokens_available"),
        "tokens": tokens,
        "epochs": source.get("epochs"),
        "worth": percent(worth, tokens) if worth is not None and tokens else DASH,
    }


def phase_rows(mixture: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Phases in the order of training, each with the tokens before it and its sources as `mixture_rows`."""
    rows: list[dict[str, Any]] = []
    start = 0
    whole = (mixture or {}).get("budget_tokens") or 0
    synthetic = {name for name, one in ((mixture or {}).get("sources") or {}).items() if one.get("synthetic")}
    for phase in (mixture or {}).get("phases") or []:
        budget = phase["budget_tokens"]
        rows.append(
            {
                "name": phase["name"],
                "budget": budget,
                "share": percent(budget, whole),
                "start": start,
                "end": start + budget,
                "sequence_length": phase.get("sequence_length"),
                "sources": mixture_rows(phase, synthetic),
            }
        )
        start += budget
    return rows


def mixture_worth(mixture: Mapping[str, Any] | None) -> str | None:
    """What all tokens of the mixture are worth as fresh ones, of their number; None where it does not say."""
    worth, budget = ((mixture or {}).get(key) for key in ("effective_tokens", "budget_tokens"))
    return percent(worth, budget) if worth is not None and budget else None


def phase_bar(phases: Sequence[Mapping[str, Any]]) -> Markup | None:
    """The phases side by side as parts of the run; None for a run of one piece."""
    if len(phases) < 2:
        return None
    css = ("kept", "trimmed", "dropped")
    parts = [
        Part(f"{phase['name']}: {exact(phase['budget'])} tokens", phase["budget"], css[number % len(css)])
        for number, phase in enumerate(phases)
    ]
    told = ", ".join(f"{phase['name']} {short(phase['budget'])}" for phase in phases)
    return stacked_bar(parts, sum(phase["budget"] for phase in phases), f"phases, in tokens: {told}")


def _bar(value: float, scale: float, name: str, told: str) -> Markup:
    return stacked_bar([Part(f"{name}: {told}", value, "kept")], scale, f"{name}: {told}", height=10)
