"""Best-fit decreasing: which row each piece of text goes to, so that few tokens of a row stay empty.

Source: Ding et al. 2024, "Fewer Truncations Improve Language Modeling", https://arxiv.org/abs/2404.10830: pieces, the
longest first, each into the fullest row that has room for it; a new row where none has.
"""

from __future__ import annotations

import numpy as np

from curation.compiled import compiled


def cut_to_fit(sizes: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(document, first token, tokens) of each piece of documents of `sizes` tokens; only the last piece is shorter.

    >>> [column.tolist() for column in cut_to_fit(np.array([3, 9, 8]), length=8)]
    [[0, 1, 1, 2], [0, 0, 8, 0], [3, 8, 1, 8]]
    """
    counts = -(-sizes // length)
    owners = np.repeat(np.arange(len(sizes)), counts)
    starts = (np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)) * length
    return owners, starts, np.minimum(length, sizes[owners] - starts)


def assign_rows(lengths: np.ndarray, capacity: int) -> np.ndarray:
    """The row (int64) of each piece of `lengths` tokens; no row holds more than `capacity`.

    Rows are numbered by the first of their longest pieces, in order of input: pieces in random order give rows in
    random order. Equal input gives equal rows: of pieces of one length the first goes first, of rows with equal room
    the youngest is taken. Raises ValueError for a piece that is longer than a row, or empty.

    Cost: n log(capacity) by a tree over the rooms that rows have left; 8 bytes a piece and row, 16 a unit of capacity.

    >>> assign_rows(np.array([3, 6, 5, 2]), capacity=8).tolist()
    [1, 0, 1, 0]
    """
    if len(lengths) and not 0 < lengths.min() <= lengths.max() <= capacity:
        raise ValueError(f"pieces of {lengths.min()} to {lengths.max()} tokens do not fit rows of {capacity}")
    decreasing = np.argsort(-lengths, kind="stable")
    rows, openers = _best_fit(lengths, decreasing, capacity)
    number = np.empty(len(openers), dtype=np.int64)
    number[np.argsort(openers)] = np.arange(len(openers))
    return number[rows]


@compiled
def _best_fit(lengths, decreasing, capacity):
    """Rows by order of opening, and the piece that opened each."""
    leaves = 1
    while leaves <= capacity:
        leaves *= 2
    # A tree whose leaf `leaves + room` says whether a row has just this room left; a node, whether any leaf below does.
    held = np.zeros(2 * leaves, dtype=np.bool_)
    newest = np.full(capacity + 1, -1, dtype=np.int64)  # a stack of rows for each room
    older = np.empty(len(lengths), dtype=np.int64)
    openers = np.empty(len(lengths), dtype=np.int64)
    rows = np.empty(len(lengths), dtype=np.int64)
    opened = 0
    for piece in decreasing:
        node = leaves + lengths[piece]
        if not held[node]:  # up until something lies to the right, then down to its leftmost leaf
            while node > 1 and (node % 2 == 1 or not held[node + 1]):
                node //= 2
            if node > 1:
                node += 1
                while node < leaves:
                    node = 2 * node if held[2 * node] else 2 * node + 1
        if node > 1:
            room = node - leaves
            row = newest[room]
            newest[room] = older[row]
            if newest[room] < 0:
                held[node] = False
                node //= 2
                while node >= 1 and not (held[2 * node] or held[2 * node + 1]):
                    held[node] = False
                    node //= 2
        else:
            row, room = opened, capacity
            openers[row] = piece
            opened += 1
        rows[piece] = row
        room -= lengths[piece]
        if room > 0:
            older[row] = newest[room]
            newest[room] = row
            node = leaves + room
            while node >= 1 and not held[node]:
                held[node] = True
                node //= 2
    return rows, openers[:opened]
