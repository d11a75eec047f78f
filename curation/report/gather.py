"""All facts of a report, collected from the run folder: no Spark, no pandas, memory bounded by one batch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.report.benchmarks import gather_items
from curation.report.cuts import StageCuts, gather_cuts
from curation.report.duplicates import StageRemovals, gather_removals
from curation.report.folder import FileState, file_states, parquet_files, read_funnel, read_json
from curation.report.pages import PageGroup, dropped_pages, kept_pages


@dataclass(frozen=True)
class RunFacts:
    """What a run left behind. None: the run folder has no such file, which is not the same as empty."""

    funnel: dict[str, Any]
    manifest: dict[str, Any] | None
    mixture: dict[str, Any] | None
    tokens: dict[str, Any] | None
    tokenizer: dict[str, Any] | None
    files: list[FileState]
    kept: PageGroup | None
    dropped: PageGroup | None
    removals: list[StageRemovals]
    cuts: list[StageCuts]
    benchmarks: dict[str, list[dict[str, Any]]]

    @property
    def page_stages(self) -> list[dict[str, Any]]:
        """Stages that decide about pages; the token stages after them only count what is there."""
        return [stage for stage in self.funnel["stages"] if stage["kind"] != "tokens"]

    @property
    def pages_read(self) -> int:
        stages = self.page_stages
        return stages[0]["pages_in"] if stages else 0

    @property
    def pages_kept(self) -> int:
        stages = self.page_stages
        return stages[-1]["kept"] if stages else 0

    @property
    def chars_kept(self) -> int:
        stages = self.page_stages
        return stages[-1]["chars_out"] if stages else 0


def gather(run: Path) -> RunFacts:
    """Read the run folder. InputError when funnel.json is missing or is not one; every other file may be absent."""
    funnel = read_funnel(run)
    manifest = read_json(run / "manifest.json")
    curated = parquet_files(run, "curated/**/*.parquet")
    dropped = parquet_files(run, "documents/**/alive=false/**/*.parquet")
    return RunFacts(
        funnel=funnel,
        manifest=manifest,
        mixture=read_json(run / "mixture.json"),
        tokens=read_json(run / "tokens" / "summary.json"),
        tokenizer=read_json(run / "tokens" / "tokenizer_report.json"),
        files=file_states(manifest),
        kept=kept_pages(curated) if curated else None,
        dropped=dropped_pages(dropped) if dropped else None,
        removals=gather_removals(run),
        cuts=gather_cuts(run, funnel["stages"]),
        benchmarks=gather_items(run),
    )
