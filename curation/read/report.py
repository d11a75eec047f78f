"""What reading a range, and then a file, came to: state, counts by record type, fates, damaged stretches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from curation.read.splits import Split

# From fine to worst; a file has the worst state of its ranges.
STATES = ("complete", "damaged", "truncated", "empty", "error_page", "unreadable", "unavailable", "unfinished")
LISTED_REGIONS = 100
UNKNOWN = "unknown stretch"  # the key in `records` for damage in which no header could be read


class SplitReport:
    """Counts of one range while it is read. `state` is "unfinished" until the last page was asked for."""

    def __init__(self, split: Split):
        self.split = split
        self.state, self.error = "unfinished", ""
        self.bad_row = ""  # what was wrong with the first row that had no text
        self.records: Counter[str] = Counter()
        self.fates: Counter[str] = Counter()
        self.pages = self.damaged = self.bytes_read = 0
        self.regions: list[tuple[int, int, str]] = []

    def damage(self, start: int, end: int, kind: str, message: str) -> None:
        """Note a stretch [start, end) of the file (rows for Parquet) that could not be read; `kind` as in Fault."""
        self.damaged += 1
        self.worsen("truncated" if kind == "truncated" else "damaged", message)
        if len(self.regions) < LISTED_REGIONS:
            self.regions.append((start, end, kind))

    def worsen(self, state: str, error: str) -> None:
        """Move to a worse state; of several errors the first one stays."""
        if self.state == "unfinished" or STATES.index(state) > STATES.index(self.state):
            self.state = state
        self.error = self.error or error

    def finish(self) -> None:
        if self.state == "unfinished":
            self.state = "complete"

    def to_dict(self) -> dict[str, Any]:
        """All counts as plain values, for a manifest."""
        file = self.split.file
        return {
            "path": file.path, "name": file.name, "kind": file.kind, "source": file.source, "snapshot": file.snapshot,
            "size": file.size, "start": self.split.start, "end": self.split.end,
            "state": self.state, "error": self.error, "records": dict(self.records), "pages": self.pages,
            "fates": dict(self.fates), "damaged": self.damaged, "regions": [list(region) for region in self.regions],
            "bytes_read": self.bytes_read, "bad_row": self.bad_row,
        }  # fmt: skip


def merge_reports(reports: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One report per file out of those of its ranges, sorted by snapshot, name, source. `splits` counts the ranges.

    A damaged file without one readable record, and one whose rows have no text, is "unreadable" as a whole: no single
    range can know.
    """
    files: dict[tuple[str, str, str], dict[str, Any]] = {}
    for part in sorted(reports, key=lambda r: (r["snapshot"], r["name"], r["source"], r["start"])):
        key = (part["snapshot"], part["name"], part["source"])
        if key not in files:
            kept = {k: part[k] for k in ("name", "path", "kind", "source", "snapshot", "size", "state", "error")}
            files[key] = kept | {
                "splits": 0,
                "records": {},
                "pages": 0,
                "fates": {},
                "damaged": 0,
                "regions": [],
                "bytes_read": 0,
                "bad_row": "",
            }
        _add(files[key], part)
    for whole in files.values():
        intact = sum(count for kind, count in whole["records"].items() if kind != UNKNOWN)
        if whole["state"] == "damaged" and not intact:
            whole["state"] = "unreadable"
        if whole["state"] == "complete" and whole["pages"] and whole["fates"].get("read.bad_row") == whole["pages"]:
            whole["state"] = "unreadable"
            whole["error"] = f"no row of it has a text; the first: {whole['bad_row']}"
    return list(files.values())


def _add(whole: dict[str, Any], part: dict[str, Any]) -> None:
    whole["state"] = max(whole["state"], part["state"], key=STATES.index)
    for name in ("error", "bad_row"):
        whole[name] = whole[name] or part[name]
    whole["splits"] += 1
    for name in ("pages", "damaged", "bytes_read"):
        whole[name] += part[name]
    for name in ("records", "fates"):
        for key, count in part[name].items():
            whole[name][key] = whole[name].get(key, 0) + count
    whole["regions"] = (whole["regions"] + part["regions"])[:LISTED_REGIONS]
