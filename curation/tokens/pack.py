"""Packing: documents, each followed by the end token, laid into rows; the borders of documents are kept.

    concat     end to end: every row but the last is full, and a document is cut wherever a row ends
    best_fit   no document is cut unless it is longer than a row (see best_fit.py); a row may have room left
    none       one whole document a row, however long: the reader packs it, to any length

Rows are not padded: what a row lacks to the sequence length is padding that the trainer adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

PACKINGS = ("concat", "best_fit", "none")
# Tokens of whole documents that are packed together: 64 MB of ids. On 4.5 million tokens of real pages, padding is
# 0.06 % at 2,048 tokens a row and 0.15 % at 8,192 (benchmarks/packing.py).
WINDOW_TOKENS = 2**24


class PackedRow(NamedTuple):
    """One row. `doc_lengths[i]` tokens of `input_ids` are a piece of document `doc_ids[i]`, in order.

    A piece begins at token `doc_starts[i]` of its document; it is the last one where it ends in the end token. Its
    tokens spell `doc_bytes[i]` bytes of the text in UTF-8; the end token spells none. So the bytes of all pieces of a
    document sum to the bytes of its text however it is packed, and a character that is cut counts on each side with
    the bytes that stand there. Arrays: int32, int32, int64, int32, int64.
    """

    input_ids: np.ndarray
    doc_lengths: np.ndarray
    doc_ids: np.ndarray
    doc_starts: np.ndarray
    doc_bytes: np.ndarray


def pack(
    documents: Iterable[tuple[int, np.ndarray]],
    packing: str,
    sequence_length: int,
    eos_id: int,
    token_bytes: np.ndarray,
) -> Iterator[PackedRow]:
    """Rows of at most `sequence_length` tokens (with `none`: of any length) from (doc_id, ids without end token).

    No token is lost or added but one `eos_id` after each document. `token_bytes[id]` is the bytes that a token spells.
    Memory: one row and one document; with `best_fit`, WINDOW_TOKENS.

    >>> documents = [(7, np.array([1, 2])), (8, np.array([3])), (9, np.array([4]))]
    >>> def show(packing):
    ...     rows = pack(documents, packing, 4, eos_id=0, token_bytes=np.array([0, 1, 1, 1, 1]))
    ...     return [(row.input_ids.tolist(), row.doc_ids.tolist()) for row in rows]
    >>> show("concat")
    [([1, 2, 0, 3], [7, 8]), ([0, 4, 0], [8, 9])]
    >>> show("best_fit")
    [([1, 2, 0], [7]), ([3, 0, 4, 0], [8, 9])]
    >>> show("none")
    [([1, 2, 0], [7]), ([3, 0], [8]), ([4, 0], [9])]
    """
    assert packing in PACKINGS, f"packing {packing!r} is none of {PACKINGS}"
    end = np.array([eos_id], dtype=np.int32)
    ended = ((doc_id, np.concatenate([ids.astype(np.int32, copy=False), end])) for doc_id, ids in documents)
    if packing == "none":
        cut = ([(doc_id, 0, ids)] for doc_id, ids in ended)
    elif packing == "concat":
        cut = _end_to_end(ended, sequence_length)
    else:
        cut = _best_fit(ended, sequence_length)
    return (row_of(pieces, token_bytes) for pieces in cut)


Piece = tuple[int, int, np.ndarray]  # doc_id, first token within the document, ids


def _end_to_end(documents: Iterable[tuple[int, np.ndarray]], length: int) -> Iterator[list[Piece]]:
    pieces: list[Piece] = []
    room = length
    for doc_id, ids in documents:
        start = 0
        while start < len(ids):
            piece = ids[start : start + room]
            pieces.append((doc_id, start, piece))
            start += len(piece)
            room -= len(piece)
            if room == 0:
                yield pieces
                pieces, room = [], length
    if pieces:
        yield pieces


def _best_fit(documents: Iterable[tuple[int, np.ndarray]], length: int) -> Iterator[list[Piece]]:
    for window in _windows(documents, WINDOW_TOKENS):
        yield from pack_together(window, length)


def pack_together(documents: Sequence[tuple[int, np.ndarray]], length: int) -> Iterator[list[Piece]]:
    """Best fit of (doc_id, ids with end token). What is longer than a row fills rows, its rest is packed too."""
    from curation.tokens.best_fit import assign_rows, cut_to_fit  # numba: not for who only reads shards

    owners, starts, lengths = cut_to_fit(np.array([len(ids) for _, ids in documents]), length)
    rows = assign_rows(lengths, length)
    order = np.argsort(rows, kind="stable")
    ends = np.flatnonzero(np.diff(rows[order], append=-1)) + 1
    columns = [column[order].tolist() for column in (owners, starts, lengths)]
    first = 0
    for end in ends.tolist():
        members = zip(*(column[first:end] for column in columns), strict=True)
        yield [(documents[one][0], start, documents[one][1][start : start + size]) for one, start, size in members]
        first = end


def _windows(documents: Iterable[tuple[int, np.ndarray]], tokens: int) -> Iterator[list[tuple[int, np.ndarray]]]:
    window, held = [], 0
    for document in documents:
        window.append(document)
        held += len(document[1])
        if held >= tokens:
            yield window
            window, held = [], 0
    if window:
        yield window


def row_of(pieces: Sequence[Piece], token_bytes: np.ndarray) -> PackedRow:
    ids = np.concatenate([piece for _, _, piece in pieces])
    lengths = np.array([len(piece) for _, _, piece in pieces], dtype=np.int32)
    borders = np.cumsum(lengths) - lengths
    return PackedRow(
        ids,
        lengths,
        np.array([doc_id for doc_id, _, _ in pieces], dtype=np.int64),
        np.array([start for _, start, _ in pieces], dtype=np.int32),
        np.add.reduceat(token_bytes[ids].astype(np.int64), borders),
    )


def unpack(rows: Iterable[PackedRow], eos_id: int) -> Iterator[tuple[int, np.ndarray]]:
    """(doc_id, ids without end token) of the documents of `rows`, in order of their last row: the inverse of packing.

    Pieces of a document may come in any order. Raises ValueError where a document is not whole. Memory: the documents
    of which pieces are missing so far.

    >>> rows = pack([(7, np.array([1, 2])), (8, np.array([3]))], "concat", 2, eos_id=0, token_bytes=np.ones(4))
    >>> [(doc_id, tokens.tolist()) for doc_id, tokens in unpack(rows, eos_id=0)]
    [(7, [1, 2]), (8, [3])]
    """
    waiting: dict[int, dict[int, np.ndarray]] = {}
    missing: dict[int, int] = {}  # tokens still to come, less the unknown length of the document until its end is seen
    for row in rows:
        pieces = np.split(row.input_ids, np.cumsum(row.doc_lengths)[:-1])
        for doc_id, start, piece in zip(row.doc_ids.tolist(), row.doc_starts.tolist(), pieces, strict=True):
            ended = piece[-1] == eos_id
            if ended and start == 0:
                yield doc_id, piece[:-1]
                continue
            waiting.setdefault(doc_id, {})[start] = piece
            if ended:
                missing[doc_id] = start + len(piece)
            if sum(map(len, waiting[doc_id].values())) == missing.get(doc_id):
                found = waiting.pop(doc_id)
                del missing[doc_id]
                yield doc_id, np.concatenate([found[at] for at in sorted(found)])[:-1]
    for doc_id in waiting:
        lacking = "pieces are missing" if doc_id in missing else "it has no end token"
        raise ValueError(f"document {doc_id} is not whole: {lacking}")
