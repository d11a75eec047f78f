"""Benchmark items: JSON lines with named fields, read into one table that travels to the workers and into the run.

A recipe says which benchmarks and which of their fields count; where the files lie is said at the start of a run, as
one folder. For a benchmark `gsm8k` it holds gsm8k.jsonl (also .jsonl.gz, .jsonl.zst), or a folder gsm8k of such files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from curation.errors import InputError, did_you_mean
from curation.read.tape import Tape
from curation.read.unpacked import unpacked

PARTS = pa.schema(
    [
        pa.field("benchmark", pa.string()),
        pa.field("item", pa.string()),  # <file>:<line>, lines counted from 1
        pa.field("field", pa.string()),  # as the recipe names it; choices.1 for the second text of a list
        pa.field("text", pa.large_string()),
    ]
)
ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_STEP = 1 << 20


@dataclass(frozen=True, eq=False)
class Items:
    """All parts of all items of a stage, as PARTS: the parts of one item stand together.

    Equal by content, so that a worker builds one index for all the tasks it gets.
    """

    table: pa.Table
    digest: str = field(init=False)  # sha256 over the content, hex

    def __post_init__(self) -> None:
        content = hashlib.sha256()
        for name in PARTS.names:
            content.update(json.dumps(self.table[name].to_pylist()).encode())
        object.__setattr__(self, "digest", content.hexdigest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Items) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def read_items(folder: Path | str, benchmarks: Mapping[str, Sequence[str]]) -> Items:
    """The items of `benchmarks` (name -> fields that count) below `folder`.

    A field is a key, or a path of keys such as choices.text; its value a text, a number, null (no text) or a list of
    these, each of which is a part of its own. Parts are never joined: an n-gram does not reach from one into the next.

    Raises InputError that names file, line and field for whatever cannot be read.
    """
    rows: dict[str, list[str]] = {name: [] for name in PARTS.names}
    for benchmark, fields in benchmarks.items():
        for file in _files(Path(folder), benchmark):
            for number, line in enumerate(_lines(file), start=1):
                if line.strip():
                    for name, text in _parts(file, number, line, fields):
                        for column, value in zip(PARTS.names, (benchmark, f"{file.name}:{number}", name, text),
                                                 strict=True):  # fmt: skip
                            rows[column].append(value)
        if benchmark not in rows["benchmark"][-1:]:
            raise InputError(f"benchmark '{benchmark}' in {folder} holds no item: its files are empty; replace them")
    return Items(pa.table(rows, schema=PARTS))


def _files(folder: Path, benchmark: str) -> list[Path]:
    found = [folder / f"{benchmark}{ending}" for ending in ENDINGS if (folder / f"{benchmark}{ending}").is_file()]
    if (folder / benchmark).is_dir():
        found += sorted(path for path in (folder / benchmark).iterdir() if path.name.endswith(ENDINGS))
    if not found:
        known = sorted({path.name.partition(".jsonl")[0] for path in folder.iterdir()} if folder.is_dir() else ())
        raise InputError(
            f"no benchmark '{benchmark}' in {folder}: it must hold {benchmark}.jsonl (.gz, .zst) or a folder "
            f"{benchmark} of such files; {did_you_mean(benchmark, known)}"
        )
    return found


def _lines(file: Path) -> list[bytes]:
    pieces = []
    with Tape(str(file)) as tape:
        stream = unpacked(tape)
        while piece := stream.read(_STEP):
            pieces.append(piece)
    if stream.fault:
        raise InputError(f"{file} is damaged ({stream.fault}): fetch it again; a benchmark is used whole or not at all")
    return b"".join(pieces).split(b"\n")


def _parts(file: Path, number: int, line: bytes, fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    where = f"{file}, line {number}"
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(f"{where} is not JSON ({error}); repair or remove the line") from error
    if not isinstance(row, dict):
        raise InputError(f"{where} is {type(row).__name__}, not an object with named fields; repair or remove it")
    for name in fields:
        value: Any = row
        for key in name.split("."):
            if not isinstance(value, dict) or key not in value:
                raise InputError(f"{where} has no field '{name}'; {did_you_mean(name, list(map(str, row)))}")
            value = value[key]
        texts = value if isinstance(value, list) else [value]
        for place, text in enumerate(texts):
            if isinstance(text, (dict, list)):
                raise InputError(f"{where}: field '{name}' holds {type(text).__name__}; name the texts in it by a path")
            yield (f"{name}.{place}" if isinstance(value, list) else name), "" if text is None else str(text)
