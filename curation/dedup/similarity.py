"""How similar two documents are: estimated from their signatures, or true by their shingle sets."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from curation.dedup.columns import matrix
from curation.dedup.kernel import Unit, shingle_hashes
from curation.dedup.mix import compiled


def shingle_sets(texts: pa.Array, ngram: int, unit: Unit) -> pa.Array:
    """The distinct shingle hashes of each text, ascending, as binary (4 bytes each); null without any shingle.

    The hashes have 32 bits: of two unlike texts of 1,000 shingles each, one pair in about 4,300 shares one by chance.
    """
    sets = [np.unique(shingle_hashes(text or "", ngram, unit)) for text in texts.to_pylist()]
    return pa.array([one.astype("<u4").tobytes() if len(one) else None for one in sets], pa.binary())


def similarities(left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray, column: str) -> np.ndarray:
    """Similarity (float64) of each pair of values of the key column `signature` or `shingles`; none may be null."""
    if len(left) == 0:
        return np.zeros(0)
    if column == "signature":
        return np.mean(matrix(left, "<u4") == matrix(right, "<u4"), axis=1)
    return true_jaccard(*_flat(left), *_flat(right))


def _flat(column: pa.Array | pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """All sets of a column behind one another (uint32), and where each begins and ends (int64 [n + 1])."""
    values = column.to_pylist()
    ends = np.cumsum([0, *(len(value) // 4 for value in values)])
    return np.frombuffer(b"".join(values), dtype="<u4"), ends


@compiled
def true_jaccard(left: np.ndarray, left_ends: np.ndarray, right: np.ndarray, right_ends: np.ndarray) -> np.ndarray:
    """Jaccard similarity of pairs of ascending sets, by one walk along both."""
    found = np.empty(len(left_ends) - 1)
    for pair in range(len(found)):
        a, a_end = left_ends[pair], left_ends[pair + 1]
        b, b_end = right_ends[pair], right_ends[pair + 1]
        both, either = 0, a_end - a + b_end - b
        while a < a_end and b < b_end:
            if left[a] == right[b]:
                both += 1
                a += 1
                b += 1
            elif left[a] < right[b]:
                a += 1
            else:
                b += 1
        found[pair] = both / (either - both) if either else 0.0
    return found
