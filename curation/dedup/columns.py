"""Arrow columns as numpy arrays without a copy, and back."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def text_buffers(texts: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bytes (uint8), offsets into them (int64 [n + 1]) and validity (bool [n]) of a string or large_string array."""
    kind = texts.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise TypeError(f"texts must be an Arrow array of string or large_string, got {kind}; cast the column first")
    _, offsets, data = texts.buffers()
    width = np.int32 if pa.types.is_string(kind) else np.int64
    if len(texts) == 0:
        places = np.zeros(1, dtype=np.int64)
    else:
        places = np.frombuffer(offsets, dtype=width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    content = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return content, places, texts.is_valid().to_numpy(zero_copy_only=False)


def fixed_binary(rows: np.ndarray, valid: np.ndarray) -> pa.Array:
    """A matrix as fixed-size binary, one value a row, little-endian; null where `valid` (bool [n]) is false."""
    rows = np.ascontiguousarray(rows, dtype=rows.dtype.newbyteorder("<"))
    bitmap = np.packbits(np.asarray(valid, dtype=bool), bitorder="little")
    kind = pa.binary(rows.shape[1] * rows.itemsize)
    return pa.Array.from_buffers(kind, len(rows), [pa.py_buffer(bitmap), pa.py_buffer(rows)])


def matrix(column: pa.Array | pa.ChunkedArray, dtype: str) -> np.ndarray:
    """The rows of a binary column, all of one length and none null, as a matrix of `dtype` (such as "<u4").

    Takes fixed-size binary and, as Spark hands it over, binary or large_binary.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    assert column.null_count == 0, "null rows have no place in a matrix"
    if len(column) == 0:
        return np.zeros((0, 0), dtype=dtype)
    if pa.types.is_fixed_size_binary(column.type):
        width, start = column.type.byte_width, column.offset * column.type.byte_width
    else:
        offsets = np.frombuffer(
            column.buffers()[1], dtype=np.int64 if pa.types.is_large_binary(column.type) else np.int32
        )[column.offset : column.offset + len(column) + 1]
        width, start = int(offsets[1] - offsets[0]), int(offsets[0])
        assert np.all(np.diff(offsets) == width), "rows of a matrix must have one length"
    data = np.frombuffer(column.buffers()[-1], dtype=np.uint8)[start : start + len(column) * width]
    return data.view(dtype).reshape(len(column), -1)
