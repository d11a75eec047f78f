"""Whether a file is a whole fastText model, by walking its parts. The library itself trusts every length it reads:

cut models were seen to make it loop without end or ask for memory without bound (fasttext-community 0.11).
Format: `saveModel` of https://github.com/facebookresearch/fastText (fasttext.cc, dictionary.cc, densematrix.cc,
quantmatrix.cc, productquantizer.cc), versions 11 and 12, little-endian.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

MAGIC, VERSIONS = 793712314, (11, 12)
_LOSSES, _MODELS = range(1, 5), range(1, 4)
_CENTROIDS = 256  # of a product quantizer
_MAX_ENTRIES = 1 << 31


class _Walk:
    """A position in the file. Raises ValueError where the file ends before a part does."""

    def __init__(self, data: mmap.mmap):
        self._data, self.at = data, 0

    def read(self, form: str) -> tuple:
        start = self.at
        self.skip(struct.calcsize(f"<{form}"))
        return struct.unpack_from(f"<{form}", self._data, start)

    def skip(self, count: int) -> None:
        if count < 0 or self.at + count > len(self._data):
            raise ValueError(f"it ends at byte {len(self._data)}, a part of it would end at byte {self.at + count}")
        self.at += count

    def word(self) -> None:
        end = self._data.find(b"\0", self.at)
        if end < 0:
            raise ValueError(f"it ends within its dictionary, at byte {len(self._data)}")
        self.at = end + 1


def check_model_file(path: Path) -> None:
    """Raises ValueError with what is wrong. Reads the dictionary only: half a second for two million words."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        walk = _Walk(data)
        magic, version = walk.read("ii")
        if magic != MAGIC or version not in VERSIONS:
            raise ValueError("it does not begin as one")
        loss, model = walk.read("12id")[6:8]
        if loss not in _LOSSES or model not in _MODELS:
            raise ValueError(f"its header names loss {loss} and model {model}, which do not exist")
        size, words, labels, _, pruned = walk.read("iiiqq")
        if min(size, words, labels) < 0 or size != words + labels or pruned < -1 or pruned > _MAX_ENTRIES:
            raise ValueError(f"its dictionary counts {size} entries as {words} words and {labels} labels")
        for _ in range(size):
            walk.word()
            walk.skip(9)  # count and type
        walk.skip(8 * max(0, pruned))
        (quantized,) = walk.read("?")
        _matrix(walk, quantized)
        (quantized_output,) = walk.read("?")
        _matrix(walk, quantized and quantized_output)
        if walk.at != len(data):
            raise ValueError(f"it has {len(data)} bytes, its parts {walk.at}")


def _matrix(walk: _Walk, quantized: bool) -> None:
    if not quantized:
        rows, columns = walk.read("qq")
        if min(rows, columns) < 0:
            raise ValueError(f"it holds a matrix of {rows} x {columns}")
        walk.skip(4 * rows * columns)
        return
    with_norms, rows, _, codes = walk.read("?qqi")
    walk.skip(codes)
    _quantizer(walk)
    if with_norms:
        walk.skip(rows)
        _quantizer(walk)


def _quantizer(walk: _Walk) -> None:
    width, *_ = walk.read("4i")
    walk.skip(4 * width * _CENTROIDS)
