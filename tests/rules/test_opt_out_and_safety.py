"""Opt-out and unsafe addresses: each reason has its own fate, from the bytes of a WARC record on."""

from __future__ import annotations

import pytest
import yaml

from curation.errors import InputError
from curation.page import Page
from curation.read.http import parse_response
from curation.read.reservations import reservations
from curation.recipe.load import load_recipe
from curation.rules import opt_out, safety
from curation.stage import run_stages


def load(tmp_path, rules):
    path = tmp_path / "recipe.yaml"
    stages = [{"opt_out": {"keep_if": rules}}]
    path.write_text(yaml.safe_dump({"name": "one", "version": 1, "source": "test", "stages": stages}))
    return load_recipe(path).stages


def response(*headers: str, html: str = "") -> Page:
    """A page as the reader makes it of a response record."""
    block = "\r\n".join(["HTTP/1.1 200 OK", *headers, "", html]).encode()
    page = Page(url="https://a.example/x")
    page.notes |= reservations(parse_response(block).headers, html)
    return page


@pytest.mark.parametrize(
    ("page", "fate"),
    [
        (response("X-Robots-Tag: noindex", "x-robots-tag: noai"), "opt_out.noai"),
        (response(html='<meta name="robots" content="noai">'), "opt_out.noai"),
        (response("TDM-Reservation: 1"), "opt_out.tdm_reservation"),
        (Page(url="https://blog.opted-out.example/x"), "opt_out.listed_host"),
        (Page(url="https://opted-out.example./x", host="opted-out.example."), "opt_out.listed_host"),
        (response("X-Robots-Tag: noindex, noimageai"), None),
        (Page(url="https://not-opted-out.example/x"), None),
        (Page(), None),
    ],
    ids=["header", "tag", "mining", "list", "rooted host", "other directives", "other host", "no address"],
)
def test_each_way_of_opting_out_is_a_fate_of_its_own(tmp_path, page, fate):
    run_stages(load(tmp_path, "rules/opt_out"), [page])
    assert page.dropped_by == fate


def test_missing_list_of_hosts_is_named_even_for_a_page_without_address():
    with pytest.raises(InputError, match="opt_out_host"):
        opt_out.listed_host_count(Page(), entries="opt_out_host")


@pytest.fixture
def ut1(tmp_path):
    """Two categories in the layout of the UT1 lists."""
    for category, part, lines in (
        ("adult", "domains", "bad.example\n203.0.113.7\n"),
        ("adult", "urls", "host.example/bad\nhost.example/gallery/\n"),
        ("gambling", "domains", "bets.example\n"),
    ):
        (tmp_path / category).mkdir(exist_ok=True)
        (tmp_path / category / part).write_text(lines)
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("url", "fate"),
    [
        ("http://bad.example/", "opt_out.adult"),
        ("https://www.shop.BAD.example:8080/x", "opt_out.adult"),
        ("http://203.0.113.7/x", "opt_out.adult"),
        ("http://www.host.example/bad/page?x=/y", "opt_out.adult"),
        ("http://host.example/bad?x=1", "opt_out.adult"),
        ("http://host.example/gallery", "opt_out.adult"),
        ("http://host.example/badge", None),
        ("http://host.example/", None),
        ("http://other.example/bad", None),
        ("http://notbad.example/", None),
        ("https://m.bets.example", "opt_out.gambling"),
        ("http://[broken/", None),
        ("", None),
    ],
)
def test_each_category_of_addresses_is_a_fate_of_its_own(tmp_path, ut1, url, fate):
    rule = {"folder": str(ut1), "max": 0}
    rules = [
        {"safety.listed_category_count": {**rule, "categories": [name], "name": name}} for name in ("adult", "gambling")
    ]
    page = Page("text", url=url)
    run_stages(load(tmp_path, rules), [page])
    assert page.dropped_by == fate


@pytest.mark.parametrize(
    ("category", "sentence"),
    [("adlut", "did you mean 'adult'"), ("empty", "neither a file 'domains'")],
)
def test_category_that_is_not_there_is_named_before_any_page(ut1, category, sentence):
    with pytest.raises(InputError, match=sentence):
        safety.listed_category_count(Page(), folder=str(ut1), categories=[category])


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        safety.listed_category_count(Page(), folder=str(tmp_path / "none"), categories=["adult"])
