"""Packing loses and adds nothing, and keeps every border."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.tokens.pack import PackedRow, pack_concat, unpack

EOS = 0
DOCUMENTS = st.lists(st.lists(st.integers(1, 9), max_size=12), max_size=12)


def pack(documents: list[list[int]], length: int) -> list[PackedRow]:
    arrays = [np.array(tokens, dtype=np.int32) for tokens in documents]
    return list(pack_concat(range(100, 100 + len(documents)), arrays, length, EOS))


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.integers(1, 10))
def test_rows_end_to_end_are_the_documents_end_to_end(documents, length):
    rows = pack(documents, length)
    assert [one for row in rows for one in row.input_ids] == [one for tokens in documents for one in [*tokens, EOS]]
    assert all(len(row.input_ids) == length for row in rows[:-1])
    assert all(0 < len(row.input_ids) <= length for row in rows[-1:])


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.integers(1, 10))
def test_document_lengths_cover_each_row_and_name_the_owner_of_each_token(documents, length):
    rows = pack(documents, length)
    assert all(sum(row.doc_lengths) == len(row.input_ids) and min(row.doc_lengths) > 0 for row in rows)
    owners = [owner for row in rows for owner, n in zip(row.doc_ids, row.doc_lengths, strict=True) for _ in range(n)]
    assert owners == [100 + i for i, tokens in enumerate(documents) for _ in range(len(tokens) + 1)]


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.integers(1, 10))
def test_unpack_gives_back_the_documents(documents, length):
    found = [(doc_id, tokens.tolist()) for doc_id, tokens in unpack(pack(documents, length), EOS)]
    assert found == [(100 + i, tokens) for i, tokens in enumerate(documents)]


def test_no_documents_give_no_rows():
    assert pack([], 4) == []


@pytest.mark.parametrize("last", [slice(0, 1), slice(0, 2)], ids=["first row", "two rows"])
def test_document_without_end_is_noticed(last):
    rows = pack([[1, 2, 3, 4, 5], [6]], 2)[last]
    with pytest.raises(ValueError, match="document 100 has no end"):
        list(unpack(rows, EOS))
