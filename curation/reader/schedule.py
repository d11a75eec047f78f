"""In which order the sources of a phase take turns.

Row j of the n rows planned for a source belongs at the moment (2j + 1) / 2n of the phase; all rows are read in order of
their moments, at one moment in order of the sources. Before any moment t each source has then given t * n of its rows,
to within one half.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Schedule:
    """The turns of sources with `rows` rows each. Moments are float64, correctly rounded: the same on every machine.

    >>> source, row = Schedule([3, 1]).turns(0, 4)
    >>> source.tolist(), row.tolist()
    ([0, 0, 1, 0], [0, 1, 0, 2])
    """

    def __init__(self, rows: Sequence[int]):
        assert all(0 < count < 2**51 for count in rows), "2j + 1 and 2n are exact in a float64"
        self.rows = np.array(rows, dtype=np.int64)
        self.total = int(self.rows.sum())

    def turns(self, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(source, row of the source) at each of the positions first, first + 1, ... first + count - 1.

        Cost: count * log(count), wherever `first` lies.
        """
        count = min(count, self.total - first)
        sources = len(self.rows)
        taken = self._taken_before(max(0, first - sources) / self.total)
        missing = first - int(taken.sum())  # turns between that moment and `first`: at most 3/2 of the sources
        # The last turn lies less than count + 2 * sources turns after that moment, and a source is at most one row off.
        likely = np.ceil((count + 2 * sources) * (self.rows / self.total)).astype(np.int64) + 2
        last = np.minimum(self.rows, taken + likely)
        source = np.repeat(np.arange(sources), last - taken)
        row = np.concatenate([np.arange(*ends) for ends in zip(taken, last, strict=True)])
        order = np.lexsort((source, self._moment(source, row)))[missing : missing + count]
        return source[order], row[order]

    def _taken_before(self, moment: float) -> np.ndarray:
        every = np.arange(len(self.rows))
        taken = np.clip(np.floor(moment * self.rows + 0.5).astype(np.int64), 0, self.rows)
        taken += (taken < self.rows) & (self._moment(every, taken) < moment)  # the product may be rounded by one
        return taken - ((taken > 0) & (self._moment(every, taken - 1) >= moment))

    def _moment(self, source: np.ndarray, row: np.ndarray) -> np.ndarray:
        return (2 * row + 1) / (2 * self.rows[source])
