"""Both scopes on one table of keys, against the plain meaning of the words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.duplicates import exact, minhash
from curation.dedup.scopes import FATES, SCOPES, left_by_snapshot, scope_fates
from curation.document import to_batch
from curation.errors import InputError
from curation.page import Page

STAGE = exact(name="same", keep="newest")


def keys_of(pages, stage=STAGE):
    return pa.Table.from_batches([stage.keys(to_batch(pages), "unit")])


def page(number, snapshot, text, **more):
    return Page(text, doc_id=number, snapshot=snapshot, date=f"{snapshot}-01T00:00:00Z", source="web", **more)


@given(st.lists(st.tuples(st.sampled_from(["2020-01", "2021-01", "2022-01"]), st.sampled_from("abcde")), max_size=25))
def test_every_fate_is_what_the_words_say(drawn):
    pages = [page(number, *one) for number, one in enumerate(drawn)]
    fates = scope_fates(STAGE, keys_of(pages)).to_pylist()
    assert [row["doc_id"] for row in fates] == list(range(len(drawn)))
    for number, ((snapshot, text), row) in enumerate(zip(drawn, fates, strict=True)):
        others = [(s, n) for n, (s, t) in enumerate(drawn) if t == text and n != number]
        assert row["copy_here"] == any(s == snapshot for s, _ in others)
        assert row["copy_newer"] == any(s > snapshot for s, _ in others)
        assert row["copy_older"] == any(s < snapshot for s, _ in others)
        # The newest capture stays, of several in one snapshot the smallest id.
        assert row["gone_snapshot"] == any(s == snapshot and n < number for s, n in others)
        assert row["gone_global"] == any(s > snapshot or (s == snapshot and n < number) for s, n in others)


@given(st.lists(st.tuples(st.sampled_from(["2020-01", "2021-01"]), st.sampled_from(["a", "bb", "ccc"])), max_size=20))
def test_the_sums_by_snapshot_are_those_of_the_fates(drawn):
    pages = [page(number, *one) for number, one in enumerate(drawn)]
    fates = scope_fates(STAGE, keys_of(pages))
    left = left_by_snapshot(fates)
    assert [(one.scope, one.snapshot) for one in left] == [
        (s, n) for s in SCOPES for n in sorted({s for s, _ in drawn})
    ]
    for one in left:
        rows = [row for row in fates.to_pylist() if row["snapshot"] == one.snapshot]
        gone = [row for row in rows if row[f"gone_{one.scope}"]]
        assert (one.documents, one.removed) == (len(rows), len(gone))
        assert (one.chars, one.chars_removed) == (sum(r["chars"] for r in rows), sum(r["chars"] for r in gone))
        assert one.share_left == pytest.approx(1 - len(gone) / len(rows))


def test_near_copies_and_the_removals_of_each_scope(random, make_text):
    text = make_text(200)
    pages = [page(1, "2020-01", text), page(2, "2021-01", text + " more"), page(3, "2021-01", make_text(200))]
    stage = minhash(name="near", keep="newest")
    keys = keys_of(pages, stage)
    fates = scope_fates(stage, keys)
    assert fates["gone_snapshot"].to_pylist() == [False, False, False]
    assert fates["gone_global"].to_pylist() == [True, False, False]
    for scope in SCOPES:
        removed = replace(stage, scope=scope).local_removals(keys).removals["doc_id"].to_pylist()
        assert removed == [row["doc_id"] for row in fates.to_pylist() if row[f"gone_{scope}"]]


def test_no_document_and_no_copy():
    assert scope_fates(STAGE, keys_of([])).equals(FATES.empty_table())
    assert left_by_snapshot(scope_fates(STAGE, keys_of([]))) == []
    alone = scope_fates(STAGE, keys_of([page(1, "2020-01", "a")])).to_pylist()
    assert not any(value for name, value in alone[0].items() if name.startswith(("gone", "copy")))


def test_several_sources_are_refused():
    pages = [page(1, "2020-01", "a"), page(2, "2020-01", "a")]
    pages[1].source = "wiki"
    with pytest.raises(InputError, match=r"2 sources \(web, wiki\)"):
        scope_fates(STAGE, keys_of(pages))


def test_ids_beyond_the_middle_of_int64_stay_in_order():
    pages = [page(number, "2020-01", "a") for number in (2**62, -(2**63), 5)]
    assert scope_fates(STAGE, keys_of(pages))["gone_global"].to_pylist() == [False, True, True]
    assert np.all(np.diff(scope_fates(STAGE, keys_of(pages))["doc_id"].to_numpy().astype(float)) > 0)
