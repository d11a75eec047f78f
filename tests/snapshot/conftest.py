"""A made-up crawl in Common Crawl's layout, with list of crawls and columnar index, on a web server on loopback."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.snapshot.index import surt_host
from tests.read.made_warcs import html, response
from tests.stores.conftest import quick  # noqa: F401 - a fixture for all tests here
from tests.stores.fault_server import FaultServer, folder

CRAWL = "CC-MAIN-2024-10"
HOSTS = ("a.example", "shop.b.example", "www.b.example", "c.example")
LANGUAGES = ("eng", "deu,eng", "deu", "eng,deu")


@pytest.fixture(scope="session")
def published(tmp_path_factory) -> Path:
    """Five WARC files of 24 records, an index of two files (and one of another subset), collinfo.json."""
    root = tmp_path_factory.mktemp("published")
    rows, names = [], []
    for number in range(5):
        name = f"crawl-data/{CRAWL}/segments/1707947473347.0/warc/CC-MAIN-{number:05}.warc.gz"
        offset, content = 0, b""
        for page in range(24):
            host, url = HOSTS[page % 4], f"http://{HOSTS[page % 4]}/{number}/{page}"
            member = response(html(f"page {page} of file {number} " * (1 + page)), url)
            rows.append({
                "url_surtkey": f"{surt_host(host)})/{number}/{page}", "url": url, "url_host_name": host,
                "content_languages": LANGUAGES[page // 4 % 4], "fetch_status": 200,
                "warc_filename": name, "warc_record_offset": offset, "warc_record_length": len(member),
            })  # fmt: skip
            content, offset = content + member, offset + len(member)
        _write(root / name, content)
        names.append(name)
    _write(root / f"crawl-data/{CRAWL}/warc.paths.gz", gzip.compress("\n".join(names).encode()))
    rows.sort(key=lambda row: row["url_surtkey"])
    parts = []
    for subset, some in (("warc", rows[:60]), ("warc", rows[60:]), ("robotstxt", rows)):
        part = f"cc-index/table/cc-main/warc/crawl={CRAWL}/subset={subset}/part-{len(parts):05}.c000.gz.parquet"
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(some), root / part, row_group_size=10, compression="gzip")
        parts.append(part)
    _write(root / f"crawl-data/{CRAWL}/cc-index-table.paths.gz", gzip.compress("\n".join(parts).encode()))
    known = [{"id": CRAWL, "name": "February/March 2024 Index"}, {"id": "CC-MAIN-2023-50", "name": "Nov/Dec 2023"}]
    _write(root / "collinfo.json", json.dumps(known).encode())
    return root


@pytest.fixture
def web(published):
    with FaultServer(folder(published)) as server:
        yield server


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
