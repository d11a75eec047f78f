"""What pages reserve: directives in headers and tags, for whom they are meant, and what the reader notes."""

from __future__ import annotations

import pytest

from curation.read.reservations import reservations


@pytest.mark.parametrize(
    ("header", "robots"),
    [
        pytest.param("noai", "noai", id="one"),
        pytest.param("NoAI, noimageai", "noai noimageai", id="two, letters of both cases"),
        pytest.param("all, index, follow, max-snippet:-1", None, id="nothing reserved"),
        pytest.param("googlebot: noindex, noai", None, id="for another robot"),
        pytest.param("ccbot: noai", "noai", id="for the robot of Common Crawl"),
        pytest.param("googlebot: noindex\nnoarchive", "noarchive", id="two headers"),
        pytest.param("unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex", "noindex", id="directive with a colon"),
    ],
)
def test_directives_of_the_header_are_noted(header, robots):
    assert reservations({"x-robots-tag": header}, "") == ({"robots": robots} if robots else {})


@pytest.mark.parametrize(
    ("html", "notes"),
    [
        pytest.param('<meta name="robots" content="noai, noimageai">', {"robots": "noai noimageai"}, id="plain"),
        pytest.param("<META CONTENT='noai' NAME='Robots' />", {"robots": "noai"}, id="order and case"),
        pytest.param("<meta name=ccbot content=noai>", {"robots": "noai"}, id="no quotes"),
        pytest.param('<meta name="googlebot" content="noai">', {}, id="another robot"),
        pytest.param('<!-- <meta name="robots" content="noai"> -->', {}, id="comment"),
        pytest.param('<meta name="robots" content="index, follow">', {}, id="nothing reserved"),
        pytest.param('<meta name="tdm-reservation" content="1">', {"tdm_reservation": "1"}, id="mining reserved"),
        pytest.param('<meta name="tdm-reservation" content="0">', {}, id="mining free"),
        pytest.param('<meta name="robots">', {}, id="no content"),
        pytest.param("<meta name=robots content=" + "<" * 99, {}, id="never closed"),
    ],
)
def test_meta_tags_are_noted(html, notes):
    assert reservations({}, f"<html><head>{html}</head><body>noai</body></html>") == notes


def test_mining_may_be_reserved_in_the_header_too():
    assert reservations({"tdm-reservation": "1"}, "") == {"tdm_reservation": "1"}
