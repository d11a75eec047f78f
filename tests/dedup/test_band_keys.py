"""Band keys: shared exactly where the rows of a band are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.bands import band_keys, salted, salts
from curation.dedup.columns import fixed_binary, matrix


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_a_key_is_shared_exactly_where_all_rows_of_the_band_are(bands, rows, seed):
    values = np.random.default_rng(seed).integers(0, 2, (12, bands * rows), dtype=np.uint32)
    keys = band_keys(values, bands, rows)
    content = {}
    for document in range(12):
        for band in range(bands):
            same = (band, values[document, band * rows : (band + 1) * rows].tobytes())
            content.setdefault(int(keys[document, band]), set()).add(same)
    assert all(len(contents) == 1 for contents in content.values())
    assert len(content) == len(set.union(*content.values()))


def test_the_salt_keeps_sources_and_snapshots_apart():
    values = np.zeros((4, 8), dtype=np.uint32)
    salt = salts(["web", "web", "wiki", "web"], ["A", "B", "A", "A"])
    keys = salted(band_keys(values, 2, 4), salt)
    assert np.array_equal(keys[0], keys[3])
    assert len(set(keys.ravel().tolist())) == 6
    assert salts(["a"], ["bc"])[0] != salts(["ab"], ["c"])[0]


def test_columns_beyond_the_bands_do_not_matter():
    values = np.arange(20, dtype=np.uint32).reshape(2, 10)
    assert np.array_equal(band_keys(values, 2, 4), band_keys(values[:, :8], 2, 4))


def test_more_bands_and_rows_than_hashes_are_refused_with_the_numbers():
    with pytest.raises(ValueError, match="14 bands of 8 rows need 112 hashes, the signatures hold 64"):
        band_keys(np.zeros((1, 64), dtype=np.uint32), 14, 8)


@pytest.mark.parametrize("kind", [pa.binary(12), pa.binary(), pa.large_binary()], ids=str)
def test_signatures_survive_the_way_through_arrow(kind):
    values = np.arange(15, dtype=np.uint32).reshape(5, 3)
    column = fixed_binary(values, np.array([True] * 5))
    column = pa.array(column.to_pylist(), kind).slice(1, 3)
    assert np.array_equal(matrix(column, "<u4"), values[1:4])


def test_invalid_rows_become_null():
    assert fixed_binary(np.zeros((3, 2), np.uint32), np.array([True, False, True])).is_valid().to_pylist() == [
        True,
        False,
        True,
    ]
