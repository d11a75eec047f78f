"""What a run folder says about itself: the JSON files, and where its Parquet files lie.

Only funnel.json is needed. Every other file may be absent (a run without tokens, a run that stopped), and is then None.

Keys read, all but the funnel's optional:

    funnel.json          recipe, version, recipe_hash, stages, balanced, tokens, tokens_estimated, repeated_ids,
                         by_snapshot {snapshot: {pages_in, kept, chars_out}}
    manifest.json        resolved (the recipe), inputs [{source, snapshot, kind, size}], versions, status, files,
                         started, finished (ISO 8601)
    mixture.json         what `curation.mixture.solve` gives
    tokens/summary.json  see `curation.tokens.build.TokenSummary`; of it at least tokens {source: {split: count}}
    tokens/tokenizer_report.json   see `curation.tokens.make`
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.errors import InputError

STAGE_KEYS = (
    "stage", "kind", "pages_in", "kept", "dropped", "failed", "chars_in", "chars_out", "chars_dropped", "chars_trimmed",
)  # fmt: skip


@dataclass(frozen=True)
class FileState:
    """One input file after reading. `records` and `damaged` are counts; `state` is `complete` or names the trouble."""

    name: str
    state: str
    records: int
    pages: int
    damaged: int

    @property
    def sound(self) -> bool:
        return self.state == "complete" and not self.damaged


def read_json(path: Path) -> Any | None:
    """The content of a JSON file, None where there is no file. InputError when it does not parse."""
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}): run `curate report` on a finished run") from error


def read_funnel(run: Path) -> dict[str, Any]:
    """RUN/funnel.json, checked for the keys that every table and chart needs. InputError says what is missing."""
    path = run / "funnel.json"
    funnel = read_json(path)
    if funnel is None:
        raise InputError(f"{path} does not exist: give the folder that `curate run --out` wrote")
    if not isinstance(funnel, dict) or not isinstance(funnel.get("stages"), list):
        raise InputError(f"{path} has no list `stages`: write it again with `curate run --resume`")
    for number, stage in enumerate(funnel["stages"]):
        missing = [key for key in STAGE_KEYS if key not in stage]
        if missing:
            name = stage.get("stage", f"number {number}")
            raise InputError(f"{path}: stage {name} lacks {', '.join(missing)}: write it with `curate run --resume`")
    return funnel


def file_states(manifest: Mapping[str, Any] | None) -> list[FileState]:
    """The file reports of a manifest, troubled files first, then by name.

    >>> file_states({"files": [{"name": "a.warc.gz", "state": "truncated", "records": {"response": 3}, "pages": 3}]})
    [FileState(name='a.warc.gz', state='truncated', records=3, pages=3, damaged=0)]
    """
    states = [
        FileState(
            name=str(report["name"]),
            state=str(report["state"]),
            records=_count(report.get("records")),
            pages=_count(report.get("pages")),
            damaged=_count(report.get("damaged")),
        )
        for report in (manifest or {}).get("files") or []
    ]
    return sorted(states, key=lambda file: (file.sound, file.name))


def _count(value: Any) -> int:
    """Reports count records by type, and list damaged regions: both as one number."""
    if isinstance(value, Mapping):
        return sum(value.values())
    if isinstance(value, list):
        return len(value)
    return int(value or 0)


def parquet_files(run: Path, pattern: str) -> list[Path]:
    """Committed Parquet files under the run, sorted. Names that start with _ or . are attempts, not results."""
    found = run.glob(pattern)
    return sorted(path for path in found if not any(part[0] in "_." for part in path.relative_to(run).parts))


def top_reason(stage: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The reason that took most pages of this stage; ties by name."""
    reasons = stage.get("reasons") or []
    return min(reasons, key=lambda r: (-r["pages"], r["reason"])) if reasons else None


def rule_of(reason: str, stage: str) -> str:
    """The reason without the stage it belongs to.

    >>> rule_of("url.hard_word_count", "url")
    'hard_word_count'
    """
    return reason.removeprefix(f"{stage}.")
