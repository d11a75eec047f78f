"""Records by host and language, against a plain search through the same index; and the command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import InputError
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.snapshot.index import PLACE, index_files, look_up
from curation.snapshot.records import fetch_records
from tests.snapshot.conftest import CRAWL
from tests.stores.fault_server import FaultServer, Plan, folder


def expected(published: Path, host: str | None, language: str | None) -> list[tuple]:
    rows = [row for name in index_files(str(published), CRAWL) for row in pq.read_table(published / name).to_pylist()]
    found = [
        tuple(row[name] for name in PLACE)
        for row in rows
        if (host is None or row["url_host_name"] == host)
        and (language is None or row["content_languages"].split(",")[0] == language)
    ]
    return sorted(found)


def places(table: pa.Table) -> list[tuple]:
    return [tuple(row[name] for name in PLACE) for row in table.to_pylist()]


def test_index_files_are_those_about_pages(published):
    assert [("subset=warc" in name) for name in index_files(str(published), CRAWL)] == [True, True]


@pytest.mark.parametrize(
    ("host", "language"),
    [("a.example", None), ("www.b.example", None), ("shop.b.example", "deu"), (None, "deu"), (None, "eng"),
     ("b.example", None), ("A.Example", None), (None, "fra")],
)  # fmt: skip
def test_records_are_those_of_a_plain_search(web, published, host, language):
    table = look_up(web.url, index_files(web.url, CRAWL), host=host, language=language)
    assert places(table) == expected(published, host.lower() if host else None, language)
    if host != "b.example" and language != "fra":
        assert table.num_rows > 5


def test_row_groups_that_cannot_match_are_not_fetched(tmp_path):
    rows = [
        {"url_surtkey": f"com,host{n // 1000:03})/{n}", "url": f"http://host{n // 1000:03}.com/{n:09}" * 5,
         "url_host_name": f"host{n // 1000:03}.com", "warc_filename": "w", "warc_record_offset": n,
         "warc_record_length": 1}
        for n in range(100_000)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "i.parquet", row_group_size=1000, use_dictionary=False,
                   compression="none")  # fmt: skip
    size = (tmp_path / "i.parquet").stat().st_size
    with FaultServer(folder(tmp_path)) as server:
        found = look_up(server.url, ["i.parquet"], host="host050.com")
        asked = [list(map(int, headers["range"][6:].split("-"))) for headers in server.headers]
    assert found["warc_record_offset"].to_pylist() == list(range(50_000, 51_000))
    assert sum(last - first for first, last in asked) < size / 5


def test_a_limit_stops_the_search(web):
    names = index_files(web.url, CRAWL)
    looked = []
    table = look_up(web.url, names, language="eng", limit=5, progress=lambda done, total: looked.append(done))
    assert table.num_rows == 5 and looked == [0, 2]
    assert [path for path, _ in web.asked if names[1] in path] == []


def test_an_index_without_languages_says_since_when_there_are_some(tmp_path):
    pq.write_table(pa.table({"url_host_name": ["a"], **{name: [1] for name in PLACE}}), tmp_path / "i.parquet")
    with pytest.raises(InputError, match="no column content_languages; languages are there since CC-MAIN-2018-39"):
        look_up(str(tmp_path), ["i.parquet"], language="deu")
    with pytest.raises(InputError, match="nothing to look for"):
        look_up(str(tmp_path), ["i.parquet"])


def test_fetched_records_are_those_of_the_crawl_byte_for_byte(published, tmp_path):
    table = look_up(str(published), index_files(str(published), CRAWL), host="c.example")
    with FaultServer(folder(published), Plan(share=0.3, seed=6)) as server:
        done = fetch_records(server.url, table, tmp_path / "c.warc.gz")
        assert server.seen["GET"] < 2.5 * table.num_rows  # a request a record, and those that failed
    whole = b"".join((published / name).read_bytes()[at : at + length] for name, at, length in places(table))
    assert (tmp_path / "c.warc.gz").read_bytes() == whole
    assert (done.written, done.problems) == (table.num_rows, [])
    told = [json.loads(line) for line in (tmp_path / "c.warc.gz.jsonl").read_text().splitlines()]
    assert [row["url"] for row in told] == table["url"].to_pylist()
    (file,) = list_inputs(str(tmp_path / "c.warc.gz"))
    (split,) = plan_splits([file], 1 << 30)
    assert [page.url for page in read_pages(split, SplitReport(split))] == table["url"].to_pylist()


def test_places_that_hold_no_record_are_named_and_left_out(web, published, tmp_path):
    table = look_up(str(published), index_files(str(published), CRAWL), host="c.example")
    rows = table.to_pylist()[:4]
    rows[0]["warc_record_offset"] += 1
    rows[1]["warc_record_length"] -= 1
    rows[2]["warc_record_offset"] += 10**9
    done = fetch_records(web.url, pa.Table.from_pylist(rows), tmp_path / "c.warc.gz")
    assert done.written == 1 and len(done.problems) == 3
    assert "no whole record" in done.problems[0] and "no whole record" in done.problems[1]


def curate(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["snapshot", *args])
    return result.exit_code, result.output


def test_the_command_lists_and_downloads_a_sample(web, tmp_path):
    code, told = curate("--from", web.url)
    assert code == 0 and "CC-MAIN-2023-50" in told
    code, told = curate(CRAWL, "--files", "2", "--from", web.url)
    assert code == 0 and "2 of 5 warc files, seed 1" in told and told.count(".warc.gz") == 2
    code, told = curate(CRAWL, "--files", "2", "--from", web.url, "--out", str(tmp_path))
    assert code == 0 and "2 files are in" in told
    listed = gzip.decompress((tmp_path / "crawl-data" / CRAWL / "warc.paths.gz").read_bytes()).decode().split()
    assert len(listed) == 2 and all((tmp_path / name).is_file() for name in listed)


def test_the_command_finds_and_downloads_records(web, tmp_path):
    code, told = curate(CRAWL, "--host", "a.example", "--from", web.url)
    assert code == 0 and "30 records" in told
    code, told = curate(CRAWL, "--host", "a.example", "--language", "deu", "--from", web.url, "--out", str(tmp_path))
    assert code == 0 and "records are in" in told
    (file,) = list_inputs(str(tmp_path), snapshots=[CRAWL])
    assert file.name.endswith("records/a.example-deu.warc.gz")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["CC-MAIN-2024-11"], "did you mean"),
        ([CRAWL, "--kind", "wat"], "give one of warc, wet"),
        ([CRAWL, "--kind", "wet"], "holds no wet.paths.gz"),
        ([CRAWL, "--host", "a/b"], "name of a host"),
        ([CRAWL, "--language", "de"], "three letters"),
        ([CRAWL, "--host", "none.example", "--out", "x"], "nothing to download"),
    ],
)
def test_mistakes_end_with_a_sentence(web, args, message):
    code, told = curate(*args, "--from", web.url)
    assert code == 2 and message in " ".join(told.split())


def test_files_that_cannot_be_had_give_exit_code_1_and_no_secret(published, tmp_path):
    with FaultServer(folder(published), Plan(always={"00001.warc.gz": 404})) as server:
        root = server.url.replace("//", "//me:geheim@")
        code, told = curate(CRAWL, "--from", root, "--out", str(tmp_path))
    assert code == 1 and "4 files are in" in told and "00001.warc.gz: there is no such file" in " ".join(told.split())
    assert "geheim" not in told
