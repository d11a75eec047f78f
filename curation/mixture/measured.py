"""Measured mixtures: a table of shares and losses, one row a trained model."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from curation.errors import InputError, did_you_mean
from curation.mixture.settings import SHARE_TOLERANCE

NOT_SOURCES = ("candidate",)


@dataclass(frozen=True)
class Measured:
    """`shares` of `sources` (rows x sources, each sums to 1), `losses` (rows x columns), `weights` of columns."""

    sources: tuple[str, ...]
    shares: np.ndarray
    columns: tuple[str, ...]
    losses: np.ndarray
    weights: np.ndarray

    @property
    def objective(self) -> np.ndarray:
        """What is to be small, a number a row: the weighted mean of the loss columns."""
        return self.losses @ self.weights


def read_measured(path: Path, losses: Mapping[str, float]) -> Measured:
    """Reads CSV (with a header) or JSON lines. `losses` are columns and their weights; all other columns are sources.

    A column `candidate` is passed over. Raises InputError that names file, row and what is wrong: a column that is
    absent, a value that is no finite number, shares that do not sum to 1.
    """
    rows = _rows(path)
    if not rows:
        raise InputError(f"{path} holds no rows: write one for each trained model, with its shares and losses")
    header = list(rows[0])
    missing = [f"'{name}' ({did_you_mean(name, header)})" for name in losses if name not in header]
    if missing:
        raise InputError(f"{path} has no column {', '.join(missing)}: name the loss columns with --loss")
    sources = tuple(sorted(name for name in header if name not in losses and name not in NOT_SOURCES))
    if len(sources) < 2:
        raise InputError(f"{path} has shares of {len(sources)} sources: at least two are needed to mix")
    columns = tuple(losses)
    table = [[_number(path, at, row, name) for name in (*sources, *columns)] for at, row in enumerate(rows, 1)]
    values = np.array(table)
    shares = values[:, : len(sources)]
    for at, row in enumerate(shares, 1):
        if row.min() < 0 or abs(row.sum() - 1) > 10 * SHARE_TOLERANCE:
            raise InputError(
                f"{path}, row {at}: the shares of {', '.join(sources)} sum to {row.sum():.4g} and the least is "
                f"{row.min():.4g}; they must be at least 0 and sum to 1 (is a column missing from --loss?)"
            )
    weights = np.array([losses[name] for name in columns], dtype=float)
    return Measured(
        sources, shares / shares.sum(axis=1, keepdims=True), columns, values[:, len(sources) :], weights / weights.sum()
    )


def _rows(path: Path) -> Sequence[Mapping[str, object]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if path.suffix not in (".jsonl", ".json"):
        table = list(csv.DictReader(text.splitlines()))
        for at, row in enumerate(table, 1):
            if None in row:
                raise InputError(f"{path}, row {at} has more cells than the header has names: {row[None]!r} are left")
        return table
    rows = []
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(f"{path}, line {at} is no JSON: {error}") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}, line {at} is no JSON object, but {type(row).__name__}")
            rows.append(row)
    return rows


def _number(path: Path, at: int, row: Mapping[str, object], name: str) -> float:
    value = row.get(name)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{path}, row {at}: {name} is {value!r}, not a finite number; leave out runs that failed")
    return number
