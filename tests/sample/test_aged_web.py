"""The made-up web of many snapshots."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from curation.dedup.duplicates import minhash
from curation.dedup.scopes import left_by_snapshot, scope_fates
from curation.document import to_batch
from curation.errors import InputError
from curation.sample.aged import aged_pages


def test_the_same_seed_gives_the_same_pages_and_another_one_others():
    first, again, other = (
        [(page.doc_id, page.url, page.text) for page in aged_pages(3, 40, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert {text for _, _, text in first}.isdisjoint(text for _, _, text in other)


def test_every_snapshot_has_its_pages_in_order_of_age():
    pages = aged_pages(4, 60)
    assert Counter(page.snapshot for page in pages) == dict.fromkeys(
        ["AGED-2017-10", "AGED-2017-36", "AGED-2018-10", "AGED-2018-36"], 60
    )
    assert [page.snapshot for page in pages] == sorted(page.snapshot for page in pages)
    assert [page.date for page in pages] == sorted(page.date for page in pages)
    assert len({page.doc_id for page in pages}) == len(pages)


def test_keyword_pages_are_met_once_and_the_older_the_snapshot_the_more_goes_globally():
    pages = aged_pages(8, 120)
    stage = minhash(name="near", keep="newest")
    fates = scope_fates(stage, pa.Table.from_batches([stage.keys(to_batch(pages), "unit")]))
    passing = {page.doc_id for page in pages if "passing" in page.url}
    assert len(passing) == 8 * 30
    assert not any(row["gone_global"] for row in fates.to_pylist() if row["doc_id"] in passing)
    left = [one.share_left for one in left_by_snapshot(fates) if one.scope == "global"]
    assert left[0] < 0.45 and left[-2] > 0.6 and left[-1] > 0.9
    assert all(one.share_left > 0.9 for one in left_by_snapshot(fates) if one.scope == "snapshot")


@pytest.mark.parametrize(("snapshots", "pages"), [(0, 20), (1, 19)])
def test_too_small_a_web_is_refused(snapshots, pages):
    with pytest.raises(InputError, match=f"snapshots {snapshots}, pages {pages}"):
        aged_pages(snapshots, pages)


def test_the_smallest_web():
    assert len(aged_pages(1, 20)) == 20
