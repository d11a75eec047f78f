"""Single records of a crawl, fetched by place and kept as a WARC file of their own."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from curation.errors import StoreError
from curation.snapshot.index import PLACE
from curation.stores.files import join
from curation.stores.remote import RemoteFile


@dataclass(frozen=True)
class Fetched:
    """Records that were written, and a sentence for each that was not."""

    written: int
    problems: list[str]


def fetch_records(
    root: str,
    records: pa.Table,
    target: Path,
    *,
    parallel: int = 4,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Fetched:
    """Writes the records into the WARC file `target`, one gzip member each, byte for byte as the crawl holds them.

    `target`.jsonl tells where each came from, in the same order. Both appear when they are complete.
    """
    rows = records.to_pylist()
    written, problems = 0, []
    target.parent.mkdir(parents=True, exist_ok=True)
    origins = target.with_name(f"{target.name}.jsonl")
    fresh, fresh_origins = (path.with_name(f".{path.name}.part") for path in (target, origins))
    with (
        ThreadPoolExecutor(parallel) as pool,
        fresh.open("wb") as out,
        fresh_origins.open("w", encoding="utf-8") as told,
    ):
        for number, (row, member) in enumerate(zip(rows, pool.map(lambda row: _member(root, row), rows), strict=True)):
            if isinstance(member, StoreError):
                problems.append(str(member))
            else:
                out.write(member)
                told.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
                written += 1
            progress(number + 1, len(rows))
    fresh.replace(target)
    fresh_origins.replace(origins)
    return Fetched(written, problems)


def _member(root: str, row: dict) -> bytes | StoreError:
    name, offset, length = (row[column] for column in PLACE)
    place = join(root, name)
    try:
        member = RemoteFile(place, opened=False).read(offset, length)
    except StoreError as error:
        return error
    inflater = zlib.decompressobj(31)
    with suppress(zlib.error):  # then it is not at its end
        inflater.decompress(member)
    if len(member) == length and inflater.eof and not inflater.unused_data:
        return member
    return StoreError(
        f"{place}: bytes {offset} to {offset + length} are no whole record: is the index of another crawl?"
    )
