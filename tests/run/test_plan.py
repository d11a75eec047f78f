"""Segments and units: every stage and every split in exactly one place, in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.duplicates import minhash
from curation.dedup.repeats import lines
from curation.read.inputs import InputFile
from curation.read.splits import Split
from curation.run.plan import Unit, cut_into_segments, plan_units, split_bytes
from curation.stage import keep_if


def splits_of(sizes):
    files = [InputFile(f"/in/{i}.warc.gz", f"{i}.warc.gz", "warc", "web", f"S{i // 3}", s) for i, s in enumerate(sizes)]
    return [Split(file, 0, file.size) for file in files]


def test_page_stage_after_a_corpus_stage_opens_a_segment():
    a, b, c = (keep_if(name, []) for name in "abc")
    near, exact = minhash(name="near"), minhash(name="exact")
    shape = [
        ([s.name for s in seg.page_stages], [s.name for s in seg.corpus_stages])
        for seg in cut_into_segments([a, b, near, exact, c])
    ]
    assert shape == [(["a", "b"], ["near", "exact"]), (["c"], [])]


def test_whatever_follows_a_stage_that_cuts_texts_opens_a_segment():
    near, menus, exact = minhash(name="near"), lines(name="menus"), minhash(name="exact")
    shape = [
        ([s.name for s in seg.page_stages], [s.name for s in seg.corpus_stages])
        for seg in cut_into_segments([near, menus, exact, keep_if("a", [])])
    ]
    assert shape == [([], ["near", "menus"]), ([], ["exact"]), (["a"], [])]


def test_last_segment_never_ends_with_an_undecided_corpus_stage():
    segments = cut_into_segments([keep_if("a", []), minhash(name="near")])
    assert [len(s.corpus_stages) for s in segments] == [1, 0]
    assert segments[-1].page_stages == ()


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=40), st.integers(1, 3000), st.integers(1, 10))
def test_units_hold_every_split_once_in_order_and_within_bounds(sizes, unit_bytes, at_least):
    splits = splits_of(sizes)
    units = plan_units(splits, unit_bytes, at_least)
    assert [split for unit in units for split in unit.splits] == splits
    assert len({unit.name for unit in units}) == len(units)
    for unit in units:
        assert len({split.file.snapshot for split in unit.splits}) == 1
        assert len(unit.splits) == 1 or sum(map(split_bytes, unit.splits)) <= unit_bytes


def test_unit_survives_json():
    unit = plan_units(splits_of([5, 6, 7]), 100, 1)[0]
    assert Unit.from_dict(unit.to_dict()) == unit
