"""Components: scipy's against a search by hand, the distributed ones against scipy's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup import components as module
from curation.dedup.components import components, connected_components, local_components
from curation.errors import CurationError

node_ids = st.integers(-(2**63), 2**63 - 1) | st.integers(-6, 6)


def by_search(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Id -> smallest id that can be reached, for ids with a link to another."""
    neighbours: dict[int, set[int]] = {}
    for left, right in pairs:
        if left != right:
            neighbours.setdefault(left, set()).add(right)
            neighbours.setdefault(right, set()).add(left)
    found = {}
    for start in sorted(neighbours):
        waiting = [start] if start not in found else []
        while waiting:
            node = waiting.pop()
            if node not in found:
                found[node] = start
                waiting.extend(neighbours[node])
    return found


def local(pairs: list[tuple[int, int]]) -> dict[int, int]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    ids, clusters = local_components(ends[:, 0], ends[:, 1])
    return dict(zip(ids.tolist(), clusters.tolist(), strict=True))


@given(st.lists(st.tuples(node_ids, node_ids), max_size=25))
@settings(max_examples=100, deadline=None)
def test_local_components_equal_a_search(pairs):
    assert local(pairs) == by_search(pairs)


def graph_of(kind: str) -> list[tuple[int, int]]:
    random = np.random.default_rng(5)
    if kind == "path":  # its ids in random order: the hard case, for no id knows where the smallest is
        order = random.permutation(np.arange(-50_000, 50_000) * 70_000_000_000_000)
        return list(zip(order[:-1].tolist(), order[1:].tolist(), strict=True))
    if kind == "star":
        return [(node, 500) for node in range(-1000, 1000)]
    if kind == "random":  # near the threshold where a giant component appears: many sizes at once
        return list(map(tuple, random.integers(-2000, 2000, (2200, 2)).tolist()))
    return [] if kind == "empty" else [(3, 3)]


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["path", "star", "random", "empty", "self-loop"])
def test_distributed_components_equal_local_ones(spark, kind, caplog):
    pairs = graph_of(kind)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    edges = spark.createDataFrame(pa.table({"src": ends[:, 0], "dst": ends[:, 1]}))
    with caplog.at_level("INFO", logger=module.__name__):
        found = [(row.doc_id, row.cluster_id) for row in connected_components(edges).toLocalIterator()]
    assert len(found) == len(dict(found)), "an id has two clusters"
    assert dict(found) == local(pairs)
    rounds = sum("round" in message for message in caplog.messages)
    assert rounds <= 19, f"{rounds} rounds; a path of 100,000 nodes needs about log2(100,000) = 17"


@pytest.mark.spark
def test_small_graphs_go_to_one_task_with_the_same_result(spark, monkeypatch):
    pairs = graph_of("random")
    edges = spark.createDataFrame(pairs, "src long, dst long").repartition(3)
    monkeypatch.setattr(module, "connected_components", lambda edges: pytest.fail("took the distributed way"))
    assert {row.doc_id: row.cluster_id for row in components(edges).toLocalIterator()} == local(pairs)


@pytest.mark.spark
def test_rounds_are_bounded_and_the_error_says_what_to_do(spark, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROUNDS", 1)
    edges = spark.createDataFrame(graph_of("path")[:50], "src long, dst long")
    with pytest.raises(CurationError, match="after 1 rounds.*more rows per band"):
        connected_components(edges)


def test_nothing_in_is_nothing_out():
    ids, clusters = local_components(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert ids.dtype == clusters.dtype == np.int64
    assert len(ids) == len(clusters) == 0
    assert list(module._in_one_task(iter([pa.record_batch({"src": ids, "dst": ids})]))) == []
