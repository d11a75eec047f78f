"""Verification: no document goes unless it is like the one that stays; chains and giant clusters are split."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.duplicates import minhash
from curation.dedup.form import form_words
from curation.dedup.kernel import shingle_hashes
from curation.dedup.local_links import Rows, verified_links
from curation.dedup.similarity import shingle_sets, similarities
from curation.page import Page


def jaccard(left: str, right: str, ngram: int = 5) -> float:
    a, b = (
        {tuple(words[k : k + ngram]) for k in range(len(words) - ngram + 1)}
        for words in (form_words(left), form_words(right))
    )
    return len(a & b) / len(a | b) if a | b else 0.0


@given(st.lists(st.tuples(st.text("ab c", max_size=40), st.text("ab c", max_size=40)), max_size=8))
@settings(max_examples=60, deadline=None)
def test_true_jaccard_equals_that_of_python_sets(pairs):
    pairs = [pair for pair in pairs if all(len(shingle_hashes(text, 2)) for text in pair)]
    columns = [pa.array([pair[side] for pair in pairs], pa.large_string()) for side in (0, 1)]
    left, right = (shingle_sets(column, 2, "word") for column in columns)
    assert similarities(left, right, "shingles").tolist() == [jaccard(a, b, 2) for a, b in pairs]


def chain(make_text, length: int, words: int = 300, step: int = 30) -> list[str]:
    """Texts of which each shares all but `step` words with the next, at J = 0.8 or so, and little with far ones."""
    flow = make_text(words + step * length).split(" ")
    return [" ".join(flow[place * step : place * step + words]) for place in range(length)]


@pytest.mark.parametrize("verify", ["estimate", "exact"])
def test_a_chain_is_one_cluster_unverified_and_stars_when_verified(make_text, keys_of, verify):
    texts = chain(make_text, 9)
    assert jaccard(texts[0], texts[1]) > 0.8 and jaccard(texts[0], texts[2]) < 0.7
    pages = [Page(text, doc_id=n + 1, date=f"2024-01-0{n + 1}") for n, text in enumerate(texts)]
    settings = {"name": "near", "keep": "first", "bands": 50, "rows": 4}
    plain = minhash(**settings).local_removals(keys_of(minhash(**settings), pages))
    assert plain.removals["kept_id"].to_pylist() == [1] * 8, "links chain all of them to the first"
    stage = minhash(**settings, verify=verify, min_similarity=0.75)
    found = stage.local_removals(keys_of(stage, pages)).removals.to_pylist()
    assert [(row["doc_id"], row["kept_id"]) for row in found] == [(2, 1), (4, 3), (6, 5), (8, 7)]


@pytest.mark.parametrize("verify", ["estimate", "exact"])
def test_whatever_goes_is_like_what_stays_and_what_stays_is_no_copy_of_it(make_text, keys_of, random, verify):
    pages = []
    for family in range(30):  # members at many similarities, all in reach of each other's buckets
        words = make_text(200).split(" ")
        for member in range(6):
            changed = list(words)
            for place in random.choice(200, size=member * 2, replace=False):
                changed[place] = f"x{family}y{member}z{place}"
            pages.append(Page(" ".join(changed), doc_id=len(pages)))
    texts = {page.doc_id: page.text for page in pages}
    stage = minhash(name="near", bands=40, rows=3, verify=verify, min_similarity=0.8)
    removals = stage.local_removals(keys_of(stage, pages)).removals.to_pylist()
    gone = {row["doc_id"] for row in removals}
    assert 30 <= len(gone) < 150
    for row in removals:
        assert row["kept_id"] not in gone
        true = jaccard(texts[row["doc_id"]], texts[row["kept_id"]])
        if verify == "exact":
            assert row["similarity"] == pytest.approx(true) and true >= 0.8
        else:
            assert row["similarity"] >= 0.8 and row["similarity"] == pytest.approx(true, abs=0.16)


def test_two_families_in_one_bucket_are_parted_and_each_is_linked():
    """Ids 0, 2 and 4 are alike, and so are 1 and 3; one bucket holds them all, with 0 as its hub."""
    signatures = [np.full(8, family, dtype="<u4").tobytes() for family in (7, 9, 7, 9, 7)]
    keys = pa.table({"doc_id": pa.array(range(5), pa.int64()), "signature": pa.array(signatures, pa.binary())})
    rows = Rows(np.zeros(4, np.int64), np.arange(1, 5), np.zeros(4, np.int64))
    links = verified_links(rows, keys, "signature", 0.75)
    assert set(zip(*(ends.tolist() for ends in links), strict=True)) == {(2, 0), (4, 0), (3, 1)}


def test_only_clusters_above_the_giant_size_are_split(make_text, keys_of):
    long, short = chain(make_text, 9), chain(make_text, 3)
    pages = [Page(text, doc_id=n, date=f"2024-01-{n + 1:02}") for n, text in enumerate([*long, *short])]
    settings = {"name": "near", "keep": "first", "bands": 50, "rows": 4}
    stage = minhash(**settings, giant=5, split_giant=True)
    removals = stage.local_removals(keys_of(stage, pages)).removals.to_pylist()
    kept = {row["doc_id"]: row["kept_id"] for row in removals}
    assert kept == {1: 0, 3: 2, 5: 4, 7: 6, 10: 9, 11: 9}


def test_stored_bands_find_the_same_copies_without_a_similarity(make_text, keys_of):
    pages = []
    for group in range(20):
        text = make_text(150)
        pages += [Page(text, doc_id=3 * group), Page(text + " more", doc_id=3 * group + 1)]
    full, lean = minhash(name="near"), minhash(name="near", store="bands")
    one, other = (stage.local_removals(keys_of(stage, pages)) for stage in (full, lean))
    assert lean.key_schema().field("bands").type == pa.binary(112)
    assert other.clusters == one.clusters
    assert other.removals.drop(["similarity"]) == one.removals.drop(["similarity"])
    assert other.removals["similarity"].null_count == len(other.removals) == 20


@pytest.mark.parametrize("keep", ["longest", "newest", "first"])
def test_documents_of_an_earlier_run_are_never_removed_and_stay_before_new_ones(make_text, keys_of, keep):
    text = make_text(100)
    pages = [Page(text + " and more" * n, doc_id=n, date=f"2024-01-0{9 - n}") for n in range(5)]
    stage = minhash(name="near", scope="global", keep=keep)
    keys = keys_of(stage, pages)
    earlier = np.isin(keys["doc_id"].to_numpy(), [2, 3])
    unit = pa.array([None if one else "unit-0" for one in earlier], pa.string())
    keys = keys.set_column(keys.schema.get_field_index("unit"), "unit", unit)
    decision = stage.local_removals(keys)
    assert decision.removals["doc_id"].to_pylist() == [0, 1, 4]
    assert set(decision.removals["kept_id"].to_pylist()) == {{"longest": 3, "newest": 2, "first": 3}[keep]}
    assert set(decision.removals["cluster_size"].to_pylist()) == {5}


@pytest.mark.parametrize("verify", ["none", "estimate"])
def test_against_an_earlier_snapshot_the_same_goes_as_in_a_joint_run_that_keeps_the_first(
    make_text, keys_of, random, verify
):
    texts = [text for _ in range(20) for text in chain(make_text, 5)]
    texts += [texts[place] + " end" for place in range(0, 100, 3)]
    ids = random.permutation(len(texts))
    late = random.random(len(texts)) < 0.9
    pages = [
        Page(text, doc_id=int(doc_id), snapshot="CC-MAIN-2024-18" if new else "CC-MAIN-2024-10")
        for text, doc_id, new in zip(texts, ids, late, strict=True)
    ]
    stage = minhash(name="near", scope="global", keep="first", bands=50, rows=4, verify=verify)
    joint = keys_of(stage, pages)
    old = pc.equal(joint["snapshot"], "CC-MAIN-2024-10")
    place = joint.schema.get_field_index("unit")
    against = joint.set_column(place, "unit", pc.if_else(old, pa.scalar(None, pa.string()), joint["unit"]))
    new = set(ids[late].tolist())
    together = [row for row in stage.local_removals(joint).removals.to_pylist() if row["doc_id"] in new]
    assert stage.local_removals(against).removals.to_pylist() == together
    assert 20 < len(together) < late.sum()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param({"verify": "true"}, "verify is 'true'; choose one of none, estimate, exact", id="verify"),
        pytest.param({"min_similarity": 0.0}, "min_similarity is 0.0; it must lie above 0", id="similarity"),
        pytest.param({"verify": "estimate", "store": "bands"}, "an estimate needs store: signatures", id="store"),
        pytest.param({"split_giant": True, "store": "bands"}, "an estimate needs store: signatures", id="split-store"),
        pytest.param({"split_giant": True, "verify": "exact"}, "splits every cluster; leave split_giant", id="split"),
        pytest.param({"bands_per_pass": 15}, "bands_per_pass is 15; it must be a whole number from 1 to 14", id="pass"),
        pytest.param({"giant": 1}, "giant is 1; it must be a whole number from 2", id="giant"),
    ],
)
def test_settings_that_cannot_work_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        minhash(name="near", **wrong)
