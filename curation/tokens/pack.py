"""Packing: documents, each followed by the end token, laid into rows of one length; borders are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np


class PackedRow(NamedTuple):
    """One training sequence.

    `doc_lengths[i]` tokens of `input_ids` belong to `doc_ids[i]`, in order: what an attention mask needs so that no
    document sees another. A document that goes on in the next row has no end token here.
    """

    input_ids: np.ndarray
    doc_lengths: list[int]
    doc_ids: list[int]


def pack_concat(
    doc_ids: Iterable[int], token_arrays: Iterable[np.ndarray], sequence_length: int, eos_id: int
) -> Iterator[PackedRow]:
    """Rows of `sequence_length` tokens from documents laid end to end; only the last row may be shorter.

    No token is lost or added but one `eos_id` after each document. Holds one row and one document in memory.

    >>> rows = pack_concat([7, 8], [np.array([1, 2]), np.array([3])], sequence_length=4, eos_id=0)
    >>> [(row.input_ids.tolist(), row.doc_lengths, row.doc_ids) for row in rows]
    [([1, 2, 0, 3], [3, 1], [7, 8]), ([0], [1], [8])]
    """
    end = np.array([eos_id], dtype=np.int32)
    pieces: list[np.ndarray] = []
    lengths: list[int] = []
    owners: list[int] = []
    room = sequence_length
    for doc_id, tokens in zip(doc_ids, token_arrays, strict=True):
        rest = np.concatenate([tokens.astype(np.int32, copy=False), end])
        while len(rest):
            piece, rest = rest[:room], rest[room:]
            pieces.append(piece)
            lengths.append(len(piece))
            owners.append(doc_id)
            room -= len(piece)
            if room == 0:
                yield PackedRow(np.concatenate(pieces), lengths, owners)
                pieces, lengths, owners, room = [], [], [], sequence_length
    if pieces:
        yield PackedRow(np.concatenate(pieces), lengths, owners)


def unpack(rows: Iterable[PackedRow], eos_id: int) -> Iterator[tuple[int, np.ndarray]]:
    """The documents of consecutive rows, without their end tokens: the inverse of packing.

    Raises ValueError where a document has no end.

    >>> rows = pack_concat([7, 8], [np.array([1, 2]), np.array([3])], sequence_length=2, eos_id=0)
    >>> [(doc_id, tokens.tolist()) for doc_id, tokens in unpack(rows, eos_id=0)]
    [(7, [1, 2]), (8, [3])]
    """
    open_id: int | None = None
    pieces: list[np.ndarray] = []
    for row in rows:
        borders = np.cumsum(row.doc_lengths)[:-1]
        for doc_id, piece in zip(row.doc_ids, np.split(row.input_ids, borders), strict=True):
            if pieces and doc_id != open_id:
                raise ValueError(f"document {open_id} has no end token before document {doc_id}")
            open_id = doc_id
            pieces.append(piece)
            if piece[-1] == eos_id:
                yield doc_id, np.concatenate(pieces)[:-1]
                pieces = []
    if pieces:
        raise ValueError(f"document {open_id} has no end token")
