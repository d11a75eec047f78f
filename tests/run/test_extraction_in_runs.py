"""Extraction in whole runs: same page, same text, however the work is cut; a hostile page costs itself."""

from __future__ import annotations

import random

import pyarrow.compute as pc
import pytest

from tests.extract.test_guard import article
from tests.read.made_warcs import response
from tests.run.conftest import table

pytestmark = pytest.mark.spark

HOSTILE = {
    "rows": "<table>" + "<tr><td>x</td></tr>" * 1_000_000 + "</table>",
    "nesting": "<div>" * 10_000 + "deep" + "</div>" * 10_000,
    "colspan": "<table><tr><td colspan=9000000000000000>x</td></tr></table>",
    "empty": "<html></html>",
}


@pytest.fixture(scope="module")
def warc(tmp_path_factory):
    """Six articles ten times each, shuffled, with the hostile pages among them."""
    records = [(f"http://site.example/{n}/{copy}", article(n)) for n in range(6) for copy in range(10)]
    records += [(f"http://hostile.example/{name}", html) for name, html in HOSTILE.items()]
    random.Random(4).shuffle(records)
    path = tmp_path_factory.mktemp("pages") / "pages.warc.gz"
    path.write_bytes(b"".join(response(html.encode(), url) for url, html in records))
    return path


def test_repeated_and_hostile_pages_come_out_alike_on_one_task_and_on_four(run_over, warc, tmp_path):
    seen = []
    for tasks in (1, 4):
        overrides = ["main_text.favor=precision", "main_text.deadline_seconds=4"]
        run = run_over(
            warc, tmp_path / str(tasks), recipe="text", overrides=overrides, partitions=tasks, split_size=4_000
        )
        kept = table(run.folder.curated)
        texts = {url.rpartition("/")[0]: set() for url in kept["url"].to_pylist()}
        for url, text in zip(kept["url"].to_pylist(), kept["text"].to_pylist(), strict=True):
            texts[url.rpartition("/")[0]].add(text)
        articles = {url: found for url, found in texts.items() if "site.example" in url}
        assert len(articles) == 6 and all(len(found) == 1 for found in articles.values())
        assert pc.sum(pc.starts_with(kept["url"], "http://site.example/")).as_py() == 60
        dead = table(run.folder.dead(0))
        assert len(dead) + len(kept) == 60 + len(HOSTILE)
        seen.append((texts, dict(zip(dead["url"].to_pylist(), dead["dropped_by"].to_pylist(), strict=True))))
    assert seen[0] == seen[1]
    assert seen[0][1]["http://hostile.example/rows"] == "main_text.timeout"
