"""What a model is trained on: every token once as a label, no look across documents, bytes that match."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import InputError
from curation.reader import bits_per_byte, targets
from curation.tokens.pack import PACKINGS, pack

END = 0
DOCUMENTS = st.lists(st.lists(st.integers(1, 9), max_size=12), min_size=1, max_size=12)


def rows_of(documents, packing, length):
    arrays = enumerate(np.array(tokens, dtype=np.int32) for tokens in documents)
    return [row._asdict() for row in pack(arrays, packing, length, END, np.arange(10))]


@given(DOCUMENTS, st.integers(1, 12), st.integers(0, 3), st.sampled_from(PACKINGS[:2]))
def test_every_token_is_a_label_once_after_what_precedes_it_in_its_piece(documents, length, more, packing):
    for row in rows_of(documents, packing, length):
        found = targets(row, length + more, END)
        used = len(row["input_ids"])
        assert {len(array) for array in found.values()} == {length + more}
        assert found["labels"].tolist() == [*row["input_ids"].tolist(), *[-100] * (length + more - used)]
        assert set(found["documents"][used:].tolist()) <= {-1}
        pieces = np.split(row["input_ids"], np.cumsum(row["doc_lengths"])[:-1])
        for number, piece in enumerate(pieces):
            here = found["documents"] == number
            assert found["input_ids"][here].tolist() == [END, *piece[:-1].tolist()]
            assert found["positions"][here].tolist() == list(range(len(piece)))


@given(DOCUMENTS, st.integers(1, 12))
def test_bits_per_byte_do_not_depend_on_packing(documents, length):
    """A model that pays ln 2 nats for a byte, and for an end token, has one bit a byte and its share of ends."""
    if not any(documents):
        return
    paid = {}
    for packing in PACKINGS:
        rows = rows_of(documents, packing, length)
        nats = sum(math.log(2) * float(np.maximum(1, row["input_ids"]).sum()) for row in rows)
        paid[packing] = bits_per_byte(nats, sum(int(row["doc_bytes"].sum()) for row in rows))
    size = sum(map(sum, documents))
    assert paid == {packing: pytest.approx((size + len(documents)) / size) for packing in PACKINGS}


def test_row_of_full_length_fits_and_a_longer_one_is_refused():
    (row,) = rows_of([[1, 2, 3]], "none", 2)
    assert targets(row, 4, END)["labels"].tolist() == [1, 2, 3, END]
    with pytest.raises(InputError, match="a row of 4 tokens is longer than 3"):
        targets(row, 3, END)


@pytest.mark.parametrize("size", [0, -1])
def test_loss_over_no_bytes_is_refused(size):
    with pytest.raises(InputError, match="no bits per byte"):
        bits_per_byte(1.0, size)
