"""Near-copies among the real pages, against an all-pairs reference: sparse matrices and scipy, no MinHash."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from curation.dedup.bands import band_keys
from curation.dedup.curve import candidate_probability
from curation.dedup.duplicates import minhash
from curation.dedup.form import form_words
from curation.dedup.kernel import signatures
from curation.document import to_batch
from curation.extract import resiliparse
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits

pytestmark = pytest.mark.real
BANDS, ROWS, NGRAM = 14, 8, 5


@pytest.fixture(scope="module")
def pages(real_data):
    """Living pages of one real snapshot with their main text."""
    found = []
    for split in plan_splits(list_inputs(str(real_data / "snapshots"), snapshots=["REAL-2024-10"]), 1 << 30):
        for page in read_pages(split, SplitReport(split)):
            if page.alive:
                page.text, page.html = resiliparse(page.html), None
                found.append(page)
    return found


@pytest.fixture(scope="module")
def similar(pages):
    """(i, j, Jaccard) of all pairs i < j with Jaccard of at least 0.3, from sets of word 5-grams."""
    numbers: dict[tuple, int] = {}
    rows, columns = [], []
    for i, page in enumerate(pages):
        words = form_words(page.text)
        for gram in {tuple(words[k : k + NGRAM]) for k in range(len(words) - NGRAM + 1)}:
            rows.append(i)
            columns.append(numbers.setdefault(gram, len(numbers)))
    holds = sp.csr_matrix((np.ones(len(rows), np.int32), (rows, columns)), shape=(len(pages), len(numbers)))
    size = np.asarray(holds.sum(axis=1)).ravel()
    common = sp.triu(holds @ holds.T, k=1).tocoo()
    jaccard = common.data / (size[common.row] + size[common.col] - common.data)
    return [(i, j, s) for i, j, s in zip(common.row, common.col, jaccard, strict=True) if s >= 0.3]


@pytest.fixture(scope="module")
def keys_of_pages(pages):
    signed = signatures(pa.array([page.text for page in pages]), ngram=NGRAM, hashes=BANDS * ROWS)
    keys = band_keys(signed.values, BANDS, ROWS)
    return np.where((signed.shingles > 0)[:, None], keys, np.arange(len(pages))[:, None] - (1 << 62))


def test_candidates_are_as_many_as_the_s_curve_expects(similar, keys_of_pages):
    assert len(similar) > 50
    found = np.array([(keys_of_pages[i] == keys_of_pages[j]).any() for i, j, _ in similar])
    chance = np.array([candidate_probability(s, BANDS, ROWS) for _, _, s in similar])
    spread = np.sqrt((chance * (1 - chance)).sum())
    # Pairs inside one template family share pages, so they are not independent: five deviations, not three.
    assert abs(found.sum() - chance.sum()) <= 5 * spread + 1
    assert found[chance > 0.9999].all()


def test_dissimilar_pages_are_no_candidates(pages, similar, keys_of_pages):
    known = {(i, j) for i, j, _ in similar}
    order = np.argsort(keys_of_pages, axis=0, kind="stable")
    for band in range(BANDS):
        keys, rows = keys_of_pages[order[:, band], band], order[:, band]
        for a, b in zip(rows[:-1][keys[:-1] == keys[1:]], rows[1:][keys[:-1] == keys[1:]], strict=True):
            assert (min(a, b), max(a, b)) in known  # at 14 bands of 8 rows a pair below 0.3 is one in a thousand


def test_clusters_are_the_components_of_all_candidate_pairs(pages, keys_of_pages):
    n = len(pages)
    linked = sp.lil_matrix((n, n), dtype=bool)
    for band in range(BANDS):
        members: dict[int, list[int]] = {}
        for i in range(n):
            members.setdefault(int(keys_of_pages[i, band]), []).append(i)
        for group in members.values():
            for i in group[1:]:
                linked[group[0], i] = True
    _, label = connected_components(linked, directed=False)
    reference: dict[int, set[int]] = {}
    for i, page in enumerate(pages):
        reference.setdefault(label[i], set()).add(page.doc_id)
    stage = minhash(name="near", scope="global", ngram=NGRAM, bands=BANDS, rows=ROWS)
    decision = stage.local_removals(pa.Table.from_batches([stage.keys(to_batch(pages), "memory")]))
    ours: dict[int, set[int]] = {}
    ids, clusters = (decision.clusters[c].to_pylist() for c in ("doc_id", "cluster_id"))
    for doc_id, cluster in zip(ids, clusters, strict=True):
        ours.setdefault(cluster, set()).add(doc_id)
    expected = {frozenset(group) for group in reference.values() if len(group) > 1}
    assert {frozenset(group) for group in ours.values()} == expected
    assert len(expected) > 20
    assert len(decision.removals) == sum(len(group) - 1 for group in expected)
