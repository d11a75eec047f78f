"""RefinedWeb's edits as DCLM reproduced them: line corrections, addresses, newlines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import RecipeError
from curation.page import Drop, Page
from curation.rewrite.refinedweb import cut_addresses, fold_newlines, lines

PROSE = "The keeper of the light had his tea before dawn and wrote down the ships."


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("uppercase", "HOME ABOUT us"),
        ("uppercase", "ABCab"),
        ("digits_only", "20240117"),
        ("counter", "12 likes"),
        ("counter", "  1,234 Comments "),
        ("counter", "3.5K views!"),
        ("counter", "(10m followers)"),
        ("too_few_words", "Menu"),
        ("phrase", "3 items in cart"),
        ("phrase", "Read more..."),
        ("phrase", "Sign-in"),
    ],
)
def test_line_goes_by_its_rule(rule, line):
    others = [r for r in ("uppercase", "digits_only", "counter", "too_few_words", "phrase") if r != rule]
    kept = lines(Page(f"{PROSE}\n{line}\n{PROSE}"), skip=others, max_removed=1.0)
    assert kept == (f"{PROSE}\n3\n{PROSE}" if line == "3 items in cart" else f"{PROSE}\n{PROSE}")


@pytest.mark.parametrize(
    "line",
    [
        "ABab and more",
        "2024 was a good year",
        "12 likes and a comment",
        "12 dislikes",
        "two words",
        "Sign-in to the long list of those who have read more...\u00e9",
        "the items in cart number one are more than ten words in all of this",
    ],
)
def test_line_stays(line):
    assert lines(Page(f"{PROSE}\n{line}")) == f"{PROSE}\n{line}"


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Ten cats slept here. Read more...", "Ten cats slept here."),
        ("Sign-in for the news", "for the news"),
        ("You have 2 items in cart now", "You have 2 now"),
        ("You can read more now", "You can read more now"),
    ],
)
def test_phrase_is_cut_out_of_a_short_line(line, left):
    assert lines(Page(f"{PROSE}\n{line}"), max_removed=1.0) == f"{PROSE}\n{left}"


@pytest.mark.parametrize(("good", "fate"), [(19, None), (18, "too_many_words_removed")])
def test_page_that_loses_more_than_a_twentieth_of_its_words_is_dropped(good, fate):
    result = lines(Page("a line " * (good // 2) + "word " * (good % 2) + "\nMENU"))
    assert (result.rule if isinstance(result, Drop) else None) == fate


def test_blank_lines_stay_between_lines_and_a_page_of_menus_has_no_line_left():
    assert lines(Page(f"{PROSE}\n\n{PROSE}")) == f"{PROSE}\n\n{PROSE}"
    assert lines(Page("HOME\n\nABOUT")) == Drop("no_line_left", 0)
    assert lines(Page("")) == Drop("no_line_left", 0)


def test_misspelt_rule_is_named():
    with pytest.raises(RecipeError, match="did you mean 'counter'"):
        lines(Page("a"), skip=["conter"])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("see https://example.com/a?b=c#d now", "see now"),
        ("see www.example.com.", "see"),
        ("mail a.b@example.co.uk now", "mail now"),
        ("at 192.0.2.7:8080/x now", "at now"),
        ("version 11.2.3.4 is out", "version is out"),
        ("http://user@host.org/\nnext", "\nnext"),
        ("home (example.com) page", "home page"),
    ],
)
def test_address_goes_with_the_space_before_it(text, left):
    assert cut_addresses(Page(text)) == left


@pytest.mark.parametrize(
    "text",
    ["The end. Next", "e.g. this", "3.14 and 1.2.3", "end.Then", "a.b.c", "...", "x.notadomain", "U.S. law", "no"],
)
def test_what_is_no_address_stays(text):
    assert cut_addresses(Page(text)) == text


def test_page_of_addresses_only_is_dropped():
    assert cut_addresses(Page(" https://example.com ")) == Drop("empty", 1)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="a. /:@c\ncom1", max_size=60))
def test_cutting_addresses_never_lengthens_and_a_second_time_changes_nothing_new(text):
    once = cut_addresses(Page(text))
    if isinstance(once, str):
        assert len(once) <= len(text)


@settings(max_examples=100)
@given(st.text(alphabet="a\n", max_size=40), st.integers(1, 4))
def test_newlines_are_folded_to_at_most_so_many(text, most):
    folded = fold_newlines(Page(text), most=most)
    assert "\n" * (most + 1) not in folded
    assert folded.replace("\n", "") == text.replace("\n", "")
    assert fold_newlines(Page(folded), most=most) == folded
