"""What a stranger's file may cost: bombs, records and headers without end, a million of the smallest.

Each case is read in a process of its own. Time is counted as CPU seconds of that process, several times what was seen
on a slow core; memory in MB above what the process had before.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.abuse.bombs import (
    GIB,
    HTTP,
    bomb_in_body,
    brotli_of,
    gzip_of,
    large_record,
    record_head,
    zstd_of,
)  # fmt: skip
from tests.abuse.measured import measured
from tests.read.made_warcs import html, response

pytestmark = pytest.mark.abuse

BEFORE, AFTER = (response(html(f"page {i}"), f"http://{i}.example/") for i in ("before", "after"))
BETWEEN = ["http://before.example/", "http://after.example/"]


def read(path: Path, content: bytes | None = None, **settings):
    if content is not None:
        path.write_bytes(content)
    order = ("kind", "seconds", "split_size", "with_pages")
    defaults = {"kind": "warc", "seconds": 600.0, "split_size": 1 << 40, "with_pages": True}
    cost = measured("bombs", "read_file", str(path), *({**defaults, **settings}[name] for name in order))
    print(f"{path.name}: {cost.megabytes:.1f} MB, {cost.cpu:.2f} s of CPU, {cost.seconds:.2f} s")
    return cost


def alive(cost) -> list[str]:
    return [url for url, fate, *_ in cost.result["pages"] if fate is None]


def test_a_record_of_2_gib_in_gzip_costs_itself(tmp_path):
    content = BEFORE + large_record(2 * GIB) + AFTER
    assert len(content) < 4 << 20
    cost = read(tmp_path / "large.warc.gz", content)
    assert alive(cost) == BETWEEN
    assert cost.result["report"]["fates"] == {"read.too_large": 1}
    assert cost.result["report"]["state"] == "complete"
    assert cost.megabytes < 30 and cost.cpu < 60


def test_a_record_that_takes_too_long_is_left_by_both_of_two_ranges(tmp_path):
    """The second range starts inside the bomb and looks for its start first: its clock runs there too."""
    bomb = large_record(2 * GIB)
    content = BEFORE + bomb + AFTER
    cost = read(tmp_path / "slow.warc.gz", content, seconds=0.05, split_size=len(BEFORE) + len(bomb) // 2)
    assert alive(cost) == BETWEEN
    assert cost.result["report"]["fates"] == {"read.timeout": 1}
    assert cost.megabytes < 30 and cost.cpu < 10


def test_a_record_of_2_gib_in_a_plain_file_costs_itself(tmp_path):
    path, plain = tmp_path / "large.warc", [gzip.decompress(one) for one in (BEFORE, AFTER)]
    with path.open("wb") as file:  # a sparse file: 2 GiB that take no room on the disk
        file.write(plain[0] + record_head(len(HTTP) + 2 * GIB) + HTTP)
        file.seek(2 * GIB, 1)
        file.write(b"\r\n\r\n" + plain[1])
    cost = read(path)
    assert alive(cost) == BETWEEN
    assert cost.result["report"]["fates"] == {"read.too_large": 1}
    assert cost.megabytes < 30 and cost.cpu < 20


@pytest.fixture(scope="module")
def bodies() -> dict[str, bytes]:
    once = gzip_of(b"<html>", b" ", GIB)
    return {
        "gzip": once,
        "deflate": gzip_of(b"<html>", b" ", GIB, wbits=15),
        "br": brotli_of(b" ", GIB // 4),
        "zstd": zstd_of(b" ", GIB),
        "gzip, gzip": gzip.compress(once),
        "gzip, br": brotli_of(b"\0", 128 << 20),
    }


def test_bombs_inside_pages_cost_their_page(tmp_path, bodies):
    content = BEFORE + b"".join(bomb_in_body(coding, body) for coding, body in bodies.items()) + AFTER
    cost = read(tmp_path / "bodies.warc.gz", content)
    assert alive(cost) == BETWEEN
    assert cost.result["report"]["fates"] == {"read.too_large": len(bodies)}
    assert cost.megabytes < 250 and cost.cpu < 60  # the budget of one record is 64 MiB


def test_archives_inside_archives_are_not_opened_without_end(tmp_path):
    """20,000 codings named, 50 of them true; a gzip inside the gzip of the file; a WARC as the body of a page."""
    nested = html("deep")
    for _ in range(50):
        nested = gzip.compress(nested)
    many = response(nested, "http://nested.example/", headers=[("Content-Encoding", ", ".join(["gzip"] * 20_000))])
    inner = response(gzip.compress(BEFORE), "http://inner.example/", headers=[("Content-Type", "text/html")])
    cost = read(tmp_path / "nested.warc.gz", BEFORE + many + inner + AFTER)
    assert alive(cost) == BETWEEN
    assert cost.result["report"]["fates"] == {"read.not_html": 2}
    assert cost.megabytes < 30 and cost.cpu < 5
    file = BEFORE
    for _ in range(20):
        file = gzip.compress(file)
    cost = read(tmp_path / "twenty.warc.gz", file)
    assert cost.result["report"]["state"] == "damaged" or cost.result["report"]["state"] == "unreadable"
    assert not alive(cost) and cost.cpu < 5


SIZE, HTTP_START = 48 << 20, b"HTTP/1.1 200 OK\r\nX: "
ENDLESS = {
    "a WARC header": (b"WARC/1.0\r\nWARC-Type: response\r\n", b"x"),
    "lines of a WARC header": (b"WARC/1.0\r\nWARC-Type: response\r\n", b"x: y\r\nz: abc\r\n"),
    "an HTTP header": (record_head(len(HTTP_START) + SIZE) + HTTP_START, b"x"),
    "blank lines": (b"", b"\n"),
    "an ARC line": (b"http://a.example/", b"x"),
}


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("packed", [True, False], ids=["gzip", "plain"])
def test_headers_without_end_cost_themselves(tmp_path, what, packed):
    head, unit = ENDLESS[what]
    if len(unit) > 1:
        content = gzip.compress(head + unit * (SIZE // len(unit)), 1)
    else:
        content = gzip_of(head, unit, SIZE, b"\r\n\r\n")
    path = tmp_path / ("endless.warc.gz" if packed else "endless.warc")
    before, after = (one if packed else gzip.decompress(one) for one in (BEFORE, AFTER))
    path.write_bytes(before + (content if packed else gzip.decompress(content)) + after)
    cost = read(path)
    assert alive(cost) == BETWEEN
    report = cost.result["report"]
    assert report["state"] == ("complete" if what in ("blank lines", "an HTTP header") else "damaged")
    assert sum(report["fates"].values()) == (0 if what == "blank lines" else 1), report
    assert cost.megabytes < (250 if what == "an HTTP header" else 30) and cost.cpu < 60


def test_damage_behind_a_million_blank_lines_is_told(tmp_path):
    """The record is whole, but the checksum of its member, far behind it, is not."""
    content = bytearray(gzip_of(gzip.decompress(BEFORE), b"\n", 4 << 20))
    content[-6] ^= 1
    cost = read(tmp_path / "blank.warc.gz", bytes(content) + AFTER)
    assert alive(cost) == BETWEEN
    assert cost.result["report"]["state"] == "damaged" and cost.result["report"]["damaged"] == 1


@pytest.mark.parametrize("packed", ["plain", "gzip", "zstd"])
def test_a_line_without_end_costs_itself(tmp_path, packed):
    good = b'{"text": "a good row", "url": "http://before.example/"}\n'
    size = 512 << 20
    path = tmp_path / {"plain": "rows.jsonl", "gzip": "rows.jsonl.gz", "zstd": "rows.jsonl.zst"}[packed]
    if packed == "plain":
        with path.open("wb") as file:
            file.write(good)
            file.seek(size, 1)
            file.write(b"\n" + good)
    elif packed == "gzip":
        path.write_bytes(gzip_of(good, b"x", size, b"\n" + good))
    else:
        import zstandard

        pack = zstandard.ZstdCompressor().compress
        path.write_bytes(pack(good) + zstd_of(b"x", size) + pack(b"\n" + good))
    cost = read(path, kind="jsonl")
    assert alive(cost) == ["http://before.example/"] * 2
    assert cost.result["report"]["fates"] == {"read.too_large": 1}
    assert cost.megabytes < 250 and cost.cpu < 60


@pytest.mark.parametrize(("packed", "records"), [(True, 1_000_000), (False, 100_000)], ids=["gzip", "plain"])
def test_a_million_tiny_records_take_no_memory(tmp_path, packed, records):
    """Half of them pages of four bytes, half without a page. 40 us each were seen."""
    tiny = [
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 4\r\n\r\n<p>x\r\n\r\n",
        b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
    ]
    block = b"".join(gzip.compress(one, mtime=0) if packed else one for one in tiny)
    path = tmp_path / ("tiny.warc.gz" if packed else "tiny.warc")
    path.write_bytes(block * (records // 2))
    cost = read(path, with_pages=False)
    assert cost.result["report"]["records"] == {"response": records // 2, "metadata": records // 2}
    assert cost.result["report"]["pages"] == records // 2
    assert cost.megabytes < 30 and cost.cpu < 240e-6 * records + 5
