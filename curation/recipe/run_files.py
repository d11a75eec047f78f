"""Paths files (where) and cluster files (how big). A threshold never stands in either: they cannot change survivors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from curation.errors import RecipeError
from curation.read.splits import parse_size
from curation.recipe.sections import read_section
from curation.recipe.yaml_file import read_yaml

Size = Annotated[
    int, BeforeValidator(lambda value: parse_size(value) if isinstance(value, str) else value), Field(gt=0)
]


SOURCE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")  # becomes a folder of token shards


class Source(BaseModel):
    """One input: `where` is a crawl root, file, folder or glob; `source` its name in the mixture.

    `text`: the column that holds the text of JSON lines or Parquet, where it is not `text`, `content` or `raw_content`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    where: str
    source: str = Field(default="web", pattern=f"^{SOURCE_NAME.pattern}$")
    snapshots: tuple[str, ...] = ()
    files: int | None = Field(default=None, gt=0)
    text: str | None = Field(default=None, min_length=1)


class Paths(BaseModel):
    """Where a run reads and writes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    inputs: tuple[Source, ...] = Field(min_length=1)
    out: str
    against: tuple[str, ...] = ()  # folders of earlier runs whose documents count as seen
    benchmarks: str | None = None  # folder of the benchmark files that decontamination stages name


class Remote(BaseModel):
    """How remote stores are asked; see docs/remote-stores.md."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests: int = Field(default=32, gt=0)  # at a time, in the whole job
    tries: int = Field(default=10, gt=0)  # of one request, the first included
    first_wait: float = Field(default=1.0, ge=0)  # seconds before the second try; doubles with each further one ...
    longest_wait: float = Field(default=60.0, ge=0)  # ... up to here


class Cluster(BaseModel):
    """How a run is spread. Nothing here changes what survives."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cores: int | str = "*"  # local mode only
    partitions: int | None = Field(default=None, gt=0)  # tasks of the pass; None = one per unit
    split_size: Size | None = None  # bytes of a WARC file that one split covers; None = by input size, 1 to 128 MiB
    unit_size: Size = 1 << 30  # bytes of splits that make one committed unit of documents/
    remote: Remote = Remote()
    spark: dict[str, str] = Field(default_factory=dict)  # Spark properties


def read_paths(path: str) -> Paths:
    """A paths file. Raises RecipeError with every mistake."""
    return _read(path, Paths)


def cluster_with(path: str | None, **given: str | int | None) -> Cluster:
    """A cluster file (or the defaults) with the values given on the command line. Raises RecipeError."""
    base = _read(path, Cluster) if path else Cluster()
    mistakes: list[str] = []
    raw = {**base.model_dump(), **{key: value for key, value in given.items() if value is not None}}
    cluster = read_section("cluster", Cluster, raw, mistakes)
    if cluster is None:
        raise RecipeError("options", mistakes)
    return cluster


def _read(path: str, model: type) -> BaseModel:
    raw, mistakes = read_yaml(Path(path)), []
    read = read_section(Path(path).stem, model, raw if raw is not None else {}, mistakes)
    if mistakes:
        raise RecipeError(path, mistakes)
    return read
