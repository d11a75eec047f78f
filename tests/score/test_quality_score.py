"""fastText scores: the wanted label, ratings to be expected, and messages that help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import ModelError
from curation.page import Page
from curation.quality.examples import Example
from curation.quality.learners import FastText
from curation.score.loading import fasttext_model
from curation.score.quality import fasttext
from curation.score.ratings import parse_rating, round_rating

SMALL = FastText(epochs=40, learning_rate=0.5, dimensions=4)
GOOD = [f"the river rose in spring and the mill of the village stood in {n} feet of water" for n in range(20)]
BAD = [f"buy cheap pills now best price order {n} today discount" for n in range(20)]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("model") / "model.bin"
    examples = [Example(text, "", 1) for text in GOOD] + [Example(text, "", 0) for text in BAD]
    SMALL.fit(examples[::2] + examples[1::2], False, path)
    return str(path)


@pytest.fixture(scope="module")
def rating_model(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("ratings") / "model.bin"
    examples = [Example(text, "", 5) for text in GOOD] + [Example(text, "", 0) for text in BAD]
    SMALL.fit(examples, True, path)
    return str(path)


def test_score_is_the_probability_of_the_label(model):
    good, bad, empty = (value for (value,) in fasttext([Page(GOOD[0]), Page(BAD[0]), Page(" \n")], model=model))
    labels, shares = fasttext_model(model).predict(GOOD[0], k=2)
    assert good == pytest.approx(dict(zip(labels, shares, strict=True))["__label__hq"])
    assert good > 0.9 > 0.1 > bad > 0
    assert empty == 0
    assert fasttext([Page(GOOD[0])], model=model, label="cc")[0][0] == pytest.approx(1 - good, abs=1e-4)


def test_score_does_not_depend_on_neighbours_or_on_how_lines_end(model):
    alone = fasttext([Page("the river\nbuy pills")], model=model)[0]
    pages = [Page(BAD[1]), Page("\nthe river\r\nbuy pills\n"), Page(""), Page(GOOD[1])]
    assert fasttext(pages, model=model)[1] == alone


def test_ratings_give_the_rating_to_be_expected(rating_model):
    good, bad = (value for (value,) in fasttext([Page(GOOD[0]), Page(BAD[0])], model=rating_model))
    labels, shares = fasttext_model(rating_model).predict(GOOD[0], k=-1)
    assert good == pytest.approx(sum(int(label[-1]) * share for label, share in zip(labels, shares, strict=True)))
    assert good > 4 > 1 > bad
    assert fasttext([Page(GOOD[0])], model=rating_model, rounded=True) == [(5.0,)]


def test_text_cannot_name_a_label_of_its_own(tmp_path):
    examples = [Example(f"__label__zz the river {n}", "", 1) for n in range(5)] + [Example("buy", "", 0)]
    SMALL.fit(examples, False, tmp_path / "m.bin")
    assert sorted(fasttext_model(str(tmp_path / "m.bin")).labels) == ["__label__cc", "__label__hq"]


def test_same_examples_give_the_same_model_and_other_ones_replace_it(tmp_path):
    examples = [Example(text, "", 1) for text in GOOD] + [Example(text, "", 0) for text in BAD]
    for name in ("a.bin", "b.bin"):
        SMALL.fit(examples, False, tmp_path / name)
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    before = SMALL.score([GOOD[0]], tmp_path / "a.bin")
    SMALL.fit([Example(e.text, "", 1 - e.target) for e in examples], False, tmp_path / "a.bin")
    assert SMALL.score([GOOD[0]], tmp_path / "a.bin") < 0.1 < before


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"label": "hp"}, "has no label 'hp'; known: cc, hq"),
        ({"rounded": True}, "only ratings can be rounded"),
    ],
    ids=["label", "rounded"],
)
def test_wrong_use_of_a_model_is_explained(model, settings, sentence):
    with pytest.raises(ModelError, match=sentence):
        fasttext([Page("a")], model=model, **settings)


@pytest.mark.parametrize("content", [b"", b"no model at all, but long enough"], ids=["empty", "text"])
def test_file_that_is_no_model_is_refused(tmp_path, content):
    (tmp_path / "m.bin").write_bytes(content)
    with pytest.raises(ModelError, match=r"m\.bin is (empty|no fastText model)"):
        fasttext([Page("a")], model=str(tmp_path / "m.bin"))


@pytest.mark.parametrize(
    ("answer", "rating"),
    [
        (0, 0.0), (4.5, 4.5), ("3", 3.0), ("Good.\nRating: 4", 4.0), ("**Rating:** 2", 2.0), (None, None), ("", None),
        ("Rating: 1? No.\nRating: 5", 5.0),
    ],
    ids=str,
)  # fmt: skip
def test_answers_of_raters_are_read(answer, rating):
    assert parse_rating(answer) == rating


@pytest.mark.parametrize("answer", [6, -1, True, "very good", "Rating: 9", ["3"], float("nan")], ids=str)
def test_answer_that_is_no_rating_is_refused(answer):
    with pytest.raises(ValueError, match=r"rating|between 0 and 5"):
        parse_rating(answer)


@given(st.floats(-10, 10, allow_nan=False))
def test_rounded_rating_is_the_nearest_one_in_range(score):
    assert round_rating(score) in range(6)
    assert abs(round_rating(score) - score) <= 0.5 or not 0 <= score <= 5
