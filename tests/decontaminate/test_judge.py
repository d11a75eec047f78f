"""The decisions on small lists: what is cut at, below and above each bound, and which pages an item costs."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.decontaminate import stages
from curation.decontaminate.index import build_index
from curation.decontaminate.items import PARTS, Items
from curation.decontaminate.judge import Holder, merged, pages_to_remove, pieces_left, ratio
from curation.page import Drop

gpt3 = partial(pieces_left, around=200, shortest_piece=201, most_pieces=10)
INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda x: (x[0], x[0] + x[1])), max_size=8)


def covered(intervals):
    return {place for begin, end in intervals for place in range(begin, end)}


@given(INTERVALS)
def test_merged_covers_the_same_in_parted_intervals(intervals):
    result = merged(intervals)
    assert covered(result) == covered(intervals)
    assert all(first[1] < second[0] for first, second in zip(result, result[1:], strict=False))


@pytest.mark.parametrize(
    ("spans", "chars", "expected"),
    [
        pytest.param([(401, 460)], 861, [(0, 201), (660, 861)], id="pieces-of-201-stay"),
        pytest.param([(400, 460)], 861, [(660, 861)], id="piece-of-200-goes"),
        pytest.param([(400, 460)], 860, Drop("nothing_left", 400), id="both-pieces-of-200-go"),
        pytest.param([(0, 60)], 461, [(260, 461)], id="span-at-the-start"),
        pytest.param([(i, 60 + i) for i in range(11)], 1000, [(270, 1000)], id="eleven-overlapping-hits"),
        pytest.param([(0, 100)], 100, Drop("nothing_left", 0), id="the-whole-text"),
    ],
)  # fmt: skip
def test_cut_at_its_bounds(spans, chars, expected):
    assert gpt3(spans, chars) == expected


def test_a_page_of_which_only_white_space_is_left_goes():
    """It was kept, as a page without a character."""
    stage = stages.gpt3(name="clean", benchmarks={"quiz": ("question",)})
    assert stage.cut(300 * " " + 60 * "x" + 500 * "\n", [(300, 360)]) == Drop("nothing_left", 0)
    left = stage.cut("y" * 500 + 60 * "x" + 500 * " " + 60 * "x" + "z" * 500, [(500, 560), (1060, 1120)])
    assert left == "y" * 300 + "\n\n" + "z" * 300


@pytest.mark.parametrize(("cuts", "dropped"), [(9, False), (10, True)], ids=["ten-pieces", "eleven-pieces"])
def test_text_in_more_than_ten_pieces_is_dropped(cuts, dropped):
    spans = [(1000 * n, 1000 * n + 50) for n in range(1, cuts + 1)]
    result = gpt3(spans, 1000 * (cuts + 1))
    assert (result == Drop("too_many_pieces", 11)) if dropped else len(result) == 10


@given(INTERVALS.filter(bool), st.integers(40, 60), st.integers(0, 5), st.integers(1, 8))
def test_pieces_keep_their_distance_from_every_span(spans, chars, around, shortest):
    pieces = pieces_left(spans, chars, around=around, shortest_piece=shortest, most_pieces=99)
    near = covered((max(0, start - around), min(chars, end + around)) for start, end in spans)
    kept = set() if isinstance(pieces, Drop) else covered(pieces)
    assert not kept & near
    lost = set(range(chars)) - near - kept
    assert not any(set(range(place, place + shortest)) <= lost for place in lost), "a piece long enough was lost"


def index_of(words):
    row = {"benchmark": "b", "item": "i", "field": "f", "text": " ".join(f"{chr(97 + n)}x" for n in range(words))}
    return build_index(Items(pa.Table.from_pylist([row], PARTS)), 2)


HOLDERS = st.lists(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4)), min_size=1, max_size=3), max_size=6)


@given(HOLDERS, st.sampled_from([0.25, 0.5, 0.75, 1.0]))
def test_pages_that_stay_are_below_the_bound_and_no_page_goes_without_need(raw, bound):
    index = index_of(12)
    holders = [Holder(n, "u", merged((b, b + size) for b, size in one)) for n, one in enumerate(raw)]

    def held(some):
        return ratio(index, 0, [interval for holder in some for interval in holder.words])

    removed = pages_to_remove(index, 0, holders, bound)
    stay = [holder for holder in holders if holder not in removed]
    assert held(stay) < bound
    assert not removed or held([*stay, removed[-1]]) >= bound
    assert all(held([gone]) >= held([kept]) for gone in removed for kept in stay)
