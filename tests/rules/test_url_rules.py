"""Measures on addresses: each test of the list of tests, hosts that are odd, and lists of the user."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import InputError
from curation.page import Page
from curation.read.address import host_of
from curation.rules import url

ALL = [getattr(url, name) for name in url.__all__]


@pytest.fixture
def hosts(tmp_path):
    path = tmp_path / "domains"
    listed = "Bad.co.uk blog.host.com 192.0.2.7 2001:db8::7 folder.example m\u00fcnchen.example xn--kln-sna.example"
    path.write_text("# comment\n\n" + listed.replace(" ", "\n"), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("address", "domain", "host"),
    [
        ("http://bad.co.uk/", 1, 1),
        ("https://www.shop.BAD.co.uk:8443/x?y", 1, 0),
        ("http://good.co.uk/bad.co.uk", 0, 0),
        ("http://blog.host.com/", 0, 1),
        ("http://www.bad.co.uk./x", 1, 0),
        ("http://blog.host.com.:80/", 0, 1),
        ("http://other.host.com/", 0, 0),
        ("http://notbad.co.uk/", 0, 0),
        ("http://192.0.2.7:8080/index", 1, 1),
        ("http://192.0.2.8/", 0, 0),
        ("http://[2001:db8::7]/", 1, 1),
        ("http://a.folder.example/", 1, 0),
        ("http://xn--mnchen-3ya.example/", 1, 1),
        ("http://www.k\u00f6ln.example/", 1, 0),
        ("http://[broken/", 0, 0),
        ("not an address", 0, 0),
        ("http://co.uk/", 0, 0),
    ],
)
def test_domains_and_hosts(hosts, address, domain, host):
    for page in (Page(url=address), Page(url=address, host=host_of(address))):  # the column is filled in a run
        assert url.listed_domain_count(page, entries=hosts) == domain
        assert url.listed_host_count(page, entries=hosts) == host


def test_host_column_is_used_where_it_is_filled(hosts):
    assert url.listed_host_count(Page(host="blog.host.com"), entries=hosts) == 1


@pytest.mark.parametrize("address", ["https://site.org/Page", "http://site.org/page"])
def test_listed_address_with_and_without_scheme(tmp_path, address):
    path = tmp_path / "urls"
    path.write_text("site.org/page\n")
    assert url.listed_url_count(Page(url=address), entries=str(path)) == 1
    assert url.listed_url_count(Page(url=address + "/2"), entries=str(path)) == 0


def test_one_hard_word_is_enough_and_part_of_a_word_is_none():
    assert url.hard_word_count(Page(url="http://site.org/free-PORN/1")) == 1
    assert url.hard_word_count(Page(url="http://site.org/pornic-holidays")) == 0


def test_soft_words_count_when_different():
    assert url.soft_word_count(Page(url="http://site.org/casino-royale-casino")) == 1
    assert url.soft_word_count(Page(url="http://site.org/casino/poker-bonus")) == 3


def test_subwords_run_across_marks():
    assert url.banned_subword_count(Page(url="http://best.on-line.casino/")) == 1
    assert url.banned_subword_count(Page(url="http://line.casino/")) == 0


@pytest.mark.parametrize(
    "address",
    [
        "https://www.essex.ac.uk/essex-campus",
        "https://en.wikipedia.org/wiki/Scunthorpe",
        "https://en.wikipedia.org/wiki/Casino_Royale_(2006_film)",
        "https://health.example/when-tai-chi-helps",
        "https://www.pornichet.fr/tourisme",
        "https://arxiv.org/abs/2306.01116",
    ],
)
def test_shipped_lists_leave_innocent_addresses_alone(address):
    page = Page(url=address)
    assert [measure(page) for measure in ALL if measure is not url.soft_word_count] == [0] * 5
    assert url.soft_word_count(page) <= 1


@pytest.mark.parametrize("measure", ALL, ids=url.__all__)
def test_missing_address_is_zero_not_an_error(measure):
    assert measure(Page("some text")) == 0


def test_missing_list_is_an_error_that_names_it():
    with pytest.raises(InputError, match=r"url_hots.*did you mean 'url_hosts'"):
        url.listed_domain_count(Page(url="http://a.org/"), entries="url_hots")


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=40))
def test_any_address_is_measured(address):
    for measure in ALL:
        assert measure(Page(url=address)) >= 0
        assert measure(Page(url=f"http://{address}")) >= 0
