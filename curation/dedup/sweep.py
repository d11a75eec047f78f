"""What other bands and rows would do to a corpus, from signatures that exist: a workbench for MinHash parameters.

Links, clusters and removals are those of the whole corpus. Pairs, precision and recall come from a sample of documents
compared with the whole corpus (see `true_pairs`), so they are exact where the sample is everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from curation.dedup.bands import band_keys, salted
from curation.dedup.components import local_components
from curation.dedup.curve import candidate_probability, count_interval, threshold
from curation.dedup.local_links import least_of_group
from curation.dedup.true_pairs import Pairs
from curation.errors import InputError

LOWEST = 0.3  # Jaccard similarity below which pairs are not looked at one by one
BINS = np.round(np.arange(LOWEST, 1.0001, 0.05), 2)
_SETTING = re.compile(r"(?:(\d+):)?(\d+)x(\d+)")


class Setting(NamedTuple):
    """Shingle length, bands and rows per band."""

    ngram: int
    bands: int
    rows: int

    def __str__(self) -> str:
        return f"{self.ngram}:{self.bands}x{self.rows}"


class Signed(NamedTuple):
    """Documents with a signature, ids ascending. `salt` keeps snapshots apart (see `bands.salts`), None = global."""

    ids: np.ndarray  # int64 [n]
    values: np.ndarray  # uint32 [n, hashes]
    salt: np.ndarray | None = None


@dataclass(frozen=True)
class Rate:
    """Pairs of a bin of true Jaccard similarity, how many became candidates, and the 99 % interval of the S-curve."""

    low: float
    high: float
    pairs: int
    candidates: int
    expected: tuple[int, int]


@dataclass(frozen=True)
class Outcome:
    """What one setting does. Shares are None where nothing was there to divide by."""

    setting: str
    threshold: float  # nominal, (1/bands)^(1/rows)
    documents: int
    pairs: int  # candidate pairs, estimated from the sample
    clusters: int
    largest: int
    removed: int
    removed_share: float
    precision: float | None  # of candidate pairs of the sample: the share of similar ones
    recall: float | None  # of similar pairs of the sample: the share of candidates
    recall_expected: float | None  # by the S-curve at the true similarities
    rates: tuple[Rate, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def parse_setting(text: str, ngram: int = 5) -> Setting:
    """`14x8` (with the given shingle length) or `13:9x13`. Raises InputError on anything else.

    >>> parse_setting("14x8"), parse_setting("13:9x13")
    (Setting(ngram=5, bands=14, rows=8), Setting(ngram=13, bands=9, rows=13))
    """
    match = _SETTING.fullmatch(text.strip())
    if not match or "0" in match.groups():
        raise InputError(f"setting {text!r}: write BANDSxROWS or NGRAM:BANDSxROWS, such as 14x8 or 13:9x13")
    given, bands, rows = match.groups()
    return Setting(int(given or ngram), int(bands), int(rows))


def try_setting(setting: Setting, signed: Signed, sample: np.ndarray, truth: Pairs, similar_at: float) -> Outcome:
    """What `setting` does to the documents of `signed`, which were signed with its shingle length.

    `sample`: the sampled ids; `truth`: all their pairs of at least LOWEST (see `true_pairs`). A pair of at least
    `similar_at` counts as similar. Raises ValueError where the signatures hold too few hashes.
    """
    keys = band_keys(signed.values, setting.bands, setting.rows)
    if signed.salt is not None:
        keys = salted(keys, signed.salt)
    sizes = _cluster_sizes(signed.ids, keys)
    removed = int((sizes - 1).sum())
    count = _candidates(keys, np.flatnonzero(np.isin(signed.ids, sample)))
    left, right, jaccard = _in_scope(signed, truth)
    candidate = (keys[left] == keys[right]).any(axis=1)
    similar = jaccard >= similar_at
    found = int((candidate & similar).sum())
    curve = candidate_probability(jaccard[similar], setting.bands, setting.rows)
    return Outcome(
        setting=str(setting),
        threshold=round(threshold(setting.bands, setting.rows), 3),
        documents=len(signed.ids),
        pairs=round(count * len(signed.ids) / (2 * len(sample))) if len(sample) else 0,
        clusters=len(sizes),
        largest=int(sizes.max(initial=0)),
        removed=removed,
        removed_share=removed / len(signed.ids) if len(signed.ids) else 0.0,
        precision=found / count if count else None,
        recall=found / int(similar.sum()) if similar.any() else None,
        recall_expected=float(curve.mean()) if similar.any() else None,
        rates=tuple(_rates(setting, jaccard, candidate)),
    )


def sweep(
    settings: Sequence[Setting],
    signed: dict[int, Signed],
    samples: dict[int, tuple[np.ndarray, Pairs]],
    similar_at: float,
) -> list[Outcome]:
    """All settings in order; `signed` and `samples` (sampled ids, their pairs) by shingle length."""
    return [try_setting(one, signed[one.ngram], *samples[one.ngram], similar_at) for one in settings]


def _cluster_sizes(ids: np.ndarray, keys: np.ndarray) -> np.ndarray:
    repeated = np.repeat(ids, keys.shape[1])
    _, clusters = local_components(repeated, least_of_group(repeated, keys.ravel()))
    return np.unique(clusters, return_counts=True)[1]


def _candidates(keys: np.ndarray, rows: np.ndarray) -> int:
    """How many other documents share a bucket with the one in each of `rows`, summed up."""
    by_band = np.ascontiguousarray(keys.T)
    order = np.argsort(by_band, axis=1, kind="stable")
    ascending = np.take_along_axis(by_band, order, axis=1)
    count = 0
    for row in rows.tolist():
        found = [
            order[band, np.searchsorted(ascending[band], key) : np.searchsorted(ascending[band], key, side="right")]
            for band, key in enumerate(keys[row])
        ]
        count += len(np.unique(np.concatenate(found))) - 1
    return count


def _in_scope(signed: Signed, pairs: Pairs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of both documents of those pairs that could be found, and their similarity: both signed, and one snapshot.

    `signed.ids` ascend.
    """
    left, right = (np.searchsorted(signed.ids, ids) for ids in (pairs.sampled, pairs.other))
    last = max(len(signed.ids) - 1, 0)
    left, right = np.minimum(left, last), np.minimum(right, last)
    if not len(signed.ids):
        return left[:0], right[:0], pairs.jaccard[:0]
    fits = (signed.ids[left] == pairs.sampled) & (signed.ids[right] == pairs.other)
    if signed.salt is not None:
        fits &= signed.salt[left] == signed.salt[right]
    return left[fits], right[fits], pairs.jaccard[fits]


def _rates(setting: Setting, jaccard: np.ndarray, candidate: np.ndarray) -> list[Rate]:
    rates = []
    for low, high in zip(BINS[:-1].tolist(), BINS[1:].tolist(), strict=True):
        inside = (jaccard >= low) & ((jaccard < high) if high < 1 else (jaccard <= 1))
        pairs = int(inside.sum())
        if pairs:
            mean = float(candidate_probability(jaccard[inside], setting.bands, setting.rows).mean())
            rates.append(Rate(low, high, pairs, int(candidate[inside].sum()), count_interval(pairs, mean)))
    return rates
