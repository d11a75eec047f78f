"""Lines, paragraphs and spans of sentences: what goes, against counting them all; and what a cut takes along."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.cuts import cut_page, cut_text
from curation.dedup.pieces import places
from curation.dedup.repeats import lines, paragraphs, sentence_spans, substrings
from curation.page import Drop, Page
from curation.text import sentences
from tests.dedup.cut_oracle import lines_that_go, local_cuts, pieces_cut

TEXTS = st.lists(st.lists(st.sampled_from(["", " ", "Home", " Home", "home", "1", "2", "*"]), max_size=12), max_size=5)


@pytest.mark.parametrize("remove", ["frequent", "seen_elsewhere", "all_but_first"])
@settings(max_examples=60, deadline=None)
@given(TEXTS.map(lambda texts: ["\n".join(lines) for lines in texts]))
def test_exactly_the_lines_counted_go_and_all_others_stay(remove, texts):
    pages = [Page(text, doc_id=n) for n, text in enumerate(texts)]
    stage = lines(name="l", remove=remove, more_than=2 if remove == "frequent" else None)
    gone = lines_that_go(pages, remove, more_than=2)
    for doc_id, pieces in pieces_cut(stage, pages).items():
        assert [line.strip() for piece in pieces for line in piece.split("\n") if line.strip()] == gone.pop(doc_id)
    assert not gone


def test_llama_3_removes_a_line_seen_more_than_six_times_and_no_other():
    pages = [Page(f"seven\nstory {n}" + ("\nsix" if n < 6 else ""), doc_id=n) for n in range(7)]
    pages.append(Page("twice four\n" * 4, doc_id=7))
    pages += [Page("twice four\n" * 3 + "end", doc_id=8)]
    cut = pieces_cut(lines(name="l"), pages)
    assert cut == {**{n: ["seven\n"] for n in range(7)}, 7: ["twice four\n" * 4], 8: ["twice four\n" * 3]}
    assert set(local_cuts(lines(name="l"), pages)["copies"].to_pylist()) == {7}


def test_copies_are_counted_in_buckets_of_documents_dealt_out_by_id():
    pages = [Page(f"menu\nstory {n}", doc_id=n) for n in range(28)]
    assert len(pieces_cut(lines(name="l", bucket=7), pages)) == 28  # 4 buckets of 7
    assert not pieces_cut(lines(name="l", bucket=6), pages)  # 5 buckets of 5 or 6
    assert len(pieces_cut(lines(name="l", bucket=None), pages)) == 28
    assert pieces_cut(lines(name="l", bucket=7), pages[::-1]) == pieces_cut(lines(name="l", bucket=7), pages)


def test_ccnet_removes_all_copies_of_a_line_seen_elsewhere_whatever_its_case_digits_and_marks():
    pages = [Page("Page 1 of 9!\nA\nonly\nonly", doc_id=1), Page("page 3 of 7\nB", doc_id=2)]
    stage = lines(name="l", remove="seen_elsewhere", compare="form")
    assert pieces_cut(stage, pages) == {1: ["Page 1 of 9!\n", "only"], 2: ["page 3 of 7\n"]}
    assert local_cuts(stage, pages)["kept_id"].to_pylist() == [None, 1, None]


def test_paragraphs_keep_the_first_copy():
    pages = [Page(f"Head {n}\n\nOne sentence,\nanother.\n\nTail {'abc'[n]}", doc_id=n) for n in range(3)]
    assert pieces_cut(paragraphs(name="p", compare="exact"), pages) == {
        n: ["One sentence,\nanother.\n\n"] for n in (1, 2)
    }
    assert all(piece.startswith("Head") for piece in pieces_cut(paragraphs(name="p"), pages)[2])  # digits fold


SPAN = "The cat sat. The dog ran. The bird flew."


def test_c4_cuts_three_sentences_that_stand_elsewhere_and_not_two():
    pages = [
        Page(f"First page. {SPAN} Its end.", doc_id=1),
        Page(f"Second page begins.\n{SPAN} And ends.", doc_id=2),
        Page("Third page. The cat sat. The dog ran. A fish swam.", doc_id=3),
        Page(SPAN, doc_id=4),
    ]
    stage = sentence_spans(name="s")
    assert pieces_cut(stage, pages) == {2: [SPAN + " "], 4: [SPAN]}
    assert stage.cut(pages[1].text, [(20, 61)]) == "Second page begins.\nAnd ends."
    assert set(pieces_cut(sentence_spans(name="s", sentences=2), pages)) == {2, 3, 4}


@given(st.text("ab.! \n", max_size=40), st.integers(1, 3))
def test_spans_are_runs_of_sentences_and_take_only_white_space_along(text, span):
    found, all_sentences = places(text, "sentence", span), sentences(text)
    assert len(found) == max(0, len(all_sentences) - span + 1)
    for number, place in enumerate(found):
        inside = text[place.start : place.stop]
        assert inside.split() == " ".join(all_sentences[number : number + span]).split()
        assert not text[place.stop : place.end].strip()


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        pytest.param("A\nB\nC", "B", "A\nC", id="between-lines"),
        pytest.param("A\n\nB\n\nC", "B", "A\n\nC", id="between-blank-lines"),
        pytest.param("A\nB\n\nC", "B", "A\n\nC", id="end-of-paragraph"),
        pytest.param("A\n\nB\nC", "B", "A\n\nC", id="start-of-paragraph"),
        pytest.param("B\n\nA", "B", "A", id="first"),
        pytest.param("A\n\nB\n", "B", "A", id="last"),
        pytest.param("A\r\nB\r\nC", "B", "A\r\nC", id="carriage-returns"),
    ],
)
def test_a_line_takes_its_break_along_and_leaves_no_holes(text, gone, left):
    (place,) = [p for p in places(text, "line") if text[p.start : p.stop].strip() == gone]
    assert cut_text(text, [(place.start, place.end)]) == left


@pytest.mark.parametrize(
    ("min_chars", "fate", "trail"),
    [(1, None, [10, 5]), (5, None, [10, 5]), (6, "menus.too_little_left", [10])],
)
def test_a_page_goes_where_too_little_is_left_and_not_for_being_short(min_chars, fate, trail):
    stage = lines(name="menus", min_chars=min_chars)
    cut, short = Page("Home\nstory"), Page("abc")
    cut.trail, short.trail = [10], [3]
    cut_page(cut, stage, [(0, 5)])
    cut_page(short, stage, ())
    assert (cut.dropped_by, cut.trail, short.alive, short.trail) == (fate, trail, True, [3, 3])
    assert stage.cut("Home\n \n", [(0, 5)]) == Drop("nothing_left", 0)


def test_an_annotate_run_cuts_but_keeps_the_page_of_which_nothing_would_be_left():
    cut, gone = Page("Home\nstory"), Page("Home")
    for page in (cut, gone):
        cut_page(page, lines(name="menus"), [(0, min(5, len(page.text)))], annotate=True)
    assert (cut.text, cut.trail, cut.signals) == ("story", [5], {})
    assert (gone.text, gone.trail, gone.signals, gone.alive) == ("Home", [4], {"menus.nothing_left": 1.0}, True)


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        pytest.param(lines, {"remove": "all"}, "remove is 'all'; choose one of frequent, seen", id="remove"),
        pytest.param(lines, {"remove": "all_but_first", "more_than": 3}, "belongs to remove: frequent", id="more_than"),
        pytest.param(lines, {"more_than": 0}, "more_than is 0; it must be a whole number from 1", id="none"),
        pytest.param(lines, {"bucket": 0}, "bucket is 0", id="bucket"),
        pytest.param(lines, {"min_chars": 0}, "min_chars is 0", id="min_chars"),
        pytest.param(paragraphs, {"compare": "hash"}, "compare is 'hash'; choose one of form, exact", id="compare"),
        pytest.param(sentence_spans, {"sentences": 0}, "sentences is 0", id="sentences"),
        pytest.param(substrings, {"length": 7}, "length is 7; it must be a whole number from 8", id="length"),
        pytest.param(substrings, {"scope": "all"}, "scope is 'all'", id="scope"),
    ],
)
def test_a_wrong_setting_is_named_with_its_value(make, settings, message):
    with pytest.raises(ValueError, match=message):
        make(name="s", **settings)
