"""What decontamination found, by benchmark: from RUN/evidence/<stage>/items.parquet, which lists every item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from curation.report.folder import parquet_files

STATES = ("found", "frequent", "clean", "uncheckable")


def gather_items(run: Path) -> dict[str, list[dict]]:
    """{stage: rows of `count_states`}, in the order of their names; empty where no stage looked for benchmarks."""
    found: Mapping[str, Path] = {path.parent.name: path for path in parquet_files(run, "evidence/*/items.parquet")}
    return {stage: count_states(pq.read_table(path)) for stage, path in sorted(found.items())}


def count_states(items: pa.Table) -> list[dict]:
    """Per benchmark: how many items in all and by state, and the largest share of one that the corpus holds.

    `items` needs the columns benchmark, state (one of STATES) and ratio (null where there is nothing to check).
    """
    counts: dict[str, Counter[str]] = {}
    highest: dict[str, float] = {}
    for row in items.select(["benchmark", "state", "ratio"]).to_pylist():
        name = row["benchmark"]
        counts.setdefault(name, Counter())[row["state"]] += 1
        highest[name] = max(highest.get(name, 0.0), row["ratio"] or 0.0)
    return [
        {
            "benchmark": name,
            "items": count.total(),
            **{state: count[state] for state in STATES},
            "highest_ratio": highest[name],
        }
        for name, count in sorted(counts.items())
    ]
