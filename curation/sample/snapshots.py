"""Writes a sample crawl: two snapshots as WARC in the layout of Common Crawl, and `truth.jsonl` beside them.

    OUT/crawl-data/DEMO-2024-10/warc.paths.gz                     one path a line, relative to OUT
    OUT/crawl-data/DEMO-2024-10/segments/<segment>/warc/*.warc.gz  two files
    OUT/crawl-data/DEMO-2024-18/...
    OUT/truth.jsonl                                                one object per page, see `truth.PageTruth`

The same seed and number of pages give the same bytes.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from curation.sample import bad, copies, transport
from curation.sample.personal import (
    dropped_pages_with_personal_data,
    pages_with_look_alikes,
    pages_with_personal_data,
)
from curation.sample.roles import counts
from curation.sample.truth import Truth, write_truth
from curation.sample.warc import write_warc
from curation.sample.world import SNAPSHOTS, START, Planted, World

FILES_PER_SNAPSHOT = 2


def write_snapshots(out: Path, *, seed: int = 7, pages: int = 400) -> Truth:
    """Writes the crawl into `out` (made where it is missing) and returns what is true of it.

    `pages` counts all pages of both snapshots, good and bad; InputError below `roles.FEWEST_PAGES`.
    """
    world = World(seed)
    planted = plant(world, pages)
    for snapshot in SNAPSHOTS:
        _write_snapshot(out, snapshot, world, [page for page in planted if page.truth.snapshot == snapshot])
    truth = Truth(out, [page.truth for page in planted])
    write_truth(out / "truth.jsonl", truth)
    return truth


def plant(world: World, pages: int) -> list[Planted]:
    """All pages of the crawl, role by role."""
    good, others = counts(pages)
    planted = copies.good_pages(world, good)
    originals = copies.Originals(world, planted)
    for role, count in others.items():
        planted = planted + _of_role(world, originals, role, count)
    return planted


def _of_role(world: World, originals: copies.Originals, role: str, count: int) -> list[Planted]:
    if role == "exact_copy":
        return copies.exact_copies(world, originals, count)
    if role in copies.NEAR:
        return copies.near_copies(world, originals, role, count)
    if role.startswith("recrawl_"):
        return copies.recrawls(world, originals, role, count)
    if role == "pii":
        return pages_with_personal_data(world, count)
    if role == "pii_look_alike":
        return pages_with_look_alikes(world, count)
    if role == "pii_dropped":
        return dropped_pages_with_personal_data(world, count)
    if role in transport.ROLES:
        return transport.hard_pages(world, role, count)
    return bad.bad_pages(world, role, count)


def _write_snapshot(out: Path, snapshot: str, world: World, planted: list[Planted]) -> None:
    start, names = START[snapshot], []
    for number, pages in enumerate(_files(world, snapshot, planted)):
        segment, stamp = f"{start.timestamp() * 1000:.0f}.0", f"{start:%Y%m%d%H%M%S}"
        name = f"crawl-data/{snapshot}/segments/{segment}/warc/DEMO-{stamp}-{number:05}.warc.gz"
        offsets = write_warc(out / name, snapshot, [page.capture for page in pages])
        for page, offset in zip(pages, offsets, strict=True):
            page.truth.warc_file, page.truth.warc_offset = name, offset
        names.append(name)
    paths = out / "crawl-data" / snapshot / "warc.paths.gz"
    paths.write_bytes(gzip.compress("".join(f"{name}\n" for name in names).encode(), mtime=0))


def _files(world: World, snapshot: str, planted: list[Planted]) -> list[list[Planted]]:
    """The pages of a snapshot in crawl order, by file. A damaged record gets neighbours, a cut one ends its file."""
    order = world.rng("order", snapshot).sample(planted, len(planted))
    flipped = [page for page in order if page.capture.damage == "flip"]
    cut = [page for page in order if page.capture.damage == "cut"]
    whole = [page for page in order if not page.capture.damage]
    size = -(-len(whole) // FILES_PER_SNAPSHOT)
    files = [whole[at : at + size] for at in range(0, len(whole), size)]
    files[0] = files[0][: size // 2] + flipped + files[0][size // 2 :]
    files[-1] = files[-1] + cut
    return files
