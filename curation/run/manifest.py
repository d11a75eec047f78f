"""plan.json (what a run set out to do) and manifest.json (what it did); whether a folder may be continued."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from curation.errors import ResumeError
from curation.read.inputs import InputFile, is_run
from curation.recipe.load import Recipe
from curation.run.benchmarks import benchmark_digests
from curation.run.folder import RunFolder, clear_unfinished, read_json, write_json
from curation.run.forgotten import check_not_pending
from curation.run.lock import LOCK
from curation.run.plan import Unit

# Packages that can change which pages survive or what their text is.
TOLD = ("curation", "pyspark", "pyarrow", "numpy", "numba", "warcio", "trafilatura", "resiliparse", "lxml",
        "fasttext-community", "tldextract", "tokenizers", "gigatoken", "ffbpe")  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that matter for the outcome."""
    found = {"python": platform.python_version()}
    for name in TOLD:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def describe(
    recipe: Recipe, inputs: Sequence[InputFile], models: Mapping[str, str], against: Sequence[Path] = ()
) -> dict[str, Any]:
    """The identity of a run: what would make its output another one.

    `models` = {stage.setting: sha256}; `benchmarks` = {stage: sha256 of its items}; `against` = earlier runs.
    """
    return {
        "recipe": recipe.name,
        "version": recipe.version,
        "recipe_hash": recipe.hash,
        "resolved": recipe.resolved,
        "models": dict(models),
        "benchmarks": benchmark_digests(recipe),
        "inputs": [asdict(file) for file in inputs],
        "against": [str(run) for run in against],
    }


def check_free(folder: RunFolder) -> None:
    """Raises ResumeError where the folder holds something that is no run, lies in a run, or is no folder at all."""
    if folder.root.exists() and not folder.root.is_dir():
        raise ResumeError(f"{folder.root} is a file; --out names the folder to create")
    above = next((parent for parent in folder.root.parents if is_run(parent)), None)
    if above is not None:
        raise ResumeError(f"{folder.root} lies in the folder of the run {above}; choose an --out beside it")
    if not folder.root.is_dir() or folder.plan.is_file():
        return
    if any(path.name != LOCK for path in folder.root.iterdir()):
        raise ResumeError(f"{folder.root} holds files that are no run of ours; choose another --out")


def open_folder(folder: RunFolder, identity: dict[str, Any], units: Sequence[Unit], resume: bool) -> list[Unit]:
    """Creates the run folder, or continues one. Returns the units to run: those of the first start, always.

    To be called by the only writer (`curation.run.lock`). Raises ResumeError where the folder holds something else,
    holds a run and `resume` was not asked for, or was about to forget documents.
    """
    check_free(folder)
    if not folder.plan.is_file():
        work = {"versions": versions(), "units": [unit.to_dict() for unit in units], "started": now()}
        write_json(folder.plan, {**identity, **work})
        return list(units)
    if not resume:
        raise ResumeError(f"{folder.root} already holds a run; continue it with --resume or choose another --out")
    check_not_pending(folder)
    plan = read_json(folder.plan)
    if plan["recipe_hash"] != identity["recipe_hash"]:
        raise ResumeError(
            f"{folder.root} was started with recipe {plan['recipe']} ({plan['recipe_hash']}), this is "
            f"{identity['recipe']} ({identity['recipe_hash']}); the two are never mixed: choose another --out"
        )
    if plan["models"] != identity["models"]:
        changed = sorted(dict(plan["models"].items() ^ identity["models"].items()))
        raise ResumeError(
            f"{folder.root} was started with another model or list for {', '.join(changed)}: give the one it was "
            "started with (plan.json has its sha256), or choose another --out"
        )
    if plan["benchmarks"] != identity["benchmarks"]:
        raise ResumeError(
            f"the benchmark items are not those {folder.root} was started with (they are kept in its benchmarks/); "
            "give the same files with --benchmarks, or choose another --out"
        )
    if plan["inputs"] != identity["inputs"]:
        before, after = ({file["path"] for file in x["inputs"]} for x in (plan, identity))
        changed = sorted(before ^ after) or sorted(after)
        raise ResumeError(f"the input is not what {folder.root} was started with (first difference: {changed[0]})")
    if plan["against"] != identity["against"]:
        raise ResumeError(
            f"{folder.root} was started against {', '.join(plan['against']) or 'no earlier run'}, this is against "
            f"{', '.join(identity['against']) or 'none'}; choose another --out"
        )
    if changed := _changed_versions(plan.get("versions", {})):
        raise ResumeError(
            f"{folder.root} was started with {' and '.join(changed)}; pages of two versions are never mixed: install "
            "what it was started with, or choose another --out"
        )
    clear_unfinished(folder.root)
    return [Unit.from_dict(unit) for unit in plan["units"]]


def _changed_versions(before: Mapping[str, str]) -> list[str]:
    """What is installed in another version now. Of Python the minor one counts, of Spark none (docs/clusters.md)."""
    now_installed = versions()
    told = []
    for name, version_before in before.items():
        version_now = now_installed.get(name, "not known")
        parts = 2 if name == "python" else None
        if name != "pyspark" and version_before.split(".")[:parts] != version_now.split(".")[:parts]:
            told.append(f"{name} {version_before} (now {version_now})")
    return told
