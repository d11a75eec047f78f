"""What two runs are compared by: everything that a user takes from a run folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.run.conftest import table


def outcome(run: Path) -> dict[str, Any]:
    """Curated text, fates of dropped pages, funnel, mixture, and the bytes of tokenizer and shards."""
    removals = table(*sorted((run / "removals").iterdir())).drop_columns(["unit"])  # units follow from --cluster
    tokens = [path for path in sorted((run / "tokens").rglob("*")) if path.is_file()]
    return {
        "curated": table(run / "curated"),
        "dropped": table(*sorted(run.glob("documents/pass-*/alive=false"))),
        "removals": removals.sort_by([("stage", "ascending"), ("doc_id", "ascending")]),
        "funnel": json.loads((run / "funnel.json").read_text()),
        "mixture": json.loads((run / "mixture.json").read_text()),
        "tokens": {str(path.relative_to(run)): path.read_bytes() for path in tokens},
    }


def assert_same(found: Path, wanted: Path) -> None:
    """Fails with the name of the first part in which two finished runs differ."""
    ours, theirs = outcome(found), outcome(wanted)
    for part, value in theirs.items():
        assert ours[part] == value, f"{part} of {found} and {wanted} differ"
