"""The truth about a sample: every document of a corpus that is similar to a sampled one, by true Jaccard similarity.

Comparing sampled documents with all others, rather than with each other, finds the copies that a sample of a large
corpus would not contain. The corpus streams by: memory is that of the sample's shingles.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.dedup.kernel import Unit, shingle_hashes
from curation.dedup.mix import compiled


class Pairs(NamedTuple):
    """Pairs of a sampled document with another one: both ids (int64) and their Jaccard similarity (float64)."""

    sampled: np.ndarray
    other: np.ndarray
    jaccard: np.ndarray


class Sample(NamedTuple):
    """Shingles of the sampled documents, ascending, and the place of the document each belongs to."""

    ids: np.ndarray  # int64 [documents]
    sizes: np.ndarray  # distinct shingles of each
    shingles: np.ndarray  # uint32, all of them, repeated where two documents share one
    owners: np.ndarray  # int64, as long as `shingles`


def choose(ids: np.ndarray, count: int) -> np.ndarray:
    """`count` of the ids (all where there are fewer), by hash: the same whatever the order."""
    scrambled = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    scrambled ^= scrambled >> np.uint64(32)
    return ids[np.argsort(scrambled * np.uint64(0xD6E8FEB86659FD93), kind="stable")[:count]]


def sample_of(ids: np.ndarray, texts: pa.Array, ngram: int, unit: Unit) -> Sample:
    """The sample to compare with, from its documents' texts."""
    sets = [np.unique(shingle_hashes(text or "", ngram, unit)) for text in texts.to_pylist()]
    sizes = np.array([len(one) for one in sets], dtype=np.int64)
    shingles = np.concatenate([np.zeros(0, np.uint32), *sets])
    order = np.argsort(shingles, kind="stable")
    return Sample(ids, sizes, shingles[order], np.repeat(np.arange(len(ids)), sizes)[order])


def true_pairs(
    sample: Sample, corpus: Iterable[tuple[np.ndarray, pa.Array]], ngram: int, unit: Unit, at_least: float
) -> Pairs:
    """Pairs of Jaccard `at_least` (above 0) between a sampled document and one of `corpus`, batches of (ids, texts).

    Exact but for collisions of 32-bit shingle hashes. About 5 MB/s/core at a sample of 1,000 documents.
    """
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for ids, texts in corpus:
        sets = [np.unique(shingle_hashes(text or "", ngram, unit)) for text in texts.to_pylist()]
        ends = np.cumsum([0, *(len(one) for one in sets)])
        flat = np.concatenate([np.zeros(0, np.uint32), *sets])
        rows, places, jaccard = _compare(flat, ends, sample.shingles, sample.owners, sample.sizes, at_least)
        other = ids[rows] != sample.ids[places]
        parts.append((sample.ids[places][other], ids[rows][other], jaccard[other]))
    return Pairs(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@compiled
def _compare(
    flat: np.ndarray, ends: np.ndarray, shingles: np.ndarray, owners: np.ndarray, sizes: np.ndarray, at_least: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, places, found = [np.int64(0)][:0], [np.int64(0)][:0], [0.0][:0]
    shared = np.zeros(len(sizes), dtype=np.int64)
    for row in range(len(ends) - 1):
        for k in range(ends[row], ends[row + 1]):
            place = np.searchsorted(shingles, flat[k])
            while place < len(shingles) and shingles[place] == flat[k]:
                shared[owners[place]] += 1
                place += 1
        size = ends[row + 1] - ends[row]
        for owner in range(len(sizes)):
            if shared[owner] > 0:
                jaccard = shared[owner] / (size + sizes[owner] - shared[owner])
                if jaccard >= at_least:
                    rows.append(row)
                    places.append(owner)
                    found.append(jaccard)
                shared[owner] = 0
    return np.array(rows, dtype=np.int64), np.array(places, dtype=np.int64), np.array(found, dtype=np.float64)
