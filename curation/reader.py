"""The trainer's reader: packed rows of all sources in the proportions of the mixture, resumable to the row.

Needs only pyarrow and numpy. Nothing is drawn at random while reading: the source of the g-th row, and which row of it,
follow from g, the seed and the shards alone. So ranks agree without talking, and a position is all there is to save.

Row j of the n rows planned for a source belongs at the moment (2j + 1) / 2n of the run; all rows are read in order of
their moments. Any stretch of the run then holds each source in its share, to within one row.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from curation.errors import MixtureError, ResumeError, did_you_mean
from curation.tokens.pack import PackedRow
from curation.tokens.shards import Shard, list_shards, rows_of


class ShardReader:
    """Rows of one rank: dicts with `input_ids`, `doc_lengths`, `doc_ids` (arrays) and `source`.

    `mixture` is what `curation.mixture.solve` returned, or the path of its mixture.json: its epochs say how often the
    rows of each source come. Without it each row comes once. Rank r of `world` gets the rows r, r + world, ... of the
    run; the ranks' counts differ by at most one. Each pass over a source has its own order, by `seed`. The last row of
    a shard may be shorter than the others.

    Cost: one row group (16 MB) of each source in memory. Every rank decodes every row group it needs a row of, which
    for small groups of rows per rank is all of them: time to read grows with the number of ranks.
    """

    def __init__(
        self,
        tokens_dir: Path | str,
        mixture: Mapping[str, Any] | Path | str | None = None,
        split: str = "train",
        rank: int = 0,
        world: int = 1,
        seed: int = 0,
    ):
        assert 0 <= rank < world, f"rank {rank} is not below world {world}"
        shards = list_shards(tokens_dir, split)
        planned = _planned_rows(shards, mixture, f"{Path(tokens_dir) / split}")
        self._sources = [_SourceRows(name, shards[name], seed) for name in planned]
        self._schedule = Schedule(list(planned.values()))
        self._rank, self._world, self._steps = rank, world, 0
        sha256 = next(iter(shards.values()))[0].info.tokenizer_sha256
        self._identity = {"seed": seed, "split": split, "tokenizer_sha256": sha256, "planned_rows": planned}
        self._first_row = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows from the present position on. `state_dict` after a row resumes with the next one."""
        while (at := self._first_row + self._steps * self._world + self._rank) < self._schedule.total:
            source, row = self._schedule.at(at)
            self._steps += 1
            yield self._sources[source].row(row)

    def skip(self, count: int) -> None:
        """Pass over `count` rows of this rank without reading them."""
        self._steps += count

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs; the same on all ranks after the same number of steps. Plain JSON."""
        return {**self._identity, "next_row": self._first_row + self._steps * self._world}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was taken, also with another number of ranks. ResumeError where the data differ."""
        for name, value in self._identity.items():
            if state.get(name) != value:
                raise ResumeError(
                    f"the saved state has {name} {state.get(name)!r}, this reader has {value!r}: "
                    "read the same shards with the same mixture and seed, or start anew"
                )
        self._first_row, self._steps = state["next_row"], 0


class Schedule:
    """The order in which sources take turns. Exact integers: the moment of row j of source i is (2j + 1) * step[i].

    >>> schedule = Schedule([3, 1])
    >>> [schedule.at(g) for g in range(4)]
    [(0, 0), (0, 1), (1, 0), (0, 2)]
    """

    def __init__(self, rows: Sequence[int]):
        self.total = sum(rows)
        self._rows = list(rows)
        span = math.lcm(*rows)
        self._end = 2 * span
        self._step = [span // count for count in rows]
        self._seek(0)

    def at(self, position: int) -> tuple[int, int]:
        """(source, row of the source) at a position of the run. Going on is cheap, and so is a jump."""
        if not 0 <= position - self._position <= 4 * len(self._rows):
            self._seek(position)
        while self._position < position:
            self._taken[self._turn()] += 1
            self._position += 1
        source = self._turn()
        return source, self._taken[source]

    def _turn(self) -> int:
        moments = [(2 * taken + 1) * step for taken, step in zip(self._taken, self._step, strict=True)]
        return moments.index(min(moments))

    def _seek(self, position: int) -> None:
        """Rows taken from each source before some position at or a little below this one.

        Before moment t of the run each source has given its share of t * total rows to within one half, so the
        moment of the position less the number of sources is certain to lie before it.
        """
        early = max(0, position - len(self._rows))
        moment = early * self._end // self.total
        self._taken = [(moment // step + 1) // 2 for step in self._step]
        self._position = sum(self._taken)


class _SourceRows:
    """Rows of one source, pass after pass: in each pass, row groups and the rows within them in an order of its own."""

    def __init__(self, name: str, shards: Sequence[Shard], seed: int):
        self.name = name
        self._seed = (seed, *name.encode("utf-8"))
        self._groups: list[tuple[Path, int, int]] = []
        for shard in shards:
            footer = pq.read_metadata(shard.path)
            self._groups += [(shard.path, g, footer.row_group(g).num_rows) for g in range(footer.num_row_groups)]
        self._rows = sum(rows for _, _, rows in self._groups)
        self._pass, self._open = -1, (-1, -1)
        self._order: list[int] = []
        self._inner: list[int] = []
        self._starts: list[int] = []
        self._packed: list[PackedRow] = []

    def row(self, number: int) -> dict[str, Any]:
        """Row `number` of the endless sequence of passes."""
        turn, at = divmod(number, self._rows)
        if turn != self._pass:
            self._pass = turn
            self._order = order_of(len(self._groups), *self._seed, turn).tolist()
            counts = [self._groups[group][2] for group in self._order]
            self._starts = np.concatenate([[0], np.cumsum(counts)]).tolist()
        place = bisect_right(self._starts, at) - 1
        if self._open != (turn, place):
            self._decode(turn, place)
        row = self._packed[self._inner[at - self._starts[place]]]
        return {
            **row._asdict(),
            "source": self.name,
        }

    def _decode(self, turn: int, place: int) -> None:
        group = self._order[place]
        path, number, rows = self._groups[group]
        with pq.ParquetFile(path) as file:
            self._packed = list(rows_of(file.read_row_group(number)))
        self._inner = order_of(rows, *self._seed, turn, group).tolist()
        self._open = (turn, place)


def order_of(count: int, *key: int) -> np.ndarray:
    """A permutation of range(count) by a hash of `key`: the same under every version of numpy.

    >>> sorted(order_of(5, 1, 2).tolist()), (order_of(50, 1, 2) == order_of(50, 1, 3)).all()
    ([0, 1, 2, 3, 4], np.False_)
    """
    state = np.zeros(1, dtype=np.uint64)
    for part in key:
        state = _mix(state + np.uint64(part & (2**64 - 1)))
    return np.argsort(_mix(state + np.arange(count, dtype=np.uint64)), kind="stable")


def _mix(values: np.ndarray) -> np.ndarray:
    """splitmix64 (Steele, Lea, Flood 2014, https://doi.org/10.1145/2660193.2660195), one step on each value."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _planned_rows(
    shards: Mapping[str, Sequence[Shard]], mixture: Mapping[str, Any] | Path | str | None, where: str
) -> dict[str, int]:
    """Rows to read of each source the mixture uses, in order of name: its rows times its epochs, at least one."""
    held = {name: sum(shard.counts.rows for shard in shards[name]) for name in sorted(shards)}
    if not held:
        raise MixtureError(f"no token shards in {where}: name the folder that the token stage wrote")
    if mixture is None:
        return held
    if not isinstance(mixture, Mapping):
        mixture = json.loads(Path(mixture).read_text(encoding="utf-8"))
    epochs = {name: one["epochs"] for name, one in sorted(mixture["sources"].items())}
    missing = [f"'{name}' ({did_you_mean(name, list(held))})" for name in epochs if name not in held]
    if missing:
        raise MixtureError(f"the mixture names {', '.join(missing)}, of which {where} holds no shards: solve it anew")
    return {name: max(1, round(held[name] * times)) for name, times in epochs.items() if times > 0}
