"""Downloads that can be broken off at any byte and taken up again there."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from curation.errors import InputError, StoreError
from curation.stores.access import is_remote
from curation.stores.files import join, sizes_of
from curation.stores.remote import RemoteFile

PIECE = 8 << 20  # bytes that are fetched, written and counted at a time
Progress = Callable[[int, int], None]  # (bytes there, bytes in all)


@dataclass(frozen=True)
class Downloaded:
    """Names that lie complete in the folder, bytes fetched this time, and a sentence for each file that does not."""

    names: list[str]
    fetched: int
    problems: list[str]


def download(
    root: str, names: Sequence[str], out: Path, *, parallel: int = 4, progress: Progress = lambda done, total: None
) -> Downloaded:
    """Fetches files below `root` into the same places below `out`; what is there complete already is not fetched.

    A file appears under its name when it is whole; until then it is `.NAME.part`, which a later call goes on with if
    the file in the store is still the same. A file that cannot be had does not stop the others.
    """
    if not is_remote(root):
        raise InputError(f"{root} is a folder of this machine already: give it to `curate run --input`")
    astray = [name for name in names if name.startswith("/") or ".." in name.split("/")]
    if astray:
        raise InputError(
            f"the path list of {root} names {astray[0]}, which leads out of the folder: nothing is fetched"
        )
    sizes = sizes_of([join(root, name) for name in names])
    problems = [str(size) for size in sizes if isinstance(size, OSError)]
    wanted = {name: size for name, size in zip(names, sizes, strict=True) if isinstance(size, int)}
    missing = {name: size for name, size in wanted.items() if not _is_whole(out / name, size)}
    total, count = sum(wanted.values()), _Counter(progress, sum(wanted.values()))
    count.add(total - sum(missing.values()))

    def one(name: str) -> tuple[int, str | None]:
        try:
            return _fetch(join(root, name), out / name, count), None
        except StoreError as error:
            return 0, str(error)

    with ThreadPoolExecutor(parallel) as pool:
        done = dict(zip(missing, pool.map(one, missing), strict=True))
    problems += [problem for _, problem in done.values() if problem]
    whole = [name for name in wanted if done.get(name, (0, None))[1] is None]
    return Downloaded(whole, sum(fetched for fetched, _ in done.values()), problems)


def write_path_list(out: Path, crawl: str, kind: str, names: Sequence[str], order: Sequence[str]) -> Path:
    """Adds names to the path list in `out`, so that `curate run --input OUT` reads just what is there.

    `order`: names in the order of the crawl; others come behind.
    """
    place = out / "crawl-data" / crawl / f"{kind}.paths.gz"
    listed = gzip.decompress(place.read_bytes()).decode().split() if place.is_file() else []
    rank = {name: number for number, name in enumerate(order)}
    both = sorted({*listed, *names}, key=lambda name: (rank.get(name, len(rank)), name))
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f".{place.name}.tmp")
    fresh.write_bytes(gzip.compress("".join(f"{name}\n" for name in both).encode(), mtime=0))
    fresh.replace(place)
    return place


def _is_whole(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _fetch(place: str, target: Path, count: _Counter) -> int:
    """One file; returns the bytes fetched this time."""
    file = RemoteFile(place)
    if target.name.endswith(".gz") and not file.head.startswith(b"\x1f\x8b"):
        raise StoreError(f"{place} is no gzip file; it begins with {file.head[:60]!r}")
    part, state = target.with_name(f".{target.name}.part"), target.with_name(f".{target.name}.part.json")
    target.parent.mkdir(parents=True, exist_ok=True)
    version = {"size": file.size, "tag": file.tag}
    if not (part.is_file() and state.is_file() and json.loads(state.read_text()) == version):
        part.write_bytes(b"")
        state.write_text(json.dumps(version))
    with part.open("r+b") as out:
        start = position = min(out.seek(0, 2), file.size)
        out.seek(position)
        out.truncate()
        count.add(position)
        while position < file.size:
            piece = file.read(position, PIECE)
            out.write(piece)
            out.flush()
            position += len(piece)
            count.add(len(piece))
    part.replace(target)
    state.unlink()
    return position - start


class _Counter:
    """Bytes of all threads together."""

    def __init__(self, progress: Progress, total: int):
        self._progress, self._total, self._done, self._lock = progress, total, 0, threading.Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self._done += count
            self._progress(self._done, self._total)
