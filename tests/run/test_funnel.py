"""The books: the funnel of any set of fates balances, and each kind of cooked book is refused."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.document import to_batch
from curation.errors import ConservationError
from curation.page import Page
from curation.run import funnel
from curation.run.funnel import Group, build_funnel, check_conservation, group_files

STAGES = [("url", "page"), ("text", "page"), ("dups", "corpus")]


def group(fate, pages, trail, snapshot="S1"):
    sums = tuple(trail) + (0,) * (len(STAGES) + 1 - len(trail))
    return Group(snapshot, fate, len(trail), pages, trail[-1] if trail else 0, sums)


BOOKS = [
    group("read.not_html", 3, []),
    group("url.hard_word_count", 2, [500]),
    group("text.no_text", 1, [100, 100]),
    group("text.error", 1, [70, 70]),
    group("dups.duplicate", 4, [4000, 4000, 900]),
    group(None, 10, [9000, 9000, 2500, 2500]),
]


def test_funnel_by_hand():
    read, url, text, dups = build_funnel(BOOKS, STAGES)
    assert (read["pages_in"], read["kept"], read["dropped"]) == (21, 18, 3)
    assert (url["pages_in"], url["kept"], url["dropped"], url["chars_dropped"]) == (18, 16, 2, 500)
    assert (text["kept"], text["dropped"], text["failed"]) == (14, 1, 1)
    assert (text["chars_in"], text["chars_out"], text["chars_dropped"], text["chars_trimmed"]) == (
        13170,
        3400,
        170,
        9600,
    )
    assert dups["reasons"] == [{"reason": "dups.duplicate", "pages": 4, "chars": 900}]
    check_conservation([read, url, text, dups], BOOKS, pages_read=21, chars_read=13670)


fates = st.sampled_from(["read.x", "url.a", "url.error", "text.b", "dups.duplicate", None])


@st.composite
def books(draw):
    groups = []
    for fate in draw(st.lists(fates, max_size=12)):
        length = 4 if fate is None else ["read", "url", "text", "dups"].index(fate.partition(".")[0])
        trail = draw(st.lists(st.integers(0, 10**12), min_size=length, max_size=length))
        groups.append(group(fate, draw(st.integers(1, 10**9)), trail))
    return groups


@given(books())
def test_any_books_balance_and_no_page_is_counted_twice(groups):
    funnel = build_funnel(groups, STAGES)
    pages, chars = sum(g.pages for g in groups), sum(g.sums[0] for g in groups)
    check_conservation(funnel, groups, pages, chars)
    lost = sum(entry["dropped"] + entry["failed"] for entry in funnel)
    assert lost + funnel[-1]["kept"] == pages


def test_page_that_vanished_is_noticed():
    with pytest.raises(ConservationError, match="readers yielded 22 pages, 21 were written"):
        check_conservation(build_funnel(BOOKS, STAGES), BOOKS, 22, 13670)


def test_characters_that_vanished_are_noticed():
    with pytest.raises(ConservationError, match="readers yielded 13671 characters"):
        check_conservation(build_funnel(BOOKS, STAGES), BOOKS, 21, 13671)


def test_text_that_differs_from_its_trail_is_noticed():
    cooked = [*BOOKS[:-1], replace(BOOKS[-1], chars=2499)]
    with pytest.raises(ConservationError, match="curated text has 2499 characters, its trails say 2500"):
        check_conservation(build_funnel(cooked, STAGES), cooked, 21, 13670)


@pytest.mark.parametrize("fate", ["text.no_text", "nowhere.rule", None])
def test_fate_that_disagrees_with_its_trail_is_noticed(fate):
    with pytest.raises(ConservationError, match="fates and trails disagree"):
        build_funnel([group(fate, 1, [5])], STAGES)


pages = st.builds(
    lambda snapshot, fate, trail: (snapshot, fate, trail),
    st.sampled_from(["S1", "S2"]),
    st.sampled_from([None, "url.soft", "read.not_html"]),
    st.lists(st.integers(0, 10**9), max_size=len(STAGES) + 1),
)


@settings(max_examples=30)
@given(st.lists(pages, max_size=12), st.integers(1, 5))
def test_groups_of_files_are_those_of_their_rows(tmp_path_factory, rows, batch):
    folder, expected = tmp_path_factory.mktemp("rows"), {}
    made = []
    for number, (snapshot, fate, trail) in enumerate(rows):
        page = Page("x" * number, snapshot=snapshot, dropped_by=fate)
        page.trail = trail
        made.append(page)
        sums = [*trail, *[0] * (len(STAGES) + 1 - len(trail))]
        group = expected.setdefault((snapshot, fate, len(trail)), [0, 0, [0] * (len(STAGES) + 1)])
        group[0] += 1
        group[1] += number
        group[2] = [a + b for a, b in zip(group[2], sums, strict=True)]
    files = [folder / "a.parquet", folder / "b.parquet"]
    for path, part in zip(files, (made[:5], made[5:]), strict=True):
        pq.write_table(pa.Table.from_batches([to_batch(part)]), path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(funnel, "BATCH_ROWS", batch)
        found = group_files(files, len(STAGES))
    assert {(g.snapshot, g.dropped_by, g.trail_length): [g.pages, g.chars, list(g.sums)] for g in found} == expected
    assert len(found) == len(expected)
