"""The schema: every column says what it means, and pages survive the way through Arrow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curation.document import DOCUMENT, document_id, from_batch, named_values, to_batch
from curation.page import Page


def test_every_column_has_a_meaning():
    assert all(field.metadata and field.metadata[b"meaning"] for field in DOCUMENT)


@given(st.text(max_size=30), st.integers(-(2**63), 2**63 - 1), st.dictionaries(st.text(max_size=5), st.integers(0, 9)))
def test_page_survives_arrow(text, doc_id, pii):
    page = Page(text, doc_id=doc_id, url="http://a.example/", language="en", language_score=0.5)
    page.pii, page.trail, page.scores = pii, [3, 2], {"quality": 0.25}
    (again,) = from_batch(to_batch([page]))
    assert (again.text, again.doc_id, again.pii, again.trail, again.scores) == (text, doc_id, pii, [3, 2], page.scores)


def test_dropped_text_is_left_out_but_its_length_stays():
    batch = to_batch([Page("secret"), Page("kept")], keep_text=[False, True])
    assert batch["text"].to_pylist() == [None, "kept"]
    assert batch["chars"].to_pylist() == [6, 4]


def test_identity_depends_on_each_part_and_on_nothing_else():
    parts = ("web", "S1", "a.warc.gz", 7, "<urn:uuid:1>")
    ids = {document_id(*parts)}
    for i, other in enumerate(("wiki", "S2", "b.warc.gz", 8, "<urn:uuid:2>")):
        ids.add(document_id(*parts[:i], other, *parts[i + 1 :]))
    assert len(ids) == 6
    assert document_id(*parts) == document_id(*parts)
    assert all(-(2**63) <= i < 2**63 for i in ids)


def test_separator_keeps_neighbouring_parts_apart():
    assert document_id("a", "bc", "f", 0, "") != document_id("ab", "c", "f", 0, "")


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(0, 1, width=32)), max_size=8))
def test_named_values_are_looked_up_by_row(scores):
    pages = [Page("x") for _ in scores]
    for page, given_scores in zip(pages, scores, strict=True):
        page.scores = given_scores
    assert named_values(to_batch(pages)["scores"], "b").to_pylist() == [s.get("b") for s in scores]


def test_what_quotes_a_broken_page_can_be_written():
    page = Page("x")
    page.notes["fallback"] = "at \udc80"
    page.drop("main_text", "error", "\ud800", error="near \udfff")
    (again,) = from_batch(to_batch([page]))
    assert (again.dropped_value, again.error, again.notes) == ("\ufffd", "near \ufffd", {"fallback": "at \ufffd"})
