"""The rows of one source as an endless sequence of passes, each in an order of its own, read a unit at a time.

A unit is what is decoded at once: a row group, or of shards with whole documents (`pack: none`) UNIT_GROUPS of them,
packed anew. The order of a pass: shards, units within a shard, rows within a unit, each shuffled by a hash of the seed.
(Documents were spread over shards and rows by a hash when the shards were written.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from curation.errors import InputError, TokenizerError
from curation.reader.order import fold, order_of
from curation.tokens.pack import PackedRow
from curation.tokens.shards import Counts, ShardInfo, open_shard, rows_of

UNIT_GROUPS = 16  # of 2^18 tokens: enough to fill rows of 8,192 to 99.9 %, 16 MB of ids
OPEN_SHARDS = 64  # footers kept


class Unit(NamedTuple):
    """Row groups [first, end) of shard number `shard`."""

    shard: int
    first: int
    end: int


class SourceRows:
    """Row n of the endless sequence is row n mod `rows` of pass n // `rows`.

    `length` packs whole documents anew into rows of that many tokens (best fit) and needs `token_bytes`; None takes
    rows as they are stored. Packing anew reads the lengths of all documents when it starts.
    """

    def __init__(
        self,
        name: str,
        shards: Sequence[tuple[Path, Counts]],
        info: ShardInfo,
        seed: int,
        length: int | None = None,
        token_bytes: np.ndarray | None = None,
    ):
        self.name, self.length, self._info, self._token_bytes = name, length, info, token_bytes
        self._shards = list(shards)
        self._seed = fold(seed, *name.encode("utf-8"))
        self._rows = np.array([self._rows_in(shard) for shard in range(len(shards))], dtype=np.int64)
        self.rows = int(self._rows.sum())
        self._decoded: dict[Unit, list[PackedRow]] = {}

    def read(self, numbers: np.ndarray) -> list[PackedRow]:
        """These rows of the endless sequence. Units of the call before are kept where they are needed again."""
        places = self._locate(numbers)
        needed = {unit for unit, _ in places}
        self._decoded = {unit: rows for unit, rows in self._decoded.items() if unit in needed}
        for unit in needed - self._decoded.keys():
            self._decoded[unit] = self._decode(unit)
        return [self._decoded[unit][row] for unit, row in places]

    def next_unit(self, number: int) -> tuple[int, int, int]:
        """(pass, place of the shard in it, place of the unit in that): the first unit that begins at row `number` or
        after. It is the same unit whatever `length` is.
        """
        turn, at = divmod(number, self.rows)
        order, starts = self._pass(turn)
        place = int(np.searchsorted(starts, at, side="right")) - 1
        _, unit_starts = self._units_in_order(turn, int(order[place]))
        return turn, place, int(np.searchsorted(unit_starts[:-1], at - starts[place], side="left"))

    def row_of_unit(self, turn: int, place: int, unit: int) -> int:
        """The number of the first row of what `next_unit` names."""
        order, starts = self._pass(turn)
        _, unit_starts = self._units_in_order(turn, int(order[place]))
        return turn * self.rows + int(starts[place] + unit_starts[unit])

    def _locate(self, numbers: np.ndarray) -> list[tuple[Unit, int]]:
        """Unit and row within it. Consecutive numbers mostly share a unit, so orders are computed once for each."""
        found: list[tuple[Unit, int]] = [None] * len(numbers)  # type: ignore[list-item]
        turns, at = np.divmod(numbers, self.rows)
        for turn in np.unique(turns).tolist():
            order, starts = self._pass(turn)
            here = np.flatnonzero(turns == turn)
            places = np.searchsorted(starts, at[here], side="right") - 1
            for place in np.unique(places).tolist():
                shard = int(order[place])
                units, unit_starts = self._units_in_order(turn, shard)
                inside = here[places == place]
                offsets = at[inside] - starts[place]
                unit_places = np.searchsorted(unit_starts, offsets, side="right") - 1
                for unit_place in np.unique(unit_places).tolist():
                    chosen = unit_places == unit_place
                    unit = units[unit_place]
                    rows = int(unit_starts[unit_place + 1] - unit_starts[unit_place])
                    inner = order_of(rows, self._seed, turn, unit.shard, unit.first)
                    rows_of_unit = inner[offsets[chosen] - unit_starts[unit_place]].tolist()
                    for to, row in zip(inside[chosen].tolist(), rows_of_unit, strict=True):
                        found[to] = (unit, row)
        return found

    def _pass(self, turn: int) -> tuple[np.ndarray, np.ndarray]:
        """Shards in the order of a pass, and the row of the pass at which each begins; one more for the end."""
        order = order_of(len(self._shards), self._seed, turn)
        return order, np.concatenate([[0], np.cumsum(self._rows[order])])

    def _units_in_order(self, turn: int, shard: int) -> tuple[list[Unit], np.ndarray]:
        """Units of a shard in the order of a pass, and the row of the shard at which each begins."""
        units, rows = self._units(shard)
        order = order_of(len(units), self._seed, turn, shard)
        return [units[one] for one in order], np.concatenate([[0], np.cumsum(rows[order])])

    def _units(self, shard: int) -> tuple[list[Unit], np.ndarray]:
        path, counts = self._shards[shard]
        return _units_of(path, counts, self._info, shard, self.length)

    def _rows_in(self, shard: int) -> int:
        if self.length is None:
            return self._shards[shard][1].rows
        return int(self._units(shard)[1].sum())

    def _decode(self, unit: Unit) -> list[PackedRow]:
        table = _file(self._shards[unit.shard][0]).read_row_groups(range(unit.first, unit.end), use_threads=False)
        rows = list(rows_of(table))
        if self.length is None:
            return rows
        from curation.reader.repack import repacked

        return repacked(rows, self.length, self._token_bytes)


def _file(path: Path) -> pq.ParquetFile:
    return _opened(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=OPEN_SHARDS)
def _opened(path: Path, _written_at: int) -> pq.ParquetFile:
    """Whoever forgets documents replaces the file: then it is opened anew."""
    return pq.ParquetFile(path)


@lru_cache(maxsize=4096)
def _units_of(
    path: Path, counts: Counts, info: ShardInfo, shard: int, length: int | None
) -> tuple[list[Unit], np.ndarray]:
    """Units of a shard and the rows of each. Raises where the shard is not the one that summary.json tells of."""
    found = open_shard(path, info.tokenizer_sha256)
    if found.info != info:
        raise TokenizerError(f"{path} holds {found.info}, other shards of this source {info}: write the shards again")
    if found.counts != counts:
        raise InputError(f"{path} holds {found.counts}, summary.json says {counts}: one of them is of another run")
    footer = _file(path).metadata
    size = UNIT_GROUPS if info.packing == "none" else 1
    units = [Unit(shard, at, min(at + size, footer.num_row_groups)) for at in range(0, footer.num_row_groups, size)]
    if length is None:
        rows = [sum(footer.row_group(group).num_rows for group in range(unit.first, unit.end)) for unit in units]
    else:
        from curation.reader.repack import count_rows

        rows = [count_rows(_file(path), range(unit.first, unit.end), length) for unit in units]
    return units, np.array(rows, dtype=np.int64)
