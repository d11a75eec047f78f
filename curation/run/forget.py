"""`forget`: documents are taken out of a finished run, by rewriting only the files that hold them.

    find       which documents: by host, by address prefix, by id; where they lie, and how many tokens that is
    list       their ids go to RUN/forgotten.json first, so that a halt at any point leaves work that can be finished
    rewrite    documents, text, keys, decisions, evidence, weights; then the token shards
    balance    commits, funnel, summary, mixture, manifest, report; and a second look that nothing is left

Everything after `find` gives the same when it is done twice.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from curation.errors import ConservationError, InputError
from curation.recipe.load import rebuild_recipe
from curation.run.books import balance, is_mixed_anew
from curation.run.folder import RunFolder, clear_unfinished, read_json, write_json
from curation.run.forgotten import forgotten_ids, requests
from curation.run.lock import only_writer
from curation.run.manifest import now
from curation.run.plan import cut_into_segments
from curation.run.rewrite import files_with, leave_fates, rewrite_without, without_messages
from curation.run.selection import Selection, documents_of
from curation.tokens import forget as shards
from curation.tokens.shards import SPLITS, list_shards

Progress = Callable[[str, int, int], None]  # (step, files done, files in all)


@dataclass(frozen=True)
class Found:
    """What a forgetting concerns: rows of COLUMNS, the files to rewrite, and the tokens in them by shard."""

    documents: pa.Table
    files: list[Path]
    tokens: dict[Path, int]

    @property
    def ids(self) -> frozenset[int]:
        return frozenset(self.documents["doc_id"].to_pylist())

    @property
    def kept(self) -> pa.Table:
        return self.documents.filter(pc.is_null(self.documents["dropped_by"]))

    def facts(self) -> dict[str, int]:
        """Counts for people and for the manifest; none of them says which documents these are."""
        return {
            "documents": len(self.documents),
            "kept": len(self.kept),
            "characters": pc.sum(self.kept["chars"]).as_py() or 0,
            "tokens": sum(self.tokens.values()),
            "files": len(self.files) + len(self.tokens),
            "bytes": sum(path.stat().st_size for path in (*self.files, *self.tokens)),
        }


def find(folder: RunFolder, selection: Selection) -> Found:
    """The documents of a selection and where they lie; together with those of a forgetting that broke off.

    Raises InputError where the run is not finished, or nothing matches.
    """
    check_finished(folder)
    pending = forgotten_ids(folder) if _pending(folder) else frozenset()
    if not selection.by and not pending:
        raise InputError("nothing to forget: give --host, --url-prefix or --ids")
    documents = documents_of(folder, selection)
    ids = pending | frozenset(documents["doc_id"].to_pylist())
    if not ids:
        below = on_hosts_below(folder, selection)
        hint = f"; {below} documents are on hosts below: take them with --subdomains" if below else ""
        raise InputError(f"no document of {folder.root} matches, so nothing was changed{hint}")
    alive, dead = _first_pass(folder)
    files = set(files_with(folder, ids))
    files |= {dead / path.name for path in files if path.parent == alive}  # where their fates will stand
    return Found(documents, sorted(files), dict(_tokens_in_shards(folder, ids)))


def _first_pass(folder: RunFolder) -> tuple[Path, Path]:
    """Folders of the pages that lived after the first pass and of those that did not."""
    segments = cut_into_segments(rebuild_recipe(read_json(folder.plan)["resolved"]).stages)
    return folder.alive(0, last=len(segments) == 1), folder.dead(0)


def check_finished(folder: RunFolder) -> None:
    """Raises InputError where the folder holds no run, or one that still has something to do."""
    if not folder.manifest.is_file() or not folder.plan.is_file():
        raise InputError(f"{folder.root} is no finished run; finish it with `curate run ... --resume` first")
    plan = read_json(folder.plan)
    recipe, units = rebuild_recipe(plan["resolved"]), {unit["name"] for unit in plan["units"]}
    segments = cut_into_segments(recipe.stages)
    undone = [f"pass {one.number}" for one in segments if units - folder.committed(one.number)]
    undone += [stage.name for one in segments for stage in one.corpus_stages if not folder.step_done(stage.name)]
    kept = read_json(folder.funnel)["stages"][-1]["kept"] if folder.funnel.is_file() else 0
    if recipe.tokens is not None and kept and not (folder.tokens / "summary.json").is_file():
        undone.append("tokens")
    if undone:
        raise InputError(
            f"{folder.root} has not finished {', '.join(undone)}; finish it with `curate run ... --resume`, so that "
            "every document of the selection is known"
        )


def _pending(folder: RunFolder) -> bool:
    return any(not request["done"] for request in requests(folder))


def on_hosts_below(folder: RunFolder, selection: Selection) -> int:
    """Documents on subdomains of the hosts asked for, where these were not asked for too."""
    if not selection.hosts or selection.subdomains:
        return 0
    wider = documents_of(folder, Selection(selection.hosts, subdomains=True))
    return len(wider) - len(documents_of(folder, Selection(selection.hosts)))


def forget(
    folder: RunFolder, selection: Selection, found: Found, progress: Progress = lambda step, done, total: None
) -> list[str]:
    """Forgets what `find` found. Returns sentences on what the run cannot be any more, such as its mixture.

    Raises ResumeError where another process writes to the run, ConservationError where the books do not balance
    afterwards.
    """
    with only_writer(folder.root):
        ids = _enlist(folder, selection, found)
        clear_unfinished(folder.root)
        shutil.rmtree(folder.tokens.with_name(f"{folder.tokens.name}.building"), ignore_errors=True)
        _rewrite(folder, ids, found, progress)
        without_messages(folder.log)
        problems = balance(folder, mixed_anew=any(one["mixed_anew"] for one in requests(folder) if not one["done"]))
        left = [*files_with(folder, ids), *(path for path, _ in _tokens_in_shards(folder, ids))]
        if left:
            raise ConservationError(
                f"{left[0]} still holds a forgotten document, as do {len(left) - 1} more: run it again"
            )
        done = [{**one, "done": True} for one in requests(folder)]
        write_json(folder.manifest, {**read_json(folder.manifest), "forgotten": done})
        write_json(folder.forgotten, {"requests": done, "doc_ids": sorted(ids)})
        return problems


def _enlist(folder: RunFolder, selection: Selection, found: Found) -> frozenset[int]:
    """Adds what was found to RUN/forgotten.json; all ids in it."""
    known = forgotten_ids(folder)
    fresh = found.ids - known
    if fresh:
        asked = requests(folder)
        request = {
            "at": now(),
            "by": selection.by,
            "subdomains": selection.subdomains,
            **found.facts(),
            "mixed_anew": is_mixed_anew(folder),
            "done": False,
        }
        write_json(folder.forgotten, {"requests": [*asked, request], "doc_ids": sorted(known | fresh)})
    return known | fresh


def _rewrite(folder: RunFolder, ids: Collection[int], found: Found, progress: Progress) -> None:
    """Fates first: from then on a page that is read again is known to be forgotten, whatever is still to be done."""
    alive, dead = _first_pass(folder)
    total, done = len(found.files) + len(found.tokens), 0
    for path in found.files:
        if path.parent == dead:
            leave_fates(alive / path.name, path, ids)
    for path in found.files:
        if path.parent != dead:
            rewrite_without(path, ids)
        progress("forget", done := done + 1, total)
    for path in found.tokens:
        shards.rewrite_without(path, ids)
        progress("forget", done := done + 1, total)


def _tokens_in_shards(folder: RunFolder, ids: Collection[int]) -> Iterator[tuple[Path, int]]:
    """Shards that hold tokens of the documents, and how many."""
    for split in SPLITS:
        for found in list_shards(folder.tokens, split).values():
            for shard in found:
                if held := shards.tokens_held(shard.path, ids):
                    yield shard.path, held
