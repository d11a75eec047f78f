"""Quick patience for all tests of this folder, and no look for keys outside this machine."""

from __future__ import annotations

import pytest

from curation.stores import access as access_module
from curation.stores.access import Access


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Ten tries without waits; no secret of one test is known to another; only loopback is asked."""
    monkeypatch.setattr(access_module, "_access", Access(first_wait=0.0, longest_wait=0.0))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
