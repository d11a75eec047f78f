"""Exact substrings: what is cut, against all windows compared; many scripts; borders of documents and lengths."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.cuts import cut_text, whole_sentences
from curation.dedup.repeats import substrings
from curation.page import Page
from tests.dedup.cut_oracle import local_cuts, pieces_cut, repeated_words, words_in

TEXTS = st.lists(st.sampled_from(["a", "b", "c, ", "D. "]), max_size=50).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5), st.integers(8, 11))
def test_exactly_the_windows_that_stand_earlier_are_cut(texts, length):
    pages = [Page(text, doc_id=(-1) ** n * n) for n, text in enumerate(texts)]
    cuts = local_cuts(substrings(name="s", length=length), pages)
    assert words_in(cuts, pages) == repeated_words(pages, length)


SENTENCES = {
    "chinese": (
        "\u79cb\u5929\u7684\u98ce\u5439\u8fc7\u8001\u57ce\u7684\u8857\u9053\uff0c\u6811\u53f6\u843d\u5728"
        "\u77f3\u677f\u8def\u4e0a\u3002"
    ),
    "thai": (
        "\u0e19\u0e49\u0e33\u0e43\u0e19\u0e41\u0e21\u0e48\u0e19\u0e49\u0e33\u0e44\u0e2b\u0e25\u0e40\u0e23\u0e47\u0e27"
    ),
    "emoji": "one \U0001f600 two \u2764\ufe0f three \U0001f469\u200d\U0001f680 four five six seven eight nine ten",
    "combining": (
        "cafe\u0301 na\u0131\u0308ve A\u030angstro\u0308m e\u0301te\u0301 z\u0307 q\u0323\u0307 o\u0302 u"
        "\u0308ber n\u0303u a\u0300"
    ),
    "arabic": (
        "\u0643\u0627\u0646 \u0627\u0644\u0646\u0647\u0631 \u0647\u0627\u062f\u0626\u0627 \u0637\u0648\u0627"
        "\u0644 \u0627\u0644\u0639\u0627\u0645 \u0648\u0641\u064a \u0645\u0627\u0631\u0633 \u0627\u0631\u062a"
        "\u0641\u0639 \u0627\u0644\u0645\u0627\u0621"
    ),
}


@pytest.mark.parametrize("script", SENTENCES)
def test_only_the_second_copy_is_cut_by_characters_in_every_script(script):
    sentence = SENTENCES[script]
    before, after = "Um \u00e4u\u00dferst \U0001f642\n", "\n\u672b\u5c3e bye."
    pages = [Page(before + sentence + after, doc_id=1), Page("\u5f00\n" + sentence + "\nEnde", doc_id=2)]
    stage = substrings(name="s", length=8)
    cut = pieces_cut(stage, pages)
    assert list(cut) == [2]
    (piece,) = cut[2]
    assert piece == sentence  # not a character of its neighbours, and no half character
    (start, end) = (2, 2 + len(sentence))
    assert stage.cut(pages[1].text, [(start, end)]) == "\u5f00\nEnde"


def test_repeats_of_length_are_cut_and_one_word_less_is_not(make_text):
    shared = [f"w{number}" for number in range(50)]
    for words, copies in ((50, 1), (49, 0)):
        run = " ".join(shared[:words])
        pages = [Page(f"{make_text(60)} {run} {make_text(60)}", doc_id=n) for n in (1, 2)]
        cut = pieces_cut(substrings(name="s"), pages)
        assert [piece.strip() for piece in cut.get(2, [])] == [run] * copies and 1 not in cut


def test_nothing_crosses_the_border_between_documents():
    words = [f"w{number}" for number in range(60)]
    whole = Page(" ".join(words), doc_id=1)
    halves = [Page(" ".join(words[:30]), doc_id=2), Page(" ".join(words[30:]), doc_id=3)]
    assert not pieces_cut(substrings(name="s", length=50), [whole, *halves])


def test_a_text_that_repeats_itself_keeps_one_copy():
    block = " ".join(f"w{number}" for number in range(60))
    page = Page(f"{block} {block} {block}", doc_id=1)
    stage = substrings(name="s")
    assert pieces_cut(stage, [page]) == {1: [f"{block} {block}"]}
    assert stage.cut(page.text, [(len(block) + 1, len(page.text))]) == block
    assert len(pieces_cut(stage, [Page("again " * 1000, doc_id=1)])[1][0].split()) == 950


def test_the_first_copy_is_that_of_the_earliest_capture_then_of_the_smallest_id(make_text):
    text = make_text(60)
    dates = ["", "2024-05-01T00:00:00Z", "2024-04-30", "2024-04-30T10:00:00Z"]
    pages = [Page(text, doc_id=n, date=date) for n, date in enumerate(dates)]
    stage = substrings(name="s")
    assert set(pieces_cut(stage, pages)) == {0, 1, 3}
    assert set(local_cuts(stage, pages)["kept_id"].to_pylist()) == {2}
    assert set(pieces_cut(stage, [Page(text, doc_id=n) for n in (5, -3, 7)])) == {5, 7}


def test_scope_keeps_snapshots_apart(make_text):
    text = make_text(60)
    pages = [Page(text, doc_id=n, snapshot=f"2024-{10 + n % 2}") for n in range(4)]
    assert set(pieces_cut(substrings(name="s", scope="snapshot"), pages)) == {2, 3}
    assert set(pieces_cut(substrings(name="s"), pages)) == {1, 2, 3}


def test_marks_and_line_breaks_between_the_words_do_not_matter_but_letters_do(make_text):
    words = make_text(60).split()
    pages = [Page(" ".join(words), doc_id=1), Page(",\n".join(words) + "!", doc_id=2)]
    assert pieces_cut(substrings(name="s"), pages) == {2: [pages[1].text]}
    words[30] = words[30].upper()
    assert not pieces_cut(substrings(name="s"), [pages[0], Page(" ".join(words), doc_id=3)])


def test_documents_that_share_an_id_are_left_alone(make_text):
    text = make_text(60)
    pages = [Page(text, doc_id=7), Page(text, doc_id=7), Page(text, doc_id=8), Page(text, doc_id=9)]
    assert set(pieces_cut(substrings(name="s"), pages)) == {9}


@pytest.mark.parametrize(
    ("text", "repeat", "cut"),
    [
        pytest.param("So. A b c d. Yes", "c d. Y", "c d. Y", id="no-whole-sentence"),
        pytest.param(
            "So it was. All cats do sit. Yes", "was. All cats do sit. ", "All cats do sit. ", id="a-word-before"
        ),
        pytest.param('So.\n"A b c d."\nYes, no', 'A b c d."\nYes', '"A b c d."\n', id="opening-quote"),
        pytest.param("So. A b c d \U0001f642! Yes", "A b c d ", "A b c d \U0001f642! ", id="closing-emoji"),
        pytest.param("A b. C d e f g h i j k l", "A b. C d e f g h i j", "A b. C d e f g h i j", id="less-than-half"),
        pytest.param(
            "\u4e00\u4e8c\u3002\u4e09\u56db\u4e94\u3002\u516d",
            "\u4e8c\u3002\u4e09\u56db\u4e94\u3002",
            "\u4e09\u56db\u4e94\u3002",
            id="chinese",
        ),
    ],
)
def test_cuts_are_narrowed_to_whole_sentences_where_these_are_half_of_it(text, repeat, cut):
    start = text.index(repeat)
    ranges = [(start, start + len(repeat))]
    ((begin, end),) = whole_sentences(text, ranges)
    assert text[begin:end] == cut
    assert substrings(name="s").cut(text, ranges) == cut_text(text, [(begin, end)])
    assert substrings(name="s", edges="word").cut(text, ranges) == cut_text(text, ranges)


@pytest.mark.parametrize("between", ["\n***\n", " ... ", "\n!!!\n"])
def test_two_copies_parted_by_a_sentence_without_words_are_cut_once(between):
    """Each of the two took the wordless sentence for its own, and the page ended the run with an assertion."""
    copied, other = "The cat sat on the mat today.", "The dog ran to the gate then."
    text = f"Mine.\n{copied}{between}{other}\nMy own end."
    ranges = [(text.index(part), text.index(part) + len(part)) for part in (copied, other)]
    assert substrings(name="s").cut(text, ranges).split() == ["Mine.", "My", "own", "end."]


@settings(max_examples=100, deadline=None)
@given(st.text("ab.! \n\"'*", min_size=1, max_size=60), st.data())
def test_narrowed_ranges_stay_apart_and_inside_the_text(text, data):
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=6)))
    starts = {
        m.start() for m in re.finditer(r"(?<![ab'])[ab]", text)
    }  # a range begins with a word, and ends behind one
    ranges = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if a in starts and text[b - 1] in "ab"]
    reached = 0
    for start, end in whole_sentences(text, ranges):
        assert reached <= start < end <= len(text)
        reached = end
