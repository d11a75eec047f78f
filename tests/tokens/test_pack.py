"""Packing loses and adds nothing, and keeps every border; best fit against a straightforward search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.tokens import pack as module
from curation.tokens.best_fit import assign_rows
from curation.tokens.pack import PACKINGS, PackedRow, pack, unpack

EOS = 0
TOKEN_BYTES = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
DOCUMENTS = st.lists(st.lists(st.integers(1, 9), max_size=12), max_size=12)
LENGTHS = st.integers(1, 10)
each_packing = pytest.mark.parametrize("packing", PACKINGS)


def packed(packing: str, documents: list[list[int]], length: int) -> list[PackedRow]:
    arrays = [(100 + n, np.array(tokens, dtype=np.int32)) for n, tokens in enumerate(documents)]
    return list(pack(arrays, packing, length, EOS, TOKEN_BYTES))


def pieces_of(rows: list[PackedRow]) -> list[tuple[int, int, list[int], int]]:
    """(doc_id, start, ids, bytes) of every piece."""
    found = []
    for row in rows:
        assert row.doc_lengths.sum() == len(row.input_ids)
        ids = np.split(row.input_ids, np.cumsum(row.doc_lengths)[:-1])
        columns = (row.doc_ids, row.doc_starts, [piece.tolist() for piece in ids], row.doc_bytes)
        found += list(zip(*columns, strict=True))
    return found


@each_packing
@settings(max_examples=100)
@given(DOCUMENTS, LENGTHS)
def test_pieces_in_order_of_their_start_are_the_documents(packing, documents, length):
    pieces = sorted(pieces_of(packed(packing, documents, length)), key=lambda piece: piece[:2])
    found: dict[int, list[int]] = {}
    for doc_id, start, ids, _ in pieces:
        assert ids and start == len(found.setdefault(doc_id, []))
        found[doc_id] += ids
    assert found == {100 + n: [*tokens, EOS] for n, tokens in enumerate(documents)}


@each_packing
@settings(max_examples=100)
@given(DOCUMENTS, LENGTHS)
def test_bytes_of_pieces_are_those_of_their_tokens_and_sum_to_the_text(packing, documents, length):
    pieces = pieces_of(packed(packing, documents, length))
    assert all(size == sum(TOKEN_BYTES[one] for one in ids) for _, _, ids, size in pieces)
    assert sum(size for *_, size in pieces) == sum(sum(tokens) for tokens in documents)


@each_packing
@settings(max_examples=100)
@given(DOCUMENTS, LENGTHS)
def test_unpack_gives_back_the_documents_in_any_order_of_rows(packing, documents, length):
    rows = packed(packing, documents, length)
    expected = {100 + n: tokens for n, tokens in enumerate(documents)}
    for order in (rows, rows[::-1]):
        found = [(doc_id, tokens.tolist()) for doc_id, tokens in unpack(order, EOS)]
        assert len(found) == len(documents) and dict(found) == expected


@settings(max_examples=100)
@given(DOCUMENTS, LENGTHS)
def test_concat_is_the_documents_end_to_end(documents, length):
    rows = packed("concat", documents, length)
    assert [one for row in rows for one in row.input_ids] == [one for tokens in documents for one in [*tokens, EOS]]
    assert all(len(row.input_ids) == length for row in rows[:-1])
    assert all(0 < len(row.input_ids) <= length for row in rows[-1:])


@settings(max_examples=100)
@given(DOCUMENTS, LENGTHS)
def test_best_fit_cuts_only_what_is_longer_than_a_row_and_then_into_full_rows(documents, length):
    rows = packed("best_fit", documents, length)
    assert all(len(row.input_ids) <= length for row in rows)
    for doc_id, start, ids, _ in pieces_of(rows):
        whole = len(documents[doc_id - 100]) + 1
        assert start % length == 0
        assert len(ids) == min(length, whole - start)


@settings(max_examples=50)
@given(DOCUMENTS)
def test_none_is_one_document_a_row(documents):
    rows = packed("none", documents, 3)
    assert [(row.doc_ids.tolist(), row.doc_starts.tolist()) for row in rows] == [
        ([100 + n], [0]) for n in range(len(documents))
    ]


def by_search(lengths: list[int], capacity: int) -> list[list[int]]:
    """Best-fit decreasing as the paper tells it, looking at every row: the pieces of each, in order of opening."""
    rows: list[list[int]] = []
    changed: list[int] = []  # when a row last got a piece: of rows with equal room the youngest is taken
    for now, piece in enumerate(sorted(range(len(lengths)), key=lambda one: -lengths[one])):
        rooms = [capacity - sum(lengths[one] for one in row) for row in rows]
        fitting = [row for row, room in enumerate(rooms) if room >= lengths[piece]]
        if not fitting:
            rows.append([piece])
            changed.append(now)
            continue
        best = min(fitting, key=lambda row: (rooms[row], -changed[row]))
        rows[best].append(piece)
        changed[best] = now
    return rows


@settings(max_examples=300)
@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(1, n), max_size=40))))
def test_best_fit_equals_a_search_over_all_rows(given):
    capacity, lengths = given
    rows = assign_rows(np.array(lengths, dtype=np.int64), capacity).tolist()
    found: dict[int, list[int]] = {}
    for piece, row in enumerate(rows):
        found.setdefault(row, []).append(piece)
    assert sorted(found) == list(range(len(found)))
    assert sorted(map(tuple, found.values())) == sorted(tuple(sorted(row)) for row in by_search(lengths, capacity))
    openers = [max(found[row], key=lambda one: (lengths[one], -one)) for row in range(len(found))]
    assert openers == sorted(openers)


@pytest.mark.parametrize("lengths", [[0], [9], [-1, 3]], ids=["empty", "too long", "negative"])
def test_piece_that_fits_no_row_is_refused(lengths):
    with pytest.raises(ValueError, match="do not fit rows of 8"):
        assign_rows(np.array(lengths), 8)


@pytest.mark.parametrize(("size", "pieces"), [(6, [7]), (7, [8]), (8, [8, 1]), (15, [8, 8]), (16, [8, 8, 1])], ids=str)
def test_documents_below_at_and_above_a_row(size, pieces):
    rows = packed("best_fit", [[1] * size], 8)
    assert [len(row.input_ids) for row in rows] == pieces


def test_windows_bound_what_is_packed_together_and_lose_nothing(monkeypatch):
    documents = [[1] * 4, [2] * 2, [3] * 4, [4] * 2]  # with end tokens 5, 3, 5, 3: two rows of 8
    assert [row.doc_ids.tolist() for row in packed("best_fit", documents, 8)] == [[100, 103], [101, 102]]
    monkeypatch.setattr(module, "WINDOW_TOKENS", 5)
    assert [row.doc_ids.tolist() for row in packed("best_fit", documents, 8)] == [[100], [101, 102], [103]]


@each_packing
def test_no_documents_give_no_rows(packing):
    assert packed(packing, [], 4) == []


@each_packing
def test_empty_document_is_an_end_token(packing):
    (row,) = packed(packing, [[]], 4)
    assert (row.input_ids.tolist(), row.doc_lengths.tolist(), row.doc_bytes.tolist()) == ([EOS], [1], [0])


@pytest.mark.parametrize(
    ("kept", "reason"), [([0], "no end token"), ([1], "no end token"), ([1, 2], "pieces are missing")]
)
def test_document_that_is_not_whole_is_noticed(kept, reason):
    rows = packed("concat", [[1, 2, 3, 4, 5], [6]], 2)
    with pytest.raises(ValueError, match=f"document 100 is not whole: .*{reason}"):
        list(unpack([rows[one] for one in kept], EOS))
