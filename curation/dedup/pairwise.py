"""True similarity of each pair of a few texts: the truth to hold a setting against. For some hundred texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curation.dedup.kernel import Unit, shingle_hashes


def jaccard_matrix(texts: Sequence[str], ngram: int = 5, unit: Unit = "word") -> np.ndarray:
    """Jaccard similarity of the shingle sets of each pair, float64 [n, n]; symmetric.

    A text without a shingle is like none, itself included. Exact but for collisions of 32-bit shingle hashes.

    >>> jaccard_matrix(["a b c d", "A, b; c e", "z"], ngram=2).round(2).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    sets = [np.unique(shingle_hashes(text, ngram, unit)) for text in texts]
    matrix = np.zeros((len(sets), len(sets)))
    for i, one in enumerate(sets):
        for j, other in enumerate(sets[: i + 1]):
            shared = len(np.intersect1d(one, other, assume_unique=True))
            whole = len(one) + len(other) - shared
            matrix[i, j] = matrix[j, i] = shared / whole if whole else 0.0
    return matrix
