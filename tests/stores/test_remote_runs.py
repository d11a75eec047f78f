"""Whole runs over stores that misbehave: the output is exactly that of the run over the same files on disk."""

from __future__ import annotations

import gzip
import logging
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from curation.commands.run import show_result
from curation.errors import InputError, UnavailableError
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Remote, Source
from curation.run.driver import access_of_executor
from curation.run.folder import read_json
from curation.run.lookup import find_page
from curation.run.run import run_recipe
from curation.stores.access import Access, use
from tests.stores.fault_server import KINDS, FaultServer, Plan, behind, folder

pytestmark = [pytest.mark.spark, pytest.mark.recovery]

SNAPSHOTS = ("DEMO-2024-10", "DEMO-2024-18")
REMOTE = Remote(requests=1, tries=10, first_wait=0.0, longest_wait=0.0)
CLUSTER = Cluster(remote=REMOTE, split_size=10_000, cores=2)  # small splits: many requests


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Runs a recipe; what the environment says of stores is handed to the workers too."""

    def start(where: str, recipe: str, resume: bool = False):
        for key, value in os.environ.items():
            if key.startswith("AWS_") or key == "no_proxy":
                monkeypatch.setitem(spark.sparkContext.environment, key, value)
        sources = [Source(where=where, snapshots=SNAPSHOTS)]
        return run_recipe(lambda: spark, load_recipe(recipe), sources, tmp_path / "run", cluster=CLUSTER, resume=resume)

    return start


@pytest.fixture(scope="module")
def texts(spark, crawl, tmp_path_factory):
    """The run of the recipe `text` over the files on disk."""
    out = tmp_path_factory.mktemp("texts") / "run"
    sources = [Source(where=str(crawl), snapshots=SNAPSHOTS)]
    return run_recipe(lambda: spark, load_recipe("text"), sources, out, cluster=CLUSTER)


def rows(*folders: Path) -> pa.Table:
    files = [str(file) for one in folders for file in sorted(one.glob("*.parquet"))]
    return ds.dataset(files).to_table().sort_by("doc_id")


def same_output(one, other) -> None:
    a, b = one.folder, other.folder
    assert rows(a.curated).equals(rows(b.curated)) and rows(a.curated).num_rows > 20
    assert rows(*a.root.glob("documents/*/alive=false")).equals(rows(*b.root.glob("documents/*/alive=false")))
    assert one.funnel == other.funnel
    tokens = [sorted((x.tokens / "train").rglob("*.parquet")) for x in (a, b)]
    assert [file.read_bytes() for file in tokens[0]] == [file.read_bytes() for file in tokens[1]]


def test_from_s3_that_fails_in_a_third_of_requests(run, finished, crawl, bucket, s3_at, moto):
    client, name = bucket
    for path in crawl.rglob("*.gz"):
        client.put_object(Bucket=name, Key=f"runs/{path.relative_to(crawl)}", Body=path.read_bytes())
    with FaultServer(behind(moto), Plan(share=0.3, seed=11)) as server:
        s3_at(server.url)
        server.before_reply = lambda: time.sleep(0.03)  # two workers would meet
        result = run(f"s3://{name}/runs", "sample")
    assert server.most_at_once == REMOTE.requests
    assert sum(server.failed.values()) >= 10 and set(server.failed) == set(KINDS)
    assert result.problems == finished.problems
    assert list((result.folder.tokens / "train").rglob("*.parquet"))
    same_output(result, finished)


def test_from_a_web_server_that_fails_in_a_third_of_requests_and_wants_a_password(
    run, finished, crawl, caplog, spark, capfd
):
    caplog.set_level(logging.DEBUG)
    with FaultServer(folder(crawl), Plan(share=0.3, seed=12)) as server:
        result = run(server.url.replace("//", "//me:geheim@") + "/?X-Amz-Signature=abcdef0", "sample")
        assert {headers.get("authorization") for headers in server.headers} == {"Basic bWU6Z2VoZWlt"}
        assert all("X-Amz-Signature=abcdef0" in path for path, _ in server.asked)
    assert sum(server.failed.values()) >= 10 and set(server.failed) == set(KINDS)
    same_output(result, finished)
    said = [*spark.sparkContext.getConf().getAll(), *capfd.readouterr()]
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("curation")]
    written = [path.read_bytes() for path in result.folder.root.rglob("*") if path.is_file()]
    for secret in ("geheim", "abcdef0", "bWU6Z2VoZWlt"):
        assert secret not in str(said) and secret not in str(ours)
        assert not any(secret.encode() in content for content in written)


@pytest.mark.parametrize(("status", "state"), [(403, "unreadable"), (503, "unavailable")])
def test_a_file_that_never_comes_is_named_and_the_rest_is_done(run, texts, crawl, status, state, capsys):
    names = gzip.decompress((crawl / "crawl-data" / SNAPSHOTS[0] / "warc.paths.gz").read_bytes()).decode().split()
    with FaultServer(folder(crawl), Plan(share=0.3, seed=13, always={names[1]: status})) as server:
        result = run(server.url, "text")
    assert result.problems == [f"{names[1]}: {state}"]
    manifest = read_json(result.folder.manifest)
    assert manifest["status"] == "finished with unreadable inputs"
    (lost,) = [file for file in manifest["files"] if file["name"] == names[1]]
    assert str(status) in lost["error"]
    show_result(result)
    told = "".join(capsys.readouterr().out.split())  # without the line breaks of the terminal
    assert "".join(f"{names[1]}: {state}; {lost['error']}".split()) in told
    all_of = [rows(r.folder.curated, *r.folder.root.glob("documents/*/alive=false")) for r in (result, texts)]
    read, expected = (
        {(i, f) for i, f in zip(t["doc_id"].to_pylist(), t["warc_file"].to_pylist(), strict=True)} for t in all_of
    )
    assert read == {(i, f) for i, f in expected if f != names[1]} and len(read) < len(expected)


def test_a_run_stops_when_the_store_goes_down_and_ends_right_when_it_is_back(run, texts, crawl):
    with FaultServer(folder(crawl)) as server:
        asked = iter(range(10**9))

        def goes_down() -> None:
            if next(asked) == 20:  # the lists and sizes are through, some files are read
                server.plan = Plan(always={".warc.gz": 503})

        server.before_reply = goes_down
        with pytest.raises(UnavailableError, match="of 4 input files could not be had.*--resume"):
            run(server.url, "text")
        server.plan = Plan()
        result = run(server.url, "text", resume=True)
        url = rows(result.folder.curated)["url"][0].as_py()
        page, _, fate = find_page(result.folder, url)
        assert (page.url, fate) == (url, "kept") and page.html
    with pytest.raises(InputError, match="cannot be read again: .*connection broke.*--input"):
        find_page(result.folder, url)
    same_output(result, texts)


@pytest.mark.parametrize(
    ("settings", "registered", "share"),
    [
        ({}, 1, 30),  # local mode: the driver is its own executor
        ({}, 4, 10),
        ({"spark.executor.instances": "5"}, 1, 6),
        ({"spark.executor.instances": "5"}, 7, 5),
        ({"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "15"}, 3, 2),
        ({"spark.dynamicAllocation.enabled": "true"}, 4, 10),
        ({"spark.executor.instances": "1000"}, 1, 1),
    ],
)
def test_the_share_of_an_executor(settings, registered, share):
    infos = SimpleNamespace(getExecutorInfos=lambda: [None] * registered)
    java = SimpleNamespace(sc=lambda: SimpleNamespace(statusTracker=lambda: infos))
    context = SimpleNamespace(getConf=lambda: settings, _jsc=java)
    use(Access(requests=30, tries=3))
    granted = access_of_executor(SimpleNamespace(sparkContext=context))
    assert (granted.requests, granted.tries) == (share, 3)


def test_in_local_mode_the_share_is_the_cap(spark):
    use(Access(requests=7))
    assert access_of_executor(spark).requests == 7


def test_a_run_folder_in_a_store_is_refused(crawl):
    for out in ("s3a://bucket/run", Path("s3://bucket/run"), "gs://b/r", "hdfs://n/r"):
        with pytest.raises(InputError, match="cannot hold a run folder.*mount"):
            run_recipe(lambda: None, load_recipe("text"), [Source(where=str(crawl))], out)
