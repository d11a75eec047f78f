"""Placeholders: constant or keyed, the same for the same item, never taken for an item, whatever the order."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import RecipeError
from curation.page import Drop, Page
from curation.recipe.load import load_recipe
from curation.rewrite.pii import ALL_KINDS, mask, mask_text

TEXT = "jo@site.org, 81.2.69.142, +44 20 7946 0018, 4111 1111 1111 1111, GB82 WEST 1234 5698 7654 32, 536-22-8726, "
TEXT += "ghp_" + "aB3" * 12
CONSTANTS = "email@example.com, 192.0.2.1, <PHONE>, <CARD>, <IBAN>, <SSN>, <KEY>"


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_bytes(b"0123456789abcdef-one")
    return str(path)


@pytest.fixture(scope="module")
def other_key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_bytes(b"0123456789abcdef-two")
    return str(path)


def hashed(text, key, **more):
    return mask(Page(text, host="a.co.uk"), placeholder="hashed", key_file=key, **more)


def test_all_kinds_are_masked_and_counted_by_default():
    page = Page(TEXT)
    assert mask(page) == CONSTANTS
    assert page.pii == dict.fromkeys(ALL_KINDS, 1)


def test_order_of_kinds_does_not_matter():
    assert mask_text(TEXT, list(reversed(ALL_KINDS))) == mask_text(TEXT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jo@Site.org", "jo@site.org"),
        ("+44 20 7946 0018", "020 7946 0018"),
        ("4111-1111-1111-1111", "4111111111111111"),
        ("gb82west12345698765432", "GB82 WEST 1234 5698 7654 32"),
        ("2a00:1450:4001:81b::200e", "2a00:1450:4001:81b:0:0:0:200e"),
    ],
    ids=["email", "phone", "card", "iban", "ip"],
)
def test_same_item_has_the_same_pseudonym_however_it_is_written(key, other_key, one, other):
    assert hashed(one, key) == hashed(other, key) != hashed(one, other_key)
    assert re.fullmatch("<[A-Z]+:[a-p]{16}>", hashed(one, key))


def test_different_items_have_different_pseudonyms(key):
    masked = hashed(" ".join(f"jo{n}@site.org" for n in range(200)), key)
    assert len(set(masked.split())) == 200


def test_item_of_one_kind_never_shares_a_pseudonym_with_another_kind(key):
    assert len({part.partition(":")[2] for part in hashed(TEXT, key).split(", ")}) == len(ALL_KINDS)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"placeholder": "hashed"}, "needs key_file"),
        ({"placeholder": "hashed", "key_file": "/no/such/key"}, "/no/such/key cannot be read"),
    ],
    ids=["no key", "key is not there"],
)
def test_pseudonyms_need_a_key(settings, sentence):
    with pytest.raises(RecipeError, match=sentence):
        mask(Page(""), **settings)


def test_short_key_is_refused(tmp_path):
    (tmp_path / "key").write_text("secret\n")
    with pytest.raises(RecipeError, match="holds 6 bytes"):
        hashed("", str(tmp_path / "key"))


def test_misspelt_kind_and_placeholder_are_refused_when_the_recipe_is_loaded():
    with pytest.raises(RecipeError, match=r"kinds.*(?s:.)*placeholder"):
        load_recipe("fineweb", ["pii.kinds=[e-mail]", "pii.placeholder=hash"])


@pytest.mark.parametrize("most", [6, 7])
def test_pages_with_too_many_items_of_all_kinds_together_are_dropped(most):
    found = mask(Page(TEXT), max_items=most)
    assert found == (Drop("too_many_items", 7) if most == 6 else CONSTANTS)


PIECES = [
    *("jo@site.org", "81.2.69.142", "+44 20 7946 0018", "212-736-5000", "4111 1111 1111 1111", "536-22-8726"),
    *("DE89370400440532013000", "ghp_" + "aB3" * 12, "password: hunter2", "://a:b@", "token=", "2a00:1450::8"),
    *("tel ", "SSN ", "card ", "555-0143", "20", *"@. -:1()+a/\n<>=", "\u6211", *CONSTANTS.split(", ")),
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_masking_twice_changes_and_counts_nothing_with_all_kinds(text):
    once, _ = mask_text(text)
    assert mask_text(once) == (once, {})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_masking_twice_changes_nothing_with_pseudonyms(key, text):
    once = hashed(text, key)
    assert hashed(once, key) == once
