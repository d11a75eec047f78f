"""What is made once for all tests: a lean Spark session, a sample crawl, a finished run over it; where real pages are.

Crawl and run are read by many tests. One that changes something changes a copy; the fixtures see to that.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from curation.conf import cache_folder
from tests.unchanged import unchanged

# A shared machine is slow now and then: time is never a reason to fail. In CI the same examples are drawn every time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

ROOT = Path(__file__).resolve().parent.parent

# Every process that a test starts finds the kernels compiled: 7 seconds of CPU each otherwise.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / "numba"))


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


@pytest.fixture(scope="session")
def crawl(tmp_path_factory):
    """Root of two sample snapshots, with truth.jsonl beside them."""
    from curation.sample.snapshots import write_snapshots

    root = tmp_path_factory.mktemp("crawl")
    write_snapshots(root, seed=5, pages=160)
    with unchanged(root):
        yield root


@pytest.fixture(scope="session")
def finished(spark, crawl, tmp_path_factory):
    """The result of a plain run of the recipe `sample` over the crawl, in local mode; nothing interrupted it."""
    from curation.recipe.load import load_recipe
    from curation.recipe.run_files import Source
    from curation.run.run import run_recipe

    out = tmp_path_factory.mktemp("plain") / "run"
    result = run_recipe(lambda: spark, load_recipe("sample"), [Source(where=str(crawl))], out)
    with unchanged(out):
        yield result
