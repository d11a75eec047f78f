"""C4's edit: each row of the table, the order of rows, both published pairs, and pages that are dropped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import RecipeError
from curation.page import Drop, Page
from curation.rewrite import c4

GOOD = "This line is a full sentence."


def kept(line: str, **options) -> bool:
    """Whether a line stays, beside one that does."""
    result = c4.page(Page(f"{line}\n{GOOD}"), min_sentences=1, **options)
    return isinstance(result, str) and result != GOOD


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        pytest.param("It ends in a stop.", True, id="stop"),
        pytest.param("Does it end well?", True, id="question"),
        pytest.param('He said "go away"', True, id="quote"),
        pytest.param("It has no end", False, id="no terminal mark"),
        pytest.param("It goes on and on...", False, id="ellipsis"),
        pytest.param("It is the dogs'", False, id="apostrophe"),
        pytest.param("   It is stripped first.   ", True, id="stripped"),
        pytest.param("Two words.", False, id="two words"),
        pytest.param("Three words here.", True, id="three words"),
        pytest.param("Please enable JavaScript to read on.", False, id="javascript"),
        pytest.param("We have a Privacy Policy for you.", False, id="policy"),
        pytest.param("Our site uses cookies for you.", False, id="cookies"),
        pytest.param("It has a word " + "x" * 1000 + ".", False, id="long word with its stop"),
        pytest.param("It has a word " + "x" * 999 + ".", True, id="word on the bound"),
        pytest.param("\u5929\u5730\u7384\u9ec4" * 300 + ".", True, id="Chinese has no long words"),
    ],
)
def test_lines_that_stay_and_go(line, stays):
    assert kept(line) is stays


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("long_word", "It has a word " + "x" * 1001 + " inside."),
        ("terminal_punctuation", "It has no end"),
        ("too_few_words", "Two words."),
        ("javascript", "Please enable JavaScript to read on."),
        ("policy", "We have a privacy policy for you."),
        ("lorem_ipsum", "Here comes Lorem Ipsum dolor."),
        ("curly_bracket", "Here is a { in the text."),
    ],
)
def test_each_rule_can_be_skipped_alone(rule, line):
    assert not kept(line)
    assert kept(line, skip=[rule])


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("It rained[1] in May.[23]", "It rained in May."),
        ("It rained in May.[] ", "It rained in May."),
        ("It rained[edit] in May [citation needed].", "It rained in May ."),
        ("It rained in May. [4]", "It rained in May."),
        ("It rained [sic] in May.", "It rained [sic] in May."),
    ],
)
def test_citations_are_cut_out(line, after):
    assert c4.page(Page(line), min_sentences=1) == after
    assert c4.page(Page(line), min_sentences=1, skip=["citation", "terminal_punctuation"]) == line.strip()


@pytest.mark.parametrize(
    ("line", "rule"), [("Lorem ipsum dolor sit.", "lorem_ipsum"), ("if (a) { b; } is code.", "curly_bracket")]
)
def test_page_is_dropped_by_one_line_whose_number_is_told(line, rule):
    assert c4.page(Page(f"{GOOD}\n\n{line}\n{GOOD}")) == Drop(rule, 3)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Lorem ipsum without a stop", id="no terminal mark"),
        pytest.param("Lorem ipsum.", id="too few words"),
        pytest.param("Enable JavaScript { now }.", id="javascript comes before the bracket"),
    ],
)
def test_line_that_is_removed_earlier_does_not_drop_the_page(line):
    assert c4.page(Page(f"{line}\n{GOOD}"), min_sentences=1) == GOOD


def test_bracket_drops_the_page_before_the_policy_row_can_remove_the_line():
    assert c4.page(Page("Our {privacy policy} is long."), min_sentences=1) == Drop("curly_bracket", 1)


def test_five_sentences_are_on_the_bound():
    assert c4.page(Page("\n".join([GOOD] * 5))) == "\n".join([GOOD] * 5)
    assert c4.page(Page("\n".join([GOOD] * 4))) == Drop("too_few_sentences", 4)


def test_both_published_pairs_decide_differently():
    page = Page("Four words are here.\n" * 5)
    long = Page("There are five words here.\n" * 3)
    assert isinstance(c4.page(page), str)
    assert c4.page(page, min_words_per_line=5, min_sentences=3) == Drop("too_few_sentences", 0)
    assert c4.page(long) == Drop("too_few_sentences", 3)
    assert isinstance(c4.page(long, min_words_per_line=5, min_sentences=3), str)


def test_bullet_is_a_word_only_at_white_space():
    assert not kept("- Digital Crown", skip=["terminal_punctuation"])
    assert kept("- Digital Crown", skip=["terminal_punctuation"], whitespace_words=True)


def test_chinese_line_has_words():
    line = "\u4eca\u5929\u5929\u6c14\u5f88\u597d\u3002"
    assert kept(line, terminals=["\u3002"])
    assert not kept(line, terminals=["\u3002"], whitespace_words=True)


def test_page_with_no_line_left_is_dropped_even_without_a_sentence_rule():
    assert c4.page(Page("Menu\nHome"), skip=["too_few_sentences"]) == Drop("no_line_left", 0)
    assert c4.page(Page(""), min_sentences=0) == Drop("no_line_left", 0)


def test_empty_page_has_too_few_sentences():
    assert c4.page(Page("")) == Drop("too_few_sentences", 0)


def test_unknown_rule_to_skip_is_named():
    with pytest.raises(RecipeError, match=r"'curly_brackets'; did you mean 'curly_bracket'"):
        c4.page(Page(GOOD), skip=["curly_brackets"])


LINES = st.sampled_from(
    [GOOD, "Menu", "Go.", "", "Use [1] cookies.", "We use cookies here.", "Why? Because. It is so!"]
)


@settings(max_examples=80, deadline=None)
@given(st.lists(LINES, max_size=12), st.integers(0, 4))
def test_edit_is_idempotent_and_only_keeps_lines_of_the_page(lines, min_sentences):
    once = c4.page(Page("\n".join(lines)), min_sentences=min_sentences, skip=["citation"])
    if isinstance(once, str):
        assert set(once.split("\n")) <= set(lines)
        assert c4.page(Page(once), min_sentences=min_sentences, skip=["citation"]) == once


PARTS = st.sampled_from(
    ["java", "script", "JavaScript", "Lorem ", "ipsum", "{", "[1]", "[edit]", "We use ", "Cookies", "uses coo\u212aies",
     "privacy", " policy", "Terms of", " use", GOOD, "x" * 1001, "\n", "\n", ".", " ", "\u4e2d" * 1200, "\u0130"]
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(PARTS, max_size=14).map("".join), st.booleans())
def test_rows_left_out_for_a_page_would_hit_none_of_its_lines(text, whitespace_words):
    table = c4._table((), 3, 1000, c4.TERMINALS, whitespace_words)
    lines = text.splitlines()
    assert c4._walk(lines, c4._rows_for(text, lines, table, 1000)) == c4._walk(lines, table)
