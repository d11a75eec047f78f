"""What tokenizer_report.json tells, for terminal and report: how well sizes of vocabulary compress, and on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rung:
    """One tokenizer of the comparison. `told` says what it is where its size alone does not; rates are of all text."""

    key: str
    vocab_size: int
    told: str
    chars_per_token: float
    bytes_per_token: float
    tokens: int


def rungs(report: Mapping[str, Any] | None) -> list[Rung]:
    """The tokenizers that were compared on the same held-out text, smallest vocabulary first."""
    found = []
    for key, one in ((report or {}).get("compression") or {}).items():
        told = "this one" if key == "this" else "" if key.replace(",", "").isdigit() else key
        rates = one["all"]
        found.append(
            Rung(
                key, one["vocab_size"], told, rates["chars_per_token"], rates["bytes_per_token"], rates.get("tokens", 0)
            )
        )
    return sorted(found, key=lambda rung: (rung.vocab_size, rung.key))


def rates_by(report: Mapping[str, Any] | None, kind: str) -> list[dict[str, Any]]:
    """Characters per token of each rung, by `kind` (language or source), the group of most bytes first.

    Rows have `name`, `bytes`, `share` of all bytes (0 to 1), `bytes_per_token` of this run's tokenizer and `rates`, a
    figure for each of `rungs`; None where a tokenizer has none.
    """
    compression = (report or {}).get("compression") or {}
    this = compression.get("this")
    if this is None:
        return []
    keys = [rung.key for rung in rungs(report)]
    groups = sorted((this.get(kind) or {}).items(), key=lambda item: (-item[1]["bytes"], item[0]))
    return [
        {
            "name": name,
            "bytes": facts["bytes"],
            "share": facts["bytes"] / max(1, this["all"]["bytes"]),
            "bytes_per_token": facts["bytes_per_token"],
            "rates": [((compression[key].get(kind) or {}).get(name) or {}).get("chars_per_token") for key in keys],
        }
        for name, facts in groups
    ]


def judged_sentences(report: Mapping[str, Any]) -> list[str]:
    """On which text the figures were measured."""
    judged = report.get("judged_on")
    if not judged:
        return []
    kept = "held out from training" if judged["held_out"] else "and trained on: the texts are too few to hold any out"
    told = [f"measured on {_many(judged['documents'], 'document')}, {judged['bytes']:,} bytes, {kept}"]
    small = sorted(set(report.get("sample") or {}) - set(judged["sources"]))
    return told + ([f"too small to hold text out: {', '.join(small)}"] if small else [])


def training_sentences(report: Mapping[str, Any]) -> list[str]:
    """What the tokenizer was trained on, source by source, and what was left out; empty for an imported one."""
    told = [
        f"sample: {source} {facts['bytes_drawn']:,} of {facts['bytes_held']:,} bytes, "
        f"counted {_many(facts['times'], 'time')}, {facts['share']:.1%} of the whole{_asked(facts)}"
        for source, facts in (report.get("sample") or {}).items()
    ]
    if training := report.get("training"):
        lost = 1 - training["kept_occurrences"] / max(1, training["occurrences"])
        told.append(
            f"pre-tokens: {training['kept']:,} of {training['pretokens']:,} kept, {lost:.2%} of occurrences dropped"
        )
    return told


def warnings(report: Mapping[str, Any] | None) -> list[str]:
    """What a reader of the figures must know: notes of the run, and a vocabulary that the texts do not fill."""
    told = list((report or {}).get("notes") or [])
    largest = ((report or {}).get("training") or {}).get("largest_vocabulary")
    return told + ([f"the texts allow {largest:,} tokens, no more"] if largest else [])


def _asked(facts: Mapping[str, Any]) -> str:
    """The share asked for, where it is another than what came of it.

    >>> _asked({"share": 0.9, "share_asked": 0.8}), _asked({"share": 0.8, "share_asked": 0.8})
    (' (80.0% asked for)', '')
    """
    asked = facts.get("share_asked")
    return "" if asked is None or abs(asked - facts["share"]) < 0.0005 else f" ({asked:.1%} asked for)"


def _many(number: float, thing: str) -> str:
    """
    >>> _many(1, "time"), _many(2.5, "time"), _many(1200, "document")
    ('1 time', '2.5 times', '1,200 documents')
    """
    return f"{number:,.10g} {thing}{'' if number == 1 else 's'}"
