"""Masking: what is an address and what only looks like one, constant output, and time on hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import RecipeError
from curation.page import Drop, Page
from curation.rewrite import pii

MAIL, V4, V6 = pii.EMAIL, pii.IPV4, pii.IPV6


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("Ask jo@site.org.", f"Ask {MAIL}.", id="plain"),
        pytest.param("<Jo.Doe+news@mail.site.co.uk>", f"<{MAIL}>", id="dots, plus, sub-domains"),
        pytest.param("mailto:o'neil@site.org?subject=x", f"mailto:{MAIL}?subject=x", id="link with apostrophe"),
        pytest.param("'jo@site.org'", f"'{MAIL}'", id="quoted"),
        pytest.param("\u8054\u7cfbjo@site.org\u8c22\u8c22", f"\u8054\u7cfb{MAIL}\u8c22\u8c22", id="touches Chinese"),
        pytest.param("jo@site.org\uc73c\ub85c", f"{MAIL}\uc73c\ub85c", id="touches Korean"),
        pytest.param("m\u00fcller@b\u00fccher.de", MAIL, id="umlauts on both sides"),
        pytest.param("\u0438\u0432\u0430\u043d@\u043f\u043e\u0447\u0442\u0430.\u0440\u0444", MAIL, id="Cyrillic"),
        pytest.param("jo@xn--bcher-kva.xn--p1ai", MAIL, id="punycode"),
        pytest.param("jo@a.org,al@b.org;ed@c.org", f"{MAIL},{MAIL};{MAIL}", id="three in a row"),
        pytest.param("." * 100 + "jo@site.org", "." * 100 + MAIL, id="dot leader"),
        pytest.param("at the end jo@site.org", f"at the end {MAIL}", id="at the very end"),
    ],
)
def test_emails_are_masked(text, masked):
    assert pii.mask_text(text, ["email"])[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        "logo@2x.png",
        "@jo on mastodon",
        "jo @ site.org",
        "jo@localhost",
        "a@b",
        "react@18.2.0",
        "3 @ 4.50",
        "@",
        "x@y.1",
    ],
)
def test_what_is_no_email_stays(text):
    assert pii.mask_text(text, ["email"]) == (text, {})


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("from 81.2.69.142.", f"from {V4}.", id="end of sentence"),
        pytest.param("81.2.69.142:8080/x", f"{V4}:8080/x", id="port"),
        pytest.param("81.2.69.0/24", f"{V4}/24", id="network"),
        pytest.param("81.2.69.142-81.2.69.150", f"{V4}-{V4}", id="range"),
        pytest.param("\u6765\u81ea81.2.69.142\u7684", f"\u6765\u81ea{V4}\u7684", id="touches Chinese"),
        pytest.param("User talk:81.2.69.142", f"User talk:{V4}", id="wiki signature"),
        pytest.param("http://11.2.3.4/", f"http://{V4}/", id="small parts after ://"),
        pytest.param("IP address: 11.2.3.4", f"IP address: {V4}", id="small parts after IP"),
        pytest.param("at 2a00:1450:4001:81b::200e.", f"at {V6}.", id="IPv6"),
        pytest.param("[IPv6:2a00:1450:4001:81b:0:0:0:200e]", f"[IPv6:{V6}]", id="IPv6 in a mail header"),
    ],
)
def test_public_addresses_are_masked(text, masked):
    assert pii.mask_text(text, ["ip"])[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("11.2.3.4", id="bare version"),
        pytest.param("Oracle Database 11.2.0.4", id="product and version"),
        pytest.param("version 81.2.69.142", id="the word version"),
        pytest.param("Firmware v. 99.142.7.201", id="v."),
        pytest.param("v81.2.69.142", id="v"),
        pytest.param("Flash Player 132.0.0.171", id="zeros inside"),
        pytest.param("see section 2.4.1.3", id="section"),
        pytest.param("81.2.69.142.7", id="five parts"),
        pytest.param("1.81.2.69.142", id="five parts, from the left"),
        pytest.param("192.168.1.1 10.0.0.1 127.0.0.1 169.254.1.1", id="private and local"),
        pytest.param("203.0.113.9 2001:db8::9 fe80::1", id="documentation and link-local"),
        pytest.param("300.2.69.142", id="part above 255"),
        pytest.param("01.02.03.04", id="leading zeros"),
        pytest.param("2024:10:12 10:20:30", id="timestamp of a camera"),
        pytest.param("12:30:45.123 2024-10-12T10:20:30Z", id="timestamps"),
        pytest.param("52.5200 N, 13.4050 E", id="coordinates"),
        pytest.param("ISBN 978-3-16-148410-0", id="ISBN"),
        pytest.param("$1.234.567.890", id="amount"),
        pytest.param("std::vector::size 2ab::c", id="names of code"),
    ],
)
def test_what_is_no_public_address_stays(text):
    assert pii.mask_text(text, ["ip"]) == (text, {})


def test_counts_go_to_the_page_and_add_up():
    page = Page("jo@site.org al@site.org 81.2.69.142")
    page.text = pii.mask(page, kinds=["email"])
    assert page.pii == {"email": 2}
    page.text = pii.mask(page)
    assert page.pii == {"email": 2, "ip": 1}


def test_page_without_personal_data_keeps_text_and_has_no_counts():
    page = Page("Nothing to see.")
    assert pii.mask(page) == "Nothing to see."
    assert page.pii == {}
    assert pii.mask(Page("")) == ""


def test_page_with_more_items_than_allowed_is_dropped():
    text = "jo@site.org " * 6
    assert pii.mask(Page(text), max_items=5) == Drop("too_many_items", 6)
    assert isinstance(pii.mask(Page(text), max_items=6), str)


def test_unknown_kind_is_named():
    with pytest.raises(RecipeError, match=r"'e-mail'.*did you mean 'email'"):
        pii.mask_text("", ["e-mail"])


ALPHABET = [
    "a",
    "jo",
    "@",
    ".",
    ".com",
    "site.org",
    "-",
    "1",
    "81.2.69.142",
    ":",
    "2a00:1450::8",
    " ",
    "\u6211",
    "\u00fc",
    MAIL,
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=14).map("".join))
def test_masking_twice_changes_and_counts_nothing(text):
    once, _ = pii.mask_text(text)
    assert pii.mask_text(once) == (once, {})


@settings(max_examples=60, deadline=None)
@given(st.from_regex(r"\A[a-z0-9]{1,20}(\.[a-z0-9]{1,9})?@[a-z0-9]{1,20}\.(com|de|org)\Z"))
def test_simple_addresses_never_survive(address):
    assert pii.mask_text(f"write to {address} now", ["email"]) == (f"write to {MAIL} now", {"email": 1})


@pytest.mark.parametrize(
    "text",
    [
        "?" * 10_000,
        "@" * 1_000_000,
        "a." * 500_000,
        "a@" * 200_000,
        "a@a." * 100_000,
        "a" * 1_000_000 + "@",
        "a@" + "b-" * 500_000,
        "1." * 500_000,
        "2001:" * 200_000,
        "81.2.69.142 " * 30_000,
        "ip " * 300_000 + "1.1.1.1",
    ],
    ids=["marks", "at", "dots", "a@", "a@a.", "long atom", "hyphens", "1.", "2001:", "many addresses", "context"],
)
def test_hostile_text_takes_linear_time(text):
    start = time.process_time()
    pii.mask_text(text)
    assert time.process_time() - start < 5
