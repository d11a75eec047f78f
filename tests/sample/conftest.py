"""One sample crawl for all tests of this folder."""

from __future__ import annotations

import pytest

from curation.sample.snapshots import write_snapshots
from curation.sample.truth import Truth


@pytest.fixture(scope="session")
def crawl(tmp_path_factory) -> Truth:
    """The crawl that `curate demo` writes: seed 7, 400 pages. Read only."""
    return write_snapshots(tmp_path_factory.mktemp("sample-crawl"), seed=7, pages=400)
