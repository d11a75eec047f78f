"""run.log: what a run did and when, one JSON object a line, appended by the driver over all starts of the run.

    {"time": "2026-11-29T21:40:03.120+00:00", "event": "unit", "step": "pass 0", "unit": "unit-00002", ...}

Events: start, step, unit (committed), step done, problem, finished, failed. A unit that an earlier start committed is
counted in its `step` line and has no second `unit` line.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class RunLog:
    """Callable as (event, **facts). Each line is on disk when the call returns, so a killed run keeps its log."""

    def __init__(self, path: Path):
        self._path = path

    def __call__(self, event: str, **facts: Any) -> None:
        line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **facts}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def lines(self) -> list[dict[str, Any]]:
        """All complete lines, none where there is no log; the last one is left out where a kill cut it short."""
        if not self._path.exists():
            return []
        whole, _, _ = self._path.read_text(encoding="utf-8").rpartition("\n")
        return [json.loads(line) for line in whole.split("\n") if line]
