"""Addresses that lead to the same page have one canonical form."""

from __future__ import annotations

import pytest

from curation.dedup.address import canonical_url


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("https://", "", id="scheme-only"),
        pytest.param("http://x.org/", "x.org", id="trailing-slash"),
        pytest.param("HTTPS://WWW.X.org/A", "x.org/A", id="host-folded-path-not"),
        pytest.param("http://x.org/a?utm_source=b&c=d", "x.org/a", id="utm"),
        pytest.param("http://x.org/a/?ref=home", "x.org/a", id="ref-then-slash"),
        pytest.param("http://x.org/a?feed=rss", "x.org/a", id="feed"),
        pytest.param("http://x.org/a?id=1&utm_source=b", "x.org/a?id=1&utm_source=b", id="utm-not-first-stays"),
        pytest.param("http://X.org?Q=A", "x.org?Q=A", id="query-without-path"),
        pytest.param("http://wwwx.org", "wwwx.org", id="www-must-end-in-a-dot"),
    ],
)
def test_canonical_form_of(url, canonical):
    assert canonical_url(url) == canonical
    assert canonical_url(canonical) == canonical
