"""Cards, bank accounts and social security numbers: what check digits, groups and words before a number decide."""

from __future__ import annotations

import pytest
from faker import Faker
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.rewrite.pii import CARD, IBAN, SSN, mask_text
from curation.rewrite.pii.payments import luhn


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("4111 1111 1111 1111", CARD, id="Visa, groups"),
        pytest.param("5555-5555-5555-4444.", f"{CARD}.", id="Mastercard, hyphens, end of sentence"),
        pytest.param("(378282246310005)", f"({CARD})", id="Amex"),
        pytest.param("3782 822463 10005", CARD, id="Amex, groups of 4, 6, 5"),
        pytest.param("\u53614111111111111111\u7684", f"\u5361{CARD}\u7684", id="touches Chinese"),
        pytest.param("4111 1111 1111 1111 12/27 123", f"{CARD} 12/27 123", id="expiry and code after it"),
        pytest.param("12 4111 1111 1111 1111", f"12 {CARD}", id="after another number"),
        pytest.param("card=4111111111111111", f"card={CARD}", id="query named card"),
        pytest.param("old card 4222222222222", f"old card {CARD}", id="13 digits after the word"),
    ],
)
def test_card_numbers_are_masked(text, masked):
    assert mask_text(text, ["card"]) == (masked, {"card": 1})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("4111 1111 1111 1112", id="wrong check digit"),
        pytest.param("1111 1111 1111 1117", id="no issuer"),
        pytest.param("4222222222222", id="13 digits without a word"),
        pytest.param("id=4111111111111111", id="id of a query"),
        pytest.param("/p/4111111111111111", id="path"),
        pytest.param("0.4111111111111111", id="decimal"),
        pytest.param("41111111111111110000000", id="part of a longer number"),
        pytest.param("a4111111111111111 4111111111111111b", id="touches letters"),
        pytest.param("41 11 11 11 11 11 11 11", id="groups of two"),
        pytest.param("978-3-16-148410-0 9783161484100", id="ISBN"),
        pytest.param("1700000000000 1700000000000000", id="timestamps"),
    ],
)
def test_what_is_no_card_number_stays(text):
    assert mask_text(text, ["card"]) == (text, {})


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 15), st.integers(1, 9))
def test_every_wrong_digit_is_noticed(seed, place, error):
    fake = Faker("en_US")
    fake.seed_instance(seed)
    number = fake.credit_card_number("mastercard")
    wrong = number[:place] + str((int(number[place]) + error) % 10) + number[place + 1 :]
    assert luhn(number)
    assert not luhn(wrong)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("DE89370400440532013000", IBAN, id="plain"),
        pytest.param("IBAN:DE89 3704 0044 0532 0130 00.", f"IBAN:{IBAN}.", id="groups"),
        pytest.param("GB82 WEST 1234 5698 7654 32 Bank", f"{IBAN} Bank", id="a word after it"),
        pytest.param("FR14 2004 1010 0505 0001 3M02 606", IBAN, id="letter in the account"),
        pytest.param("MT84 MALT 0110 0001 2345 MTLC AST0 01S", IBAN, id="31 characters"),
        pytest.param("iban de89370400440532013000", f"iban {IBAN}", id="lower case"),
        pytest.param("NO93 8601 1117 947", IBAN, id="shortest"),
        pytest.param("DE89370400440532013000/GB82WEST12345698765432", f"{IBAN}/{IBAN}", id="two"),
    ],
)
def test_bank_accounts_are_masked(text, masked):
    assert mask_text(text, ["iban"])[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("DE88 3704 0044 0532 0130 00", id="wrong check digits"),
        pytest.param("ZZ89 3704 0044 0532 0130 00", id="no such country"),
        pytest.param("DE89 3704 0044 0532 0130", id="too short"),
        pytest.param("DE893704004405320130000", id="too long"),
        pytest.param("XDE89370400440532013000", id="touches a letter"),
    ],
)
def test_what_is_no_bank_account_stays(text):
    assert mask_text(text, ["iban"]) == (text, {})


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["de_DE", "fr_FR", "it_IT", "nl_NL", "pl_PL", "tr_TR", "pt_BR"]))
def test_accounts_of_many_countries_never_survive(seed, locale):
    fake = Faker(locale)
    fake.seed_instance(seed)
    assert mask_text(f"({fake.iban()})", ["iban"])[0] == f"({IBAN})"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("536-22-8726", SSN, id="bare"),
        pytest.param("SSN: 536-22-8726.", f"SSN: {SSN}.", id="end of sentence"),
        pytest.param("ssn 536228726", f"ssn {SSN}", id="no hyphens after the word"),
        pytest.param("Social Security 536 22 8726", f"Social Security {SSN}", id="spaces after the word"),
        pytest.param("536\u201122\u20118726", SSN, id="other hyphens"),
        pytest.param("SSN of order 7: 536-22-8726", "SSN of order 7: 536-22-8726", id="the nearer word decides"),
        pytest.param("order 7, SSN 536-22-8726", f"order 7, SSN {SSN}", id="the nearer word decides, turned"),
    ],
)
def test_social_security_numbers_are_masked(text, masked):
    assert mask_text(text, ["ssn"])[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        *("000-12-3456", "666-12-3456", "912-12-3456", "123-00-3456", "123-12-0000"),
        *("536228726", "536 22 8726", "Part 536-22-8726", "Art. Nr. 536-22-8726", "SKU: 536-22-8726"),
        *("1536-22-8726", "536-22-87261", "536-22-8726-1", "$536-22-8726", "AB536-22-8726", "536-22-8726B"),
        *("+81 158-23-2012", "2019-02-2012"),
    ],
)
def test_what_is_no_social_security_number_stays(text):
    assert mask_text(text, ["ssn"]) == (text, {})
