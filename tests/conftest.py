"""Shared fixtures: one lean Spark session for all tests that need a JVM, and the folder of real pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A shared machine is slow now and then: time is never a reason to fail. In CI the same examples are drawn every time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of real web pages (snapshots/, edge/, gold/), named by CURATION_REAL_DATA."""
    folder = Path(os.environ.get("CURATION_REAL_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "snapshots").is_dir():
        pytest.skip(f"no real pages at {folder}: set CURATION_REAL_DATA to the folder that holds snapshots/ and edge/")
    return folder


@pytest.fixture(scope="session")
def spark():
    """One session for the whole run: 2 threads, 2 shuffle partitions, no UI (each saves seconds on a small machine)."""
    from curation.spark import local_session

    session = local_session(cores=2, settings={"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"})
    yield session
    session.stop()
