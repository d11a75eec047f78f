"""The stages without Spark: what they find, against all pairs compared, and what they refuse."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from curation.dedup.components import local_components
from curation.dedup.duplicates import exact, minhash
from curation.dedup.form import form_words
from curation.dedup.stages import CLUSTERS, REMOVALS
from curation.document import to_batch
from curation.page import Page


def shingle_set(text: str, ngram: int = 5) -> set[tuple[str, ...]]:
    words = form_words(text)
    return {tuple(words[start : start + ngram]) for start in range(len(words) - ngram + 1)}


def jaccard_clusters(pages: list[Page], at: float) -> dict[int, int]:
    """doc_id -> cluster by all pairs: the true Jaccard similarity of shingle sets, then components."""
    sets = [(page.doc_id, shingle_set(page.text)) for page in pages]
    pairs = [
        (left, right)
        for (left, a), (right, b) in combinations(sets, 2)
        if a and b and len(a & b) / len(a | b) >= at
    ]  # fmt: skip
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return dict(zip(*(array.tolist() for array in local_components(ends[:, 0], ends[:, 1])), strict=True))


def clusters_of(decision) -> dict[int, int]:
    return dict(zip(decision.clusters["doc_id"].to_pylist(), decision.clusters["cluster_id"].to_pylist(), strict=True))


def changed(text: str, place: int) -> str:
    words = text.split(" ")
    words[place] = "changed"
    return " ".join(words)


def test_clusters_equal_those_of_all_pairs_where_pairs_are_equal_or_unlike(make_text, keys_of):
    pages = []
    for group, size in enumerate([1, 2, 10, 1, 3]):
        text = make_text(120)
        for copy in range(size):  # the same words in another dress: Jaccard 1
            dressed = text.upper() if copy % 2 else text.replace(" ", ", ", copy)
            pages.append(Page(dressed, doc_id=(-1) ** copy * (1000 * group + copy + 1)))
    stage = minhash(name="near", scope="global")
    decision = stage.local_removals(keys_of(stage, pages))
    assert clusters_of(decision) == jaccard_clusters(pages, at=1.0)
    assert len(decision.removals) == 1 + 9 + 2
    assert set(decision.removals["similarity"].to_pylist()) == {1.0}
    assert {row["cluster_id"]: row["cluster_size"] for row in decision.clusters.to_pylist()} == Counter(
        clusters_of(decision).values()
    )


def test_near_copies_are_clustered_and_distant_relatives_are_not(make_text, keys_of):
    pages, doc_id = [], 0
    for _ in range(40):
        text, other = make_text(400), make_text(320)
        family = [text, changed(text, 200), text[: len(text) // 5] + " " + other]  # Jaccard 0.975 and about 0.12
        for member in family:
            pages.append(Page(member, doc_id=(doc_id := doc_id + 1)))
    stage = minhash(name="near")
    found = clusters_of(stage.local_removals(keys_of(stage, pages)))
    assert found == jaccard_clusters(pages, at=0.9)
    assert len(found) == 80


def test_similarity_is_the_share_of_equal_signature_values(make_text, keys_of):
    text = make_text(400)
    pages = [Page(text + " and more", doc_id=1), Page(changed(text, 100), doc_id=2)]
    stage = minhash(name="near", bands=50, rows=8)
    (removed,) = stage.local_removals(keys_of(stage, pages)).removals.to_pylist()
    true = shingle_set(pages[0].text), shingle_set(pages[1].text)
    jaccard = len(true[0] & true[1]) / len(true[0] | true[1])
    assert removed["similarity"] == pytest.approx(jaccard, abs=3 * np.sqrt(jaccard * (1 - jaccard) / 400))
    assert (removed["doc_id"], removed["kept_id"], removed["stage"], removed["unit"]) == (2, 1, "near", "unit-1")


@pytest.mark.parametrize("unit", ["word", "char"])
def test_chinese_near_copies_are_found(random, keys_of, unit):
    def chinese(length: int) -> str:
        return "".join(map(chr, random.integers(0x4E00, 0x6E00, length)))

    text, other = chinese(500), chinese(500)
    near = text[:250] + "\u7684" + text[251:]
    wrapped = "\n".join(near[start : start + 40] for start in range(0, 500, 40))
    near = near if unit == "char" else wrapped  # a line break is a code point of the form, but no word
    stage = minhash(name="near", unit=unit)
    pages = [Page(text, doc_id=1), Page(near + "\u3002", doc_id=2), Page(other, doc_id=3)]
    assert clusters_of(stage.local_removals(keys_of(stage, pages))) == {1: 1, 2: 1}


def test_scope_decides_whether_copies_across_snapshots_and_sources_count(make_text, keys_of):
    text = make_text(100)
    places = [("web", "2024-10"), ("web", "2024-10"), ("web", "2024-18"), ("wiki", "2024-10"), ("wiki", "")]
    pages = [Page(text, doc_id=n, source=source, snapshot=snapshot) for n, (source, snapshot) in enumerate(places)]
    for make in (minhash, exact):
        within, across = make(name="d", scope="snapshot"), make(name="d", scope="global")
        assert within.local_removals(keys_of(within, pages)).removals["doc_id"].to_pylist() == [1]
        assert across.local_removals(keys_of(across, pages)).removals["doc_id"].to_pylist() == [1, 2, 3, 4]


def test_empty_and_short_texts_never_match_by_minhash_and_short_ones_do_exactly(keys_of):
    pages = [Page(text, doc_id=n) for n, text in enumerate(["", "", "two words", "Two words!", "!!!", "\u00ad"])]
    near, same = minhash(name="near"), exact(name="same")
    keys = keys_of(near, pages)
    assert keys["signature"].null_count == 6
    assert len(near.local_removals(keys).clusters) == 0
    assert keys_of(same, pages)["key"].is_valid().to_pylist() == [False, False, True, True, False, False]
    assert same.local_removals(keys_of(same, pages)).removals.select(["doc_id", "kept_id"]).to_pylist() == [
        {"doc_id": 2, "kept_id": 3}  # longest stays
    ]


@pytest.mark.parametrize("make", [minhash, exact])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_without_duplicates_the_result_is_empty_and_has_its_columns(make_text, keys_of, make, count):
    stage = make(name="d")
    decision = stage.local_removals(keys_of(stage, [Page(make_text(50), doc_id=n) for n in range(count)]))
    assert decision.removals.schema == REMOVALS and decision.clusters.schema == CLUSTERS
    assert len(decision.removals) == len(decision.clusters) == 0


@pytest.mark.parametrize("make", [minhash, exact])
def test_documents_that_share_an_id_both_stay(make_text, keys_of, make):
    left, right = make_text(60), make_text(60)
    pages = [Page(left, doc_id=7), Page(right, doc_id=7)]  # a collision; without it 7 would chain 8 to 9
    pages += [Page(left, doc_id=8), Page(right, doc_id=9), Page(left, doc_id=10)]
    stage = make(name="d")
    decision = stage.local_removals(keys_of(stage, pages))
    assert decision.removals.select(["doc_id", "kept_id"]).to_pylist() == [{"doc_id": 10, "kept_id": 8}]


def test_addresses_are_compared_in_canonical_form(keys_of):
    urls = ["http://www.x.org/a/", "https://X.org/a?utm_source=b", "http://x.org/b", "", ""]
    dates = ["2024-01-01", "2024-02-01", "", "", ""]
    pages = [Page("t", doc_id=n, url=url, date=date) for n, (url, date) in enumerate(zip(urls, dates, strict=True))]
    stage = exact(name="by_url", by="url", keep="newest")
    assert stage.local_removals(keys_of(stage, pages)).removals["doc_id"].to_pylist() == [0]


def test_the_best_score_stays_and_is_read_from_the_named_entry(make_text):
    text, pages = make_text(50), []
    for doc_id, scores in enumerate([{"edu": 1.5, "toxic": 9.0}, {"edu": 3.25}, {"toxic": 9.9}]):
        page = Page(text, doc_id=doc_id)
        page.scores = scores
        pages.append(page)
    stage = minhash(name="near", keep="best_score", score="edu")
    keys = pa.Table.from_batches([stage.keys(to_batch(pages), "u")])
    assert keys["score"].to_pylist() == [1.5, 3.25, None]
    assert set(stage.local_removals(keys).removals["kept_id"].to_pylist()) == {1}


def test_dropped_pages_have_no_keys(make_text):
    alive, dead = Page(make_text(50), doc_id=1), Page(make_text(50), doc_id=2)
    dead.drop("quality", "word_count", 50)
    for stage in (minhash(name="near"), exact(name="text"), exact(name="url", by="url")):
        keys = stage.keys(to_batch([dead, alive], keep_text=[False, True]), "u")
        assert keys["doc_id"].to_pylist() == [1]
        assert keys.schema == stage.key_schema()


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        pytest.param(minhash, {"scope": "crawl"}, "scope is 'crawl'; choose one of snapshot, global", id="scope"),
        pytest.param(exact, {"keep": "best"}, "keep is 'best'; choose one of longest, newest", id="keep"),
        pytest.param(exact, {"by": "line"}, "by is 'line'; choose one of text, url", id="by"),
        pytest.param(minhash, {"unit": "byte"}, "unit is 'byte'; choose one of word, char", id="unit"),
        pytest.param(minhash, {"bands": 0}, "bands is 0; it must be a whole number from 1", id="bands"),
        pytest.param(minhash, {"rows": 2.5}, "rows is 2.5; it must be a whole number", id="rows"),
        pytest.param(minhash, {"ngram": True}, "ngram is True; it must be a whole number", id="ngram"),
        pytest.param(minhash, {"seed": -1}, "seed is -1; it must be a whole number from 0", id="seed"),
        pytest.param(minhash, {"keep": "best_score"}, "needs score: <name", id="score-missing"),
        pytest.param(exact, {"score": "edu"}, "no other policy takes one", id="score-unused"),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_the_allowed_ones(make, settings, message):
    with pytest.raises(ValueError, match=message):
        make(name="d", **settings)
