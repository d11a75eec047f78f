"""Keep policies: one survivor per cluster, by a total order that no arrangement of rows can change."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.survivors import POLICIES, local_survivors, survivors

SCHEMA = pa.schema(
    [
        ("doc_id", pa.int64()),
        ("cluster_id", pa.int64()),
        ("unit", pa.string()),
        ("snapshot", pa.string()),
        ("date", pa.string()),
        ("chars", pa.int64()),
        ("score", pa.float64()),
    ]
)
member = st.fixed_dictionaries(
    {
        "doc_id": st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9),
        "cluster_id": st.integers(0, 3),
        "unit": st.sampled_from([None, "unit-0", "unit-1"]),
        "snapshot": st.sampled_from(["", "CC-MAIN-2023-50", "CC-MAIN-2024-10"]),
        "date": st.sampled_from(["", "2023-12-01T00:00:00Z", "2024-03-01T00:00:00Z"]),
        "chars": st.integers(0, 3),
        "score": st.sampled_from([None, math.nan, -1.0, 0.5]),
    }
)
some_members = st.lists(member, min_size=1, max_size=25, unique_by=lambda row: row["doc_id"])


def by_hand(rows: list[dict], keep: str) -> dict[int, tuple[int, int]]:
    """cluster -> (survivor, size), by comparing Python tuples."""

    def rank(row):
        score = row["score"]
        return (
            (row["unit"] is not None,)
            + {
                "longest": (-row["chars"],),
                "newest": (-int(row["date"][:10].replace("-", "") or 0),),
                "best_score": (math.inf if score is None or math.isnan(score) else -score,),
                "first": (row["snapshot"] or "~", row["date"] or "~"),
            }[keep]
            + (row["doc_id"],)
        )

    clusters: dict[int, list[dict]] = {}
    for row in rows:
        clusters.setdefault(row["cluster_id"], []).append(row)
    return {cluster: (min(members, key=rank)["doc_id"], len(members)) for cluster, members in clusters.items()}


def as_dict(rows: list[dict]) -> dict[int, tuple[int, int]]:
    found = {row["cluster_id"]: (row["kept_id"], row["cluster_size"]) for row in rows}
    assert len(found) == len(rows), "a cluster has two survivors"
    return found


@given(some_members, st.sampled_from(sorted(POLICIES)), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_every_cluster_has_one_survivor_whatever_the_order_of_rows(rows, keep, random):
    expected = by_hand(rows, keep)
    random.shuffle(rows)
    assert as_dict(local_survivors(pa.Table.from_pylist(rows, SCHEMA), keep).to_pylist()) == expected


@pytest.mark.spark
@pytest.mark.parametrize("keep", sorted(POLICIES))
def test_spark_keeps_the_same_survivors(spark, keep):
    ids = [-(2**63), 2**63 - 1, *range(-20, 20)]
    rows = [
        {
            "doc_id": doc_id,
            "cluster_id": place % 5,
            "unit": None if place % 11 == 3 else f"unit-{place % 2}",
            "snapshot": ["", "CC-MAIN-2023-50", "CC-MAIN-2024-10"][place * 7 % 3],
            "date": ["", "2023-12-01T00:00:00Z", "2024-03-01T00:00:00Z"][place * 3 // 2 % 3],
            "chars": place // 9,
            "score": [None, math.nan, -1.0, 0.5][place // 6 % 4],
        }
        for place, doc_id in enumerate(ids)
    ]
    members = spark.createDataFrame(pa.Table.from_pylist(rows, SCHEMA)).repartition(3)
    assert as_dict([row.asDict() for row in survivors(members, keep).toLocalIterator()]) == by_hand(rows, keep)
