"""Which columns of the user's files hold text, identity, date, address and scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from curation.dedup.duplicates import Duplicates, Exact
from curation.errors import InputError, did_you_mean
from curation.read.budgets import Budgets
from curation.read.file import InputFile
from curation.read.filekind import JSONL, PARQUET
from curation.read.rows import ID, TEXT, URL, split_lines
from curation.read.splits import Split
from curation.read.tape import Tape, parquet_source


@dataclass(frozen=True)
class Columns:
    """Names of columns as the user gave them; None = the first present of the names that published sets use.

    A date is only taken where it is named. `scores` are what keep=best_score compares; `needs_url` for by=url.
    """

    text: str | None = None
    id: str | None = None
    date: str | None = None
    scores: tuple[str, ...] = ()
    needs_url: bool = False

    def within(self, present: Sequence[str]) -> Found:
        """What they are among the columns `present`. Raises InputError for a name that is not there."""
        for name in (self.text, self.id, self.date, *self.scores):
            if name is not None and name not in present:
                raise InputError(f"no column '{name}'; {did_you_mean(name, list(present))}")
        twice = [name for name in dict.fromkeys(present) if list(present).count(name) > 1]
        if twice:
            raise InputError(f"the column '{twice[0]}' stands twice in it; keep one")
        text, url = self.text or _first(TEXT, present), _first(URL, present)
        if text is None:
            others = f"name one of {', '.join(present)} with --text" if present else "it has no column at all"
            raise InputError(f"none of the columns {', '.join(TEXT)}; {others}")
        if self.needs_url and url is None:
            raise InputError(f"by: url needs one of the columns {', '.join(URL)}; there are {', '.join(present)}")
        return Found(text, self.id or _first(ID, present), self.date, url if self.needs_url else None, self.scores)


@dataclass(frozen=True)
class Found:
    """Columns of one file."""

    text: str
    id: str | None
    date: str | None
    url: str | None
    scores: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(n for n in (self.text, self.id, self.date, self.url, *self.scores) if n is not None))


def columns_for(stages: Sequence[Duplicates], text: str | None, id: str | None, date: str | None) -> Columns:
    """The columns that these stages need. Raises InputError where keep=newest has no date to go by."""
    if date is None and any(stage.keep == "newest" for stage in stages):
        raise InputError("keep: newest needs a date; name its column with --date")
    scores = tuple(dict.fromkeys(stage.score for stage in stages if stage.score is not None))
    by_url = any(isinstance(stage, Exact) and stage.by == "url" for stage in stages)
    return Columns(text, id, date, scores, by_url)


def find_columns(files: Sequence[InputFile], columns: Columns) -> list[Found]:
    """The columns of each file, found before any work starts. Raises InputError that names the file."""
    found = []
    for file in files:
        if file.kind not in (PARQUET, JSONL):
            raise InputError(f"{file.path} is {file.kind}; `curate run` reads that, here go Parquet and JSON lines")
        try:
            if file.kind == PARQUET:
                schema = pq.read_schema(parquet_source(file.path))
                found.append(columns.within(schema.names))
                _check_text(schema.field(found[-1].text))
            else:
                found.append(columns.within(_first_keys(file, columns)))
        except InputError as error:
            raise InputError(f"{file.path}: {error}") from None
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{file.path} is no readable Parquet file: {error}") from error
    return found


def _check_text(field: pa.Field) -> None:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        raise InputError(f"column '{field.name}' is {kind}, not text; name the text column with --text")


def _first_keys(file: InputFile, columns: Columns) -> list[str]:
    """Keys of the first line; of a file without lines all that could be asked for, for nothing is missing there."""
    with Tape(file.path) as tape:
        _, lines = split_lines(Split(file, 0, file.size), tape, Budgets().max_record_bytes)
        first = next((line for _, line, _ in lines if line and line.strip()), None)
    if first is None:
        asked = (columns.text, columns.id, columns.date, *columns.scores)
        return [*TEXT, *URL, *(name for name in asked if name is not None)]
    try:
        values = json.loads(first)
    except ValueError as error:
        raise InputError(f"the first line is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"the first line is {type(values).__name__}, not an object")
    return list(values)


def _first(names: Sequence[str], present: Sequence[str]) -> str | None:
    return next((name for name in names if name in present), None)
