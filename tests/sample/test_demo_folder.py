"""`curate demo` replaces what a demo wrote, and nothing else."""

from __future__ import annotations

import json

import pytest

from curation.commands.demo import _clear
from curation.errors import InputError
from curation.sample.snapshots import write_snapshots


def test_an_earlier_demo_is_replaced_a_broken_off_one_too(tmp_path):
    write_snapshots(tmp_path / "snapshots", pages=100)
    (tmp_path / "snapshots" / "truth.jsonl").unlink()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "plan.json").write_text(json.dumps({"recipe": "sample"}))
    _clear(tmp_path)
    assert list(tmp_path.iterdir()) == []
    _clear(tmp_path / "new")


@pytest.mark.parametrize(
    "mine",
    ["run/thesis.txt", "snapshots/CC-MAIN-2024-10/a.warc.gz", "snapshots/crawl-data/CC-MAIN-2024-10/warc.paths.gz"],
)
def test_what_no_demo_wrote_is_not_replaced(tmp_path, mine):
    write_snapshots(tmp_path / "snapshots", pages=100)
    (tmp_path / mine).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / mine).write_text("mine")
    with pytest.raises(InputError, match="was not written by a demo, and is not replaced: choose another --out"):
        _clear(tmp_path)
    assert (tmp_path / mine).read_text() == "mine" and (tmp_path / "snapshots" / "truth.jsonl").is_file()


def test_a_run_of_another_recipe_is_not_replaced(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "plan.json").write_text(json.dumps({"recipe": "fineweb"}))
    with pytest.raises(InputError, match="run was not written by a demo"):
        _clear(tmp_path)
