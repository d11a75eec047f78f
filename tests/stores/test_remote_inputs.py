"""The list of inputs from a store is that of the same files on disk: names, kinds, sizes, snapshots, pages."""

from __future__ import annotations

import gzip
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.dedup_rows.columns import Columns, find_columns
from curation.dedup_rows.rows import read_rows
from curation.errors import InputError, StoreError
from curation.read.budgets import Budgets
from curation.read.file import InputFile
from curation.read.inputs import list_inputs
from curation.read.objects import check_addresses
from curation.read.pages import read_pages
from curation.read.report import SplitReport, merge_reports
from curation.read.splits import plan_splits
from curation.stores import access as access_module
from curation.stores import remote
from curation.stores.access import Access
from tests.stores.fault_server import FaultServer, Plan, behind, folder


@pytest.fixture(scope="session")
def crawl(crawl, tmp_path_factory) -> Path:
    """Two sample snapshots, and rows in other formats."""
    root = tmp_path_factory.mktemp("crawl") / "root"
    shutil.copytree(crawl, root)
    rows = [{"id": str(n), "url": f"http://h.example/{n}", "text": f"text number {n} " * 5} for n in range(300)]
    lines = "".join(f'{{"id": "{r["id"]}", "url": "{r["url"]}", "text": "{r["text"]}"}}\n' for r in rows)
    (root / "rows").mkdir()
    (root / "rows" / "a.jsonl").write_text(lines)
    (root / "rows" / "b.jsonl.gz").write_bytes(gzip.compress(lines.replace("number", "no").encode()))
    pq.write_table(pa.Table.from_pylist(rows), root / "rows" / "c.parquet", row_group_size=50)
    (root / "rows" / "_SUCCESS").write_bytes(b"")
    (root / "rows" / "_temporary").mkdir()
    (root / "rows" / "_temporary" / "d.parquet").write_bytes(b"half")
    return root


@pytest.fixture(scope="session")
def stored(crawl, bucket) -> str:
    """The same files in the stand-in for S3."""
    client, name = bucket
    for path in sorted(crawl.rglob("*")):
        if path.is_file():
            client.put_object(Bucket=name, Key=f"copy/{path.relative_to(crawl)}", Body=path.read_bytes())
    return f"s3://{name}/copy"


@pytest.fixture
def web(crawl):
    with FaultServer(folder(crawl)) as server:
        yield server


def places_gone(files: list[InputFile]) -> list[InputFile]:
    return [replace(file, path="") for file in files]


def read(files: list[InputFile], split_size: int, budgets: Budgets = Budgets()) -> tuple[list[dict], list[dict]]:
    """All that pages are, and the reports without the paths."""
    pages, reports = [], []
    for split in plan_splits(files, split_size):
        report = SplitReport(split)
        for page in read_pages(split, report, budgets=budgets):
            pages.append(
                {name: getattr(page, name) for name in ("doc_id", "html", "text", "dropped_by", "notes", "error")}
            )
        reports.append(report.to_dict())
    return pages, [{k: v for k, v in report.items() if k != "path"} for report in merge_reports(reports)]


SNAPSHOT = "crawl-data/DEMO-2024-10"


@pytest.mark.parametrize(
    ("below", "kwargs"),
    [
        ("", {}),
        ("", {"snapshots": ["DEMO-2024-18"]}),
        ("", {"snapshots": ["DEMO-2024-18", "DEMO-2024-10"], "files": 1}),
        (f"/{SNAPSHOT}", {}),
        (f"/{SNAPSHOT}/warc.paths.gz", {"files": 1}),
        ("/rows", {}),
        ("/rows/a.jsonl", {}),
        ("/rows/*.parquet", {}),
        ("/crawl-data/*/segments/**/*.warc.gz", {"files": 3}),
    ],
)
def test_s3_lists_what_the_disk_lists(crawl, stored, s3_at, moto, below, kwargs):
    s3_at(moto)
    local = list_inputs(str(crawl) + below, source="web", **kwargs)
    found = list_inputs(stored + below, source="web", **kwargs)
    assert places_gone(found) == places_gone(local) and found
    assert all(file.path.startswith("s3://") for file in found)


@pytest.mark.parametrize(
    ("below", "kwargs"),
    [
        ("", {"snapshots": ["DEMO-2024-18"]}),
        ("/", {"snapshots": ["DEMO-2024-18", "DEMO-2024-10"], "files": 1}),
        (f"/{SNAPSHOT}/", {}),
        (f"/{SNAPSHOT}/warc.paths.gz", {"files": 1}),
        ("/rows/b.jsonl.gz", {}),
        ("/rows/c.parquet", {}),
    ],
)
def test_a_web_server_lists_what_the_disk_lists(crawl, web, below, kwargs):
    local = list_inputs(str(crawl) + below, **kwargs)
    found = list_inputs(web.url + below, **kwargs)
    assert places_gone(found) == places_gone(local) and found


def test_pages_and_ids_from_a_store_that_fails_are_those_from_disk(crawl, stored, s3_at, moto):
    with FaultServer(behind(moto), Plan(share=0.3, seed=8)) as server:
        s3_at(server.url)
        for below, split_size in (("", 30_000), ("/rows", 3000)):
            remote_pages = read(list_inputs(stored + below), split_size)
            assert remote_pages == read(list_inputs(str(crawl) + below), split_size)
        assert sum(server.failed.values()) > 10


def test_waiting_for_the_server_is_no_time_of_a_record(crawl, web):
    file = list_inputs(f"{web.url}/{SNAPSHOT}", files=1)
    local = read(list_inputs(f"{crawl}/{SNAPSHOT}", files=1), 1 << 30)
    gate = threading.Event()
    web.before_reply = lambda: gate.wait(0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "HEAD_BYTES", 1000)  # so that records are waited for
        patch.setattr("curation.read.tape._BLOCK", 5000)
        patch.setattr("curation.read.tape._LARGEST_BLOCK", 5000)
        assert read(file, 1 << 30, Budgets(seconds=0.4)) == local
    assert web.seen["GET"] > 5


def test_a_split_fetches_its_range_and_little_more(tmp_path):
    from tests.read.made_warcs import html, response

    bodies = [response(html(f"{n} " * 5), f"http://h.example/{n}", gzip=False) for n in range(3)]
    one = b"".join(bodies)
    (tmp_path / "big.warc").write_bytes(one * (8 << 20 >> 9))
    with FaultServer(folder(tmp_path)) as server:
        files = list_inputs(f"{server.url}/big.warc")
        splits = plan_splits(files, 2 << 20)
        server.headers.clear()
        list(read_pages(splits[2], SplitReport(splits[2])))
        asked = [tuple(map(int, headers["range"][6:].split("-"))) for headers in server.headers]
    fetched = sum(last - first + 1 for first, last in asked)
    run_up, head, ahead = 1 << 20, 1 << 18, 1 << 19
    assert fetched <= splits[2].end - splits[2].start + run_up + head + ahead
    assert max(last for _, last in asked) <= splits[2].end + ahead


def test_one_lost_file_stays_in_the_list_and_is_reported_by_name(crawl):
    local, (whole,) = read(list_inputs(f"{crawl}/{SNAPSHOT}", files=1), 1 << 30)
    names = gzip.decompress((crawl / SNAPSHOT / "warc.paths.gz").read_bytes()).decode().split()
    for status, state in ((404, "unreadable"), (403, "unreadable"), (503, "unavailable")):
        with FaultServer(folder(crawl), Plan(always={names[1]: status})) as server:
            files = list_inputs(server.url, snapshots=["DEMO-2024-10"])
            pages, (good, lost) = read(files, 1 << 30)
        assert (pages, good) == (local, whole) and pages
        assert (lost["state"], lost["name"]) == (state, names[1])
        assert str(status) in lost["error"] and names[1] in lost["error"]


def test_a_file_that_changed_since_the_run_was_planned_is_not_read(crawl, tmp_path):
    content = (crawl / "rows" / "a.jsonl").read_bytes()
    (tmp_path / "a.jsonl").write_bytes(content)
    with FaultServer(folder(tmp_path)) as server:
        files = list_inputs(f"{server.url}/a.jsonl")
        (tmp_path / "a.jsonl").write_bytes(content + b'{"text": "one more"}\n')
        pages, (report,) = read(files, 1 << 30)
    assert pages == [] and report["state"] == "unreadable" and "when the run was planned" in report["error"]


def test_an_error_page_saved_as_a_warc_is_an_error(tmp_path):
    (tmp_path / "x.warc.gz").write_bytes(b"<?xml version='1.0'?><Error><Code>SlowDown</Code></Error>")
    with FaultServer(folder(tmp_path)) as server:
        pages, (report,) = read(list_inputs(f"{server.url}/x.warc.gz"), 1 << 30)
    assert pages == [] and report["state"] == "error_page" and "SlowDown" in report["error"]


def test_a_parquet_file_that_breaks_off_for_good_is_no_damaged_file(crawl):
    with FaultServer(folder(crawl)) as server:
        files = list_inputs(f"{server.url}/rows/c.parquet")
        split = plan_splits(files, 1 << 30)[0]
        report = SplitReport(split)
        server.plan = Plan(always={"c.parquet": 503})
        access_module._access = Access(tries=2, first_wait=0)
        assert list(read_pages(split, report)) == []
    assert report.state == "unavailable" and not report.damaged


def test_rows_that_only_lose_their_copies_come_from_a_store_too(crawl):
    def all_rows(where: str) -> list:
        files = list_inputs(where)
        splits = plan_splits(files, 4000)
        found = dict(zip([file.path for file in files], find_columns(files, Columns()), strict=True))
        return [(rows.place, rows.values) for split in splits for rows in read_rows(split, found[split.file.path])]

    with FaultServer(folder(crawl), Plan(share=0.3, seed=9)) as server:
        for name in ("a.jsonl", "b.jsonl.gz", "c.parquet"):
            assert all_rows(f"{server.url}/rows/{name}") == all_rows(f"{crawl}/rows/{name}")
        assert sum(server.failed.values()) > 3


@pytest.mark.parametrize(
    ("below", "kwargs", "message"),
    [
        ("", {}, "does not list what it holds: give a crawl's root with --snapshot"),
        ("/rows/*.jsonl", {}, "does not list"),
        ("", {"snapshots": ["DEMO-2024-11"]}, "no crawl-data/<ID>/warc.paths.gz, so no snapshot DEMO-2024-11"),
        ("/rows/none.jsonl", {}, "no such file"),
    ],
)
def test_what_a_web_server_cannot_do_is_said(web, below, kwargs, message):
    with pytest.raises((InputError, StoreError), match=message):
        list_inputs(web.url + below, **kwargs)


@pytest.mark.parametrize("below", ["/none", "/rows/none*", "/none.warc.gz"])
def test_nothing_in_s3_is_an_error(stored, s3_at, moto, below):
    s3_at(moto)
    with pytest.raises(InputError, match="holds no file to read"):
        list_inputs(stored + below)


def test_a_page_in_place_of_a_path_list_is_an_error(tmp_path):
    place = tmp_path / "crawl-data" / "X-1"
    place.mkdir(parents=True)
    (place / "warc.paths.gz").write_bytes(b"<html>too many requests</html>")
    with FaultServer(folder(tmp_path)) as server, pytest.raises(InputError, match="page of HTML or XML"):
        list_inputs(server.url, snapshots=["X-1"])


def test_two_inputs_that_differ_in_a_query_only_are_refused():
    file = InputFile("https://h/get.jsonl", "get.jsonl", "jsonl", "web", "", 1)
    with pytest.raises(InputError, match="given twice"):
        check_addresses([file, replace(file, source="other")])
    check_addresses([replace(file, path="a"), replace(file, path="a")])
