"""`ShardReader`: the rows of one rank.

Nothing is drawn at random while reading: the source of the g-th row, and which row of it, follow from g, the seed and
the shards alone. So ranks agree without talking, and a position is all there is to save.

Ranks and units: rank r of w reads the rows r, r + w, ... If row g + 1 of the run were the next row of a unit, every
rank would have to decode every unit. So within a block of BLOCK_TOKENS the rows of a source are handed out in order of
their positions' lowest bits read backwards, which gives each of 2, 4, 8 ... ranks a run of consecutive rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from curation.errors import InputError, MixtureError, ResumeError, TokenizerError
from curation.reader.order import reversed_bits
from curation.reader.phases import PhaseRequest, check_sources, choose, planned_rows, requested_phases
from curation.reader.schedule import Schedule
from curation.reader.source import SourceRows
from curation.tokens.shards import Counts, ShardInfo, index_shards, open_shard

BLOCK_TOKENS = 2**24  # 64 MB of ids: what one reader alone holds; w readers hold a w-th each
LANE_BITS = 10  # 1,024 ranks


@dataclass(frozen=True)
class Phase:
    """A phase laid out: its first row in the run, its sources in order of `Schedule`, and where each is taken up."""

    name: str
    first: int
    schedule: Schedule
    sources: list[SourceRows]
    starts: np.ndarray
    block: int  # rows


class ShardReader:
    """Rows of one rank: dicts with the arrays of `PackedRow`, and `source` and `phase` (names).

    `mixture` is what `curation.mixture.solve` returned, or the path of its mixture.json: its epochs say how often the
    rows of each source come, in each of its phases; a later phase goes on in a source where the earlier one stopped.
    Without it each row comes once. `phase` reads one phase only, from where the others before it would stop.

    `sequence_length` is for phases that name none. Shards written with `pack: none` hold whole documents and are packed
    to any length (None: one document a row); other shards have the one length they were written with.

    Rank r of `world` gets the rows r, r + world, ... of the run; the ranks' counts differ by at most one. Each pass
    over a source has its own order, by `seed`. Rows may be shorter than the sequence length, see `targets`.
    """

    def __init__(
        self,
        tokens_dir: Path | str,
        mixture: Mapping[str, Any] | Path | str | None = None,
        split: str = "train",
        rank: int = 0,
        world: int = 1,
        seed: int = 0,
        sequence_length: int | None = None,
        phase: str | None = None,
    ):
        assert 0 <= rank < world, f"rank {rank} is not below world {world}"
        where = Path(tokens_dir) / split
        shards = index_shards(tokens_dir, split)
        if not shards:
            raise MixtureError(f"no token shards in {where}: name the folder that the token stage wrote")
        infos = {name: open_shard(found[0][0]).info for name, found in shards.items()}
        self.tokenizer_sha256 = _only_tokenizer(Path(tokens_dir), infos)
        requests = requested_phases(mixture, sequence_length)
        check_sources(requests, list(shards), str(where))
        opened = _open_sources(Path(tokens_dir), requests, shards, infos, seed)
        phases = _lay_out(requests, opened, infos)
        self.phases = [phases[one] for one in choose(requests, phase)]
        self._offset = self.phases[0].first
        self.total_rows = sum(one.schedule.total for one in self.phases)
        self._rank, self._world = rank, world
        self._next = 0  # of all ranks' rows, counted from the first phase that is read
        self._steps = 0  # rows of this rank since then
        self._identity = {
            "seed": seed,
            "split": split,
            "tokenizer_sha256": self.tokenizer_sha256,
            "phases": [
                {
                    "name": one.name,
                    "rows": {
                        source.name: [int(planned), int(start), source.rows, source.length]
                        for source, planned, start in zip(one.sources, one.schedule.rows, one.starts, strict=True)
                    },
                }
                for one in self.phases
            ],
        }

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows from the present position on, also where that is moved meanwhile.

        `state_dict` after a row resumes with the next one.
        """
        rows, position = None, None
        while True:
            if rows is None or position != (self._next, self._steps):
                rows = self.rows()
            row = next(rows, None)
            if row is None:
                return
            self._steps += 1
            position = (self._next, self._steps)
            yield row

    def rows(self, batch: int = 1, part: int = 0, parts: int = 1) -> Iterator[dict[str, Any]]:
        """This rank's rows from the present position on, without moving it; of each `parts` batches of `batch` rows
        only number `part`.
        """
        first = self._next + self._steps * self._world + self._rank
        for phase in self.phases:
            begin = phase.first - self._offset
            for block in range(max(0, first - begin) // phase.block * phase.block, phase.schedule.total, phase.block):
                ends = (block, min(block + phase.block, phase.schedule.total))
                steps = np.arange(*(max(0, -(-(begin + end - first) // self._world)) for end in ends))
                steps = steps[steps // batch % parts == part]
                if len(steps):
                    yield from _read(phase, block, first - begin + steps * self._world)

    def skip(self, count: int) -> None:
        """Pass over `count` rows of this rank without reading them."""
        self._steps += count

    def state_dict(self, ahead: int = 0) -> dict[str, Any]:
        """What `load_state_dict` needs; the same on all ranks after the same number of steps. Plain JSON.

        `ahead` is for who reads through `rows`, or in other processes: rows of this rank beyond the present position.
        """
        return {**self._identity, "next_row": self._next + (self._steps + ahead) * self._world}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was taken, also with another number of ranks. ResumeError where the data differ."""
        for name, value in self._identity.items():
            if state.get(name) != value:
                raise ResumeError(
                    f"the saved state has {name} {state.get(name)!r}, this reader has {value!r}: "
                    "read the same shards with the same mixture and seed, or start anew"
                )
        self._next, self._steps = state["next_row"], 0


def _read(phase: Phase, block: int, positions: np.ndarray) -> Iterator[dict[str, Any]]:
    """Rows at these positions of the phase, which all lie in the block that begins at `block`."""
    source, row = _handed_out(phase, block)
    source, row = source[positions - block], row[positions - block]
    found: list[Any] = [None] * len(positions)
    for number, one in enumerate(phase.sources):
        here = np.flatnonzero(source == number)
        for at, packed in zip(here.tolist(), one.read(row[here]), strict=True):
            found[at] = packed
    for number, packed in zip(source.tolist(), found, strict=True):
        yield {**packed._asdict(), "source": phase.sources[number].name, "phase": phase.name}


def _handed_out(phase: Phase, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Source, and row in the endless sequence of the source, at each position of a block: see the top of this file."""
    source, row = phase.schedule.turns(block, phase.block)
    row += phase.starts[source]
    lane = reversed_bits(np.arange(block, block + len(source)) + phase.first, LANE_BITS)
    for number, one in enumerate(phase.sources):
        here = np.flatnonzero(source == number)
        in_order = here[np.lexsort((here, lane[here], row[here] // one.rows))]  # a pass is done before the next begins
        row[in_order] = row[here]
    return source, row


def _only_tokenizer(tokens_dir: Path, infos: Mapping[str, ShardInfo]) -> str:
    frozen = tokens_dir / "tokenizer.json"
    told = {f"source {name}": info.tokenizer_sha256 for name, info in infos.items()}
    if frozen.is_file():
        told[str(frozen)] = hashlib.sha256(frozen.read_bytes()).hexdigest()
    if len(set(told.values())) > 1:
        each = ", ".join(f"{name} {sha256[:12]}" for name, sha256 in told.items())
        raise TokenizerError(f"the shards were not written with one tokenizer ({each}): write them again with one")
    return next(iter(told.values()))


def _open_sources(
    tokens_dir: Path,
    requests: list[PhaseRequest],
    shards: Mapping[str, list[tuple[Path, Counts]]],
    infos: Mapping[str, ShardInfo],
    seed: int,
) -> dict[tuple[str, int | None], SourceRows]:
    """The sources that the phases need, by name and the length to pack them to (None: as they are stored)."""
    wanted = sorted(
        {(name, request.length) for request in requests for name in request.epochs or shards},
        key=lambda one: (one[0], one[1] or 0),
    )
    found, sizes = {}, None
    for name, length in wanted:
        info = infos[name]
        if info.packing != "none":
            if length not in (None, info.sequence_length):
                raise MixtureError(
                    f"source {name} is packed to {info.sequence_length} tokens a row, rows of {length} are asked for: "
                    "write the shards with pack: none, which can be packed to any length, or ask for their length"
                )
            found[name, length] = SourceRows(name, shards[name], info, seed)
            continue
        if length is not None and sizes is None:
            sizes = _token_bytes(tokens_dir)
        found[name, length] = SourceRows(name, shards[name], info, seed, length, sizes)
    return found


def _token_bytes(tokens_dir: Path) -> np.ndarray:
    from curation.tokens.tokenizer import token_bytes

    path = tokens_dir / "tokenizer.json"
    if not path.is_file():
        raise InputError(f"no {path}: it is needed to pack rows anew (bytes of each token); copy it beside the shards")
    return token_bytes(path.read_bytes())


def _lay_out(
    requests: list[PhaseRequest], opened: Mapping[tuple[str, int | None], SourceRows], infos: Mapping[str, ShardInfo]
) -> list[Phase]:
    """Each phase takes up a source where the phase before stopped: at the next row, or where the rows have another
    length now, at the next unit, so that no document comes twice in a pass.
    """
    phases, first = [], 0
    stopped: dict[str, tuple[SourceRows, int]] = {}
    for request in requests:
        names = sorted(request.epochs if request.epochs is not None else infos)
        sources = [opened[name, request.length] for name in names]
        planned = planned_rows(request, {source.name: source.rows for source in sources})
        starts = [_take_up(source, *stopped.get(source.name, (source, 0))) for source in sources]
        schedule = Schedule([planned[name] for name in names])
        longest = max(request.length or infos[name].sequence_length for name in names)
        block = max(1, BLOCK_TOKENS // longest)
        phases.append(Phase(request.name, first, schedule, sources, np.array(starts, dtype=np.int64), block))
        first += schedule.total
        for source, start in zip(sources, starts, strict=True):
            stopped[source.name] = (source, start + planned[source.name])
    return phases


def _take_up(source: SourceRows, before: SourceRows, row: int) -> int:
    if source is before or source.length == before.length:
        return row
    return source.row_of_unit(*before.next_unit(row))
