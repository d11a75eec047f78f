"""The compiled cuts against their plain definitions in `curation.text`, on all scripts."""

from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from curation import text as plain
from curation.charclass import codes_of
from curation.cutting import cut_tokens, cut_words
from curation.page import Page

# Letters, marks, digits and signs of many scripts, close together, so that every branch of a cut is met often.
DENSE = st.text(
    st.sampled_from(
        "\uff0caZ\u00e9\u0301\u00df\u0130\u017f\u01c5\u0430\u0416\u05d0\u0639\u0915\u094d\u0e01\u0e35\u0e81\u1780\u17d2\u1000"
        "\u103b\u4e00\u3042\u30a2\u3099\u30fc\uff76\uff21\uff11\ud55c\u1100\u200d\u200c\u00ad\u2019' \t\n\x0b\x1c\x85"
        '\u00a0\u2028\u3000.,;:!?-+*^~_#%$\u20ac\u00a7=<>/\\|@&()[]{}"\u2026\u2013\u2014\u3002\u00b20459\u0661sS\u00a9'
        "\U0001f600\U0001f1e9\u20e3\ufe0f\x00\ud800\udfff\ufffe\U00020000\U000e0100"
    ),
    max_size=40,
)
FEW = st.text(st.sampled_from("aZ5.,-+ \u4e2d"), max_size=24)  # so that neighbours of each kind meet often
CONTRACTIONS = st.text(st.sampled_from("n't\u2019sdrvel. "), max_size=16)
TEXTS = st.one_of(
    DENSE, FEW, CONTRACTIONS, st.text(max_size=80), st.text(st.characters(max_codepoint=0x2FF), max_size=80)
)


def pieces(text, cut):
    return [text[i:j] for i, j in zip(cut.starts.tolist(), cut.ends.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("piece", "tokens"),
    [
        ("(word),", ["(", "word", ")", ","]),
        ("end...", ["end", "..."]),
        (".htaccess", [".htaccess"]),
        ("U.S.", ["U.S."]),
        ("USA.", ["USA", "."]),
        ("3.5%", ["3.5", "%"]),
        ("5+", ["5", "+"]),
        ("a+", ["a+"]),
        ("10\u20ac", ["10", "\u20ac"]),
        ("$10", ["$", "10"]),
        ("1-2", ["1", "-", "2"]),
        ("1+-2", ["1", "+", "-2"]),
        ("a--b", ["a", "--", "b"]),
        ("a---b", ["a", "---", "b"]),
        ("a----b", ["a----b"]),
        ("a,b", ["a", ",", "b"]),
        ("a,1", ["a,1"]),
        ("1,000", ["1,000"]),
        ("end.Next", ["end", ".", "Next"]),
        ("9:30", ["9:30"]),
        ("x=y", ["x", "=", "y"]),
        ("Bob's", ["Bob", "'s"]),
        ("'s", ["'", "s"]),
        ("don\u2019t.", ["do", "n\u2019t", "."]),
        ("n't", ["n't"]),
        ("we'll", ["we", "'ll"]),
        ("they've", ["they", "'ve"]),
        ("ok\U0001f600ok", ["ok", "\U0001f600", "ok"]),
        ("\u4f60\u597d\uff0cA\u3002", ["\u4f60", "\u597d", "\uff0c", "A", "\u3002"]),
    ],
    ids=ascii,
)
def test_tokens(piece, tokens):
    text = f"{piece}  {piece}"
    assert plain.tokens(text) == tokens * 2
    assert pieces(text, cut_tokens(codes_of(text))) == tokens * 2


@pytest.mark.parametrize(
    ("compiled", "definition"), [(cut_words, plain.words), (cut_tokens, plain.tokens)], ids=["words", "tokens"]
)
@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_compiled_cut_is_the_plain_definition(compiled, definition, text):
    cut = compiled(codes_of(text))
    found = pieces(text, cut)
    assert found == definition(text)
    assert cut.chars == sum(map(len, found))
    assert cut.with_letter == sum(regex.search(r"\p{L}", piece) is not None for piece in found)


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_a_page_has_the_words_of_the_definition(text):
    page = Page(text)
    assert page.words == plain.words(text) == pieces(text, page.word_cut)
    page.text = text + " more"
    assert page.words == plain.words(text + " more")
    assert pieces(page.text, page.token_cut) == plain.tokens(page.text)


@settings(max_examples=60, deadline=None)
@given(DENSE)
def test_tokens_keep_every_character_that_is_no_white_space(text):
    assert "".join(plain.tokens(text)) == "".join(text.split())


@pytest.mark.real
def test_cuts_agree_on_real_pages_in_many_languages(real_data):
    from curation.read.inputs import list_inputs
    from curation.read.pages import read_pages
    from curation.read.report import SplitReport
    from curation.read.splits import Split

    file = list_inputs(str(real_data / "snapshots"), files=1)[0]
    split = Split(file, 0, file.size // 4)
    pages = [Page(page.html) for page in read_pages(split, SplitReport(split)) if page.alive]
    assert len(pages) > 50
    for page in pages:
        text = page.text[:100_000]
        assert pieces(text, cut_words(codes_of(text))) == plain.words(text)
        assert pieces(text, cut_tokens(codes_of(text))) == plain.tokens(text)


UNITS = ["a", "(", ")", ".", "a.", "-", "a-", "'s", "a'", "\u200d", "\u0301", "\u4e00", "?a", " "]


@pytest.mark.parametrize("cut", [cut_words, cut_tokens])
@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_cuts_are_linear_on_any_repeated_unit(cut, unit):
    def seconds(count):
        codes = codes_of(unit * count)
        start = time.perf_counter()
        cut(codes)
        return time.perf_counter() - start

    seconds(10)  # compiles
    small, large = min(seconds(20_000) for _ in range(3)), min(seconds(200_000) for _ in range(2))
    assert large < 30 * small + 0.05
