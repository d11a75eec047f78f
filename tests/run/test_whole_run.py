"""Whole runs over the sample crawl: truth is found, books balance, nothing depends on how the work is cut."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.compute as pc
import pytest

from curation.errors import ResumeError
from curation.run.folder import read_json
from curation.run.lookup import find_page
from curation.sample.check import check
from curation.sample.truth import read_truth
from curation.tokens.shards import list_shards, read_documents
from curation.tokens.tokenizer import FrozenTokenizer
from tests.run.conftest import table

pytestmark = pytest.mark.spark
ROOT = Path(__file__).resolve().parents[2]


def shards_of(folder):
    """Paths of all token shards."""
    splits = (list_shards(folder.tokens, split) for split in ("train", "validation"))
    return [shard.path for sources in splits for shards in sources.values() for shard in shards]


def outcome(folder):
    """What must not depend on partitions, split size, order or the way of starting: text, removals, bytes of shards."""
    removals = [table(f) for f in sorted((folder.root / "removals").iterdir())]
    shards = {str(path.relative_to(folder.tokens)): path.read_bytes() for path in shards_of(folder)}
    return table(folder.curated), [r.drop_columns("unit") for r in removals], shards


def test_everything_planted_is_found(finished, crawl):
    missed = [f for f in check(finished.folder.root, crawl / "truth.jsonl") if not f.ok]
    assert not missed


def test_every_page_has_one_fate_and_the_funnel_says_so(finished):
    folder = finished.folder
    dead = table(*sorted((folder.root / "documents").glob("pass-*/alive=false")))
    kept = table(folder.curated)
    assert len(set(dead["doc_id"].to_pylist()) | set(kept["doc_id"].to_pylist())) == len(dead) + len(kept)
    stages = finished.funnel["stages"]
    assert stages[0]["pages_in"] == len(dead) + len(kept)
    assert stages[-1]["kept"] == len(kept)
    assert stages[-1]["chars_out"] == pc.sum(pc.utf8_length(kept["text"])).as_py()
    counted = {r["reason"]: r["pages"] for stage in stages for r in stage["reasons"]}
    assert counted == {v["values"]: v["counts"] for v in pc.value_counts(dead["dropped_by"]).to_pylist()}


@pytest.mark.parametrize(
    ("cluster", "reverse"),
    [({"split_size": 20_000, "partitions": 1}, False), ({"split_size": 1 << 20, "partitions": 4}, True)],
    ids=["small splits, one task", "whole files, four tasks, files listed backwards"],
)
def test_output_does_not_depend_on_how_the_work_is_cut(finished, run_over, crawl, tmp_path, cluster, reverse):
    if reverse:
        shutil.copytree(crawl, tmp_path / "crawl")
        crawl = tmp_path / "crawl"
        for listing in crawl.glob("crawl-data/*/warc.paths.gz"):
            lines = gzip.decompress(listing.read_bytes()).splitlines(keepends=True)
            listing.write_bytes(gzip.compress(b"".join(reversed(lines))))
    other = run_over(crawl, tmp_path / "run", **cluster)
    if not reverse:
        assert len(other.folder.committed(0)) > len(finished.folder.committed(0))
    ours, theirs = outcome(finished.folder), outcome(other.folder)
    assert theirs[0].equals(ours[0])
    assert all(a.equals(b) for a, b in zip(theirs[1], ours[1], strict=True))
    assert theirs[2] == ours[2]


def test_spark_submit_gives_the_same_result(finished, crawl, tmp_path):
    submit = Path(sys.executable).with_name("spark-submit")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    options = ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    job = [str(ROOT / "jobs" / "run.py"), "sample", "--input", str(crawl), "--out", str(tmp_path / "run")]
    subprocess.run([submit, *options, *job], env=environment, check=True, capture_output=True, timeout=600)
    ours, theirs = outcome(finished.folder), outcome(type(finished.folder)(tmp_path / "run"))
    assert theirs[0].equals(ours[0])
    assert theirs[2] == ours[2]


def test_shards_decode_to_the_curated_text(finished):
    folder = finished.folder
    tokenizer = FrozenTokenizer.load(folder.tokens / "tokenizer.json")
    texts = dict(zip(*(table(folder.curated)[c].to_pylist() for c in ("doc_id", "text")), strict=True))
    rows = (row for path in shards_of(folder) for row in read_documents(path, tokenizer))
    decoded = {doc_id: tokenizer.decode(ids) for doc_id, ids in rows}
    assert decoded == texts


def test_curated_text_opens_in_other_tools(finished, tmp_path):
    datasets = pytest.importorskip("datasets")
    kept = table(finished.folder.curated)
    pattern = f"{finished.folder.curated}/*.parquet"
    rows = duckdb.sql(f"select count(*), sum(length(text)) from '{pattern}'").fetchall()
    assert rows == [(len(kept), pc.sum(pc.utf8_length(kept["text"])).as_py())]
    loaded = datasets.load_dataset("parquet", data_files=pattern, split="train", cache_dir=str(tmp_path))
    assert sorted(loaded["doc_id"]) == kept["doc_id"].to_pylist()


def test_resume_repeats_nothing_and_gives_the_same(finished, run_over, crawl, tmp_path):
    root = tmp_path / "run"
    shutil.copytree(finished.folder.root, root)
    lost = sorted((root / "documents" / "pass-0" / "_units").iterdir())[0]
    lost.unlink()
    for folder in (
        "removals",
        "clusters",
        "state",
        "curated",
        "tokens",
        "documents/pass-1",
        "signatures/validation_clusters",
    ):
        shutil.rmtree(root / folder)
    before = {p: p.stat().st_mtime_ns for p in (root / "documents" / "pass-0" / "_units").iterdir()}
    again = run_over(crawl, root, resume=True)
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())
    assert lost.exists()
    ours, theirs = outcome(finished.folder), outcome(again.folder)
    assert theirs[0].equals(ours[0])
    assert theirs[2] == ours[2]


def test_folder_of_another_run_is_never_mixed(finished, run_over, crawl, tmp_path):
    root = tmp_path / "run"
    shutil.copytree(finished.folder.root, root)
    with pytest.raises(ResumeError, match="continue it with --resume"):
        run_over(crawl, root)
    with pytest.raises(ResumeError, match="never mixed"):
        run_over(crawl, root, overrides=["near_duplicates.bands=20"], resume=True)
    with pytest.raises(ResumeError, match="the input is not what"):
        run_over(crawl / "crawl-data" / "DEMO-2024-10", root, resume=True)


def test_page_is_found_again_by_its_address(finished, crawl):
    good = next(page for page in read_truth(crawl / "truth.jsonl").pages if page.fates == ["kept"])
    page, recipe, fate = find_page(finished.folder, good.url)
    assert fate == "kept"
    assert recipe.name == "sample"
    assert good.title in page.html


def test_unreadable_file_is_named_and_the_rest_is_done(run_over, crawl, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    good = sorted(crawl.rglob("*.warc.gz"))[0]
    shutil.copy(good, folder)
    (folder / "saved.warc.gz").write_text('<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>')
    result = run_over(folder, tmp_path / "run", recipe="text")
    assert result.problems == ["saved.warc.gz: error_page"]
    assert result.funnel["stages"][-1]["kept"] > 10
    manifest = read_json(result.folder.manifest)
    assert manifest["status"] == "finished with unreadable inputs"
    assert {f["name"]: f["state"] for f in manifest["files"]}["saved.warc.gz"] == "error_page"


def test_run_that_keeps_nothing_still_reports(run_over, crawl, tmp_path):
    result = run_over(crawl, tmp_path / "run", recipe="gopher", overrides=["gopher_quality.word_count.min=99000"])
    assert result.funnel["stages"][-1]["kept"] == 0
    assert (result.folder.root / "report.html").is_file()
    assert not result.folder.tokens.exists()
