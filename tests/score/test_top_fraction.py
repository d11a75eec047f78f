"""The best fraction: exactly so many pages, the same ones whatever the order and the partitioning."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.stages import REMOVALS
from curation.document import to_batch
from curation.page import Page
from curation.score.top_fraction import TopFraction, kept_count, places_of, score_at, top_fraction

FLOATS = st.floats(width=32, allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf])


def page(doc_id: int, score: float | None, language: str = "en", snapshot: str = "S1") -> Page:
    made = Page("text", doc_id=doc_id, language=language, snapshot=snapshot, source="web")
    made.scores = {} if score is None else {"quality": score}
    return made


def keys_of(stage: TopFraction, pages: list[Page]) -> pa.Table:
    return pa.Table.from_batches([stage.keys(to_batch(pages), "unit-0")])


def kept_by_sorting(stage: TopFraction, pages: list[Page]) -> set[int]:
    """The oracle: Python's own sort, group by group."""
    group_of = {"global": lambda p: "", "language": lambda p: p.language, "snapshot": lambda p: p.snapshot}[stage.scope]
    kept: set[int] = set()
    for group in {group_of(p) for p in pages}:
        members = [p for p in pages if group_of(p) == group]
        members.sort(key=lambda p: (-np.float32(p.scores.get("quality", -math.inf)), p.doc_id))
        kept |= {p.doc_id for p in members[: kept_count(len(members), stage.keep_fraction)]}
    return kept


def stage_of(fraction: float, scope: str = "global") -> TopFraction:
    return top_fraction(name="best", score="quality", keep_fraction=fraction, scope=scope)


@given(st.lists(FLOATS, max_size=60), st.sampled_from([0.001, 0.1, 0.33, 0.5, 1.0]))
def test_local_decision_keeps_what_sorting_keeps(scores, fraction):
    pages = [page(n * 7919 % 1009 - 500, score) for n, score in enumerate(scores)]
    stage = stage_of(fraction)
    removed = stage.local_removals(keys_of(stage, pages)).removals["doc_id"].to_pylist()
    assert {p.doc_id for p in pages} - set(removed) == kept_by_sorting(stage, pages)


@given(st.integers(0, 10**12), st.sampled_from(["0.1", "0.05", "0.35", "0.7", "1.0"]))
def test_count_kept_is_the_nearest_whole_number_halves_up(pages, fraction):
    nearest = (Decimal(fraction) * pages).to_integral_value(rounding=ROUND_HALF_UP)
    assert kept_count(pages, float(fraction)) == nearest


@given(st.lists(FLOATS, min_size=1, max_size=30))
def test_places_fall_as_scores_rise_and_lead_back(scores):
    places = places_of(pa.array(scores, pa.float32())).to_pylist()
    assert [score_at(place) for place in places] == scores
    for a, place_a in zip(scores, places, strict=True):
        for b, place_b in zip(scores, places, strict=True):
            assert (a > b) == (place_a < place_b)


def test_missing_and_undefined_scores_go_first():
    pages = [page(1, None), page(2, math.nan), page(3, -math.inf), page(4, 0.5)]
    stage = stage_of(0.5)
    assert stage.local_removals(keys_of(stage, pages)).removals["doc_id"].to_pylist() == [1, 2]


def test_snapshots_of_different_sources_are_different_groups():
    pages = [page(n, n / 10) for n in range(4)]
    pages[2].source = pages[3].source = "wiki"
    stage = stage_of(0.5, "snapshot")
    assert keys_of(stage, pages)["group"].to_pylist() == ["web/S1"] * 2 + ["wiki/S1"] * 2
    assert stage.local_removals(keys_of(stage, pages)).removals["doc_id"].to_pylist() == [0, 2]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"keep_fraction": 0.0}, "keep_fraction is 0.0; it must be above 0"),
        ({"keep_fraction": 10.0}, "such as 0.1"),
        ({"scope": "host"}, "scope is 'host'; choose one of global, snapshot, language"),
    ],
    ids=["zero", "percent", "scope"],
)
def test_setting_out_of_range_is_refused(setting, sentence):
    with pytest.raises(ValueError, match=sentence):
        top_fraction(**{"name": "best", "score": "quality", "keep_fraction": 0.1, **setting})


def test_documents_with_one_id_fare_alike():
    pages = [page(7, 0.5), page(7, 0.5), page(7, 0.5), page(9, 0.1)]
    assert stage_of(0.5).local_removals(keys_of(stage_of(0.5), pages)).removals["doc_id"].to_pylist() == [9]


def made_pages() -> list[Page]:
    """Groups of which none stays, all scores equal, most equal, twins; ids over the whole range of 64 bits."""
    random = np.random.default_rng(5)
    pages = []
    for n, doc_id in enumerate(random.integers(-(2**63), 2**63, 2000).tolist()):
        language = ["en", "de", "fr", "xx"][n % 4]
        score = {
            "en": random.random(),
            "de": 0.25,
            "fr": float(random.integers(3)),
            "xx": [None, 0.1, -0.1][n // 4 % 3],
        }
        pages.append(page(doc_id, score[language], language))
    return pages + [page(n, 1.0, "few") for n in range(4)] + [page(77, 0.5, "twins") for _ in range(15)]


@pytest.mark.spark
def test_spark_decides_as_the_local_path_does(spark):
    pages, stage = made_pages(), stage_of(0.1, "language")
    keys = keys_of(stage, pages)
    local = stage.local_removals(keys)
    decision = stage.removals(spark.createDataFrame(keys).repartition(3))
    found = pa.Table.from_pylist([row.asDict() for row in decision.removals.toLocalIterator()], REMOVALS)
    assert found.sort_by("doc_id") == local.removals
    assert decision.clusters.count() == 0
    groups = decision.facts["groups"]
    assert {name: group["kept"] for name, group in groups.items()} == {
        "en": 50, "de": 50, "fr": 50, "xx": 50, "few": 0, "twins": 15,
    }  # fmt: skip
    assert groups["few"] == {"pages": 4, "kept": 0, "threshold": None}
    assert groups["de"]["threshold"] == 0.25
    scores = sorted((float(np.float32(p.scores["quality"])) for p in pages if p.language == "en"), reverse=True)
    assert groups["en"]["threshold"] == scores[49]


@pytest.mark.spark
def test_spark_keeps_all_where_the_fraction_is_one(spark):
    keys = keys_of(stage_of(1.0), made_pages()[:8])
    assert stage_of(1.0).removals(spark.createDataFrame(keys)).removals.count() == 0
