"""Phone numbers: international ones anywhere, national ones by country, shape and the words before them."""

from __future__ import annotations

import phonenumbers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.page import Page
from curation.rewrite.pii import PHONE, mask, mask_text, regions_of


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("+44 20 7946 0018", PHONE, id="international"),
        pytest.param("+442079460018,", f"{PHONE},", id="no groups"),
        pytest.param("0044 20 7946 0018", PHONE, id="00"),
        pytest.param("+49 (0)30 901820", PHONE, id="zero in brackets"),
        pytest.param("(+34) 983 305 022", PHONE, id="country in brackets"),
        pytest.param("(+34983305022)", f"({PHONE})", id="all in brackets"),
        pytest.param("tel:+1-212-736-5000", f"tel:{PHONE}", id="link"),
        pytest.param("+1 212.736.5000 x12", PHONE, id="extension"),
        pytest.param("\u7535\u8bdd+8613800138000\u3002", f"\u7535\u8bdd{PHONE}\u3002", id="touches Chinese"),
        pytest.param(
            "\uff0b\uff14\uff14 \uff12\uff10 \uff17\uff19\uff14\uff16 \uff10\uff10\uff11\uff18", PHONE, id="wide"
        ),
        pytest.param("(212) 736-5000", PHONE, id="American, brackets"),
        pytest.param("212-736-5000 or 212.736.5001", f"{PHONE} or {PHONE}", id="American, two"),
        pytest.param("1-800-275-2273", PHONE, id="American, with 1"),
        pytest.param("call 2127365000", f"call {PHONE}", id="American, no groups after the word"),
        pytest.param("212-736-5000 2024", f"{PHONE} 2024", id="a year after it"),
        pytest.param("order 5, phone 212-736-5000", f"order 5, phone {PHONE}", id="the nearer word decides"),
    ],
)
def test_phone_numbers_are_masked(text, masked):
    assert mask_text(text, ["phone"])[0] == masked


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ("DE", "030 901820"), ("DE", "(0171) 1234567"), ("FR", "01 42 68 53 00"), ("FR", "01.42.68.53.00"),
        ("ES", "912 34 56 78"), ("GB", "020 7946 0018"), ("JP", "03-3224-9999"), ("RU", "8 (495) 123-45-67"),
        ("CN", "\u7535\u8bdd\uff1a13800138000"), ("BR", "(11) 91234-5678"), ("IN", "\u092b\u094b\u0928 98765 43210"),
        ("IR", "\u062a\u0644\u0641\u0646 \u06f0\u06f9\u06f1\u06f7 \u06f4\u06f3\u06f9 \u06f1\u06f5\u06f0\u06f0"),
    ],
)  # fmt: skip
def test_national_numbers_are_read_by_the_plan_of_their_country(region, text):
    assert PHONE in mask_text(text, ["phone"], [region])[0]
    assert mask_text(text.split("\uff1a")[-1], ["phone"], ["NO"])[1] == {}


@pytest.mark.parametrize(
    "text",
    [
        *("SKU 212-736-5000", "Part no. 212-736-5000", "order 212-736-5000", "ISBN 0-306-40615-2", "XR-212-736-5000"),
        *(
            "212-736-5000-77",
            "1212-736-5000-1",
            "$212-736-5000",
            "212-736-5000 \u20ac",
            "/212-736-5000",
            "#212-736-5000",
        ),
        *("2024-01-15 10:30:59", "15.01.2024 12", "1998-2003 2004", "2127365000", "1700000000", "0.2127365000"),
        *(
            "52.520008, 13.404954",
            "N 55 34.949 E 017 24.837",
            "1.234.567.890",
            "12 345 678",
            "+1 234",
            "+999 123456789",
        ),
        *("40 / 41 / 42 / 45", "192.168.1.20", "0 1 2 3 4 5 6 7 8 9", "555-0143", "b212-736-5000", "212-736-5000b"),
    ],
)
def test_what_is_no_phone_number_stays(text):
    assert mask_text(text, ["phone"], ["US", "DE", "GB"]) == (text, {})


@pytest.mark.parametrize(
    ("page", "regions"),
    [
        (Page(host="www.site.de", language="en"), ("DE", "US", "GB", "AU", "IN")),
        (Page(host="site.com", language="ja"), ("JP",)),
        (Page(host="site.com", language="und"), ("US",)),
        (Page(), ("US",)),
    ],
    ids=["both", "language", "unknown language", "nothing"],
)
def test_regions_come_from_host_and_language(page, regions):
    assert regions_of(page) == regions


def test_same_digits_are_a_number_in_one_country_only():
    text = "912 34 56 78"
    assert mask(Page(text, host="a.es"), kinds=["phone"]) == PHONE
    assert mask(Page(text, host="a.org", language="en"), kinds=["phone"]) == text


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(phonenumbers.SUPPORTED_REGIONS)), st.integers(0, 999))
def test_international_number_of_every_country_never_survives(region, tail):
    """The oracle is the library's own example of each country, with other last digits where these exist."""
    example = phonenumbers.example_number(region)
    other = phonenumbers.PhoneNumber(example.country_code, example.national_number // 1000 * 1000 + tail)
    number = other if phonenumbers.is_valid_number(other) else example
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    assert mask_text(f"at {written}.", ["phone"])[0] == f"at {PHONE}."
