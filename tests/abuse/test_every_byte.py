"""A small WARC cut at every byte and with one bit flipped 10,000 times: what is intact is read, what is not is counted.

What is intact is judged without the reader: by the known borders of the gzip members, each inflated alone.
"""

from __future__ import annotations

import random
import time
import zlib
from pathlib import Path

import pytest

from curation.read.pages import read_pages
from curation.read.report import SplitReport, merge_reports
from curation.read.splits import Split
from tests.read.made_warcs import html, input_file, other, response

pytestmark = [pytest.mark.abuse, pytest.mark.recovery]

FLIPS = 10_000
SECONDS_A_READ = 20  # a read takes about a millisecond: this is a hang, on a crowded machine too
LETTERS = random.Random(5)


def _body(number: int) -> bytes:
    return html(f"page {number} " + " ".join("".join(LETTERS.choices("abcdefgh", k=5)) for _ in range(12)))


def _records(packed: bool) -> list[bytes]:
    return [
        other("warcinfo", b"software: none\r\n", gzip=packed),
        response(_body(1), "http://one.example/", gzip=packed),
        other("request", gzip=packed),
        response(_body(2), "http://two.example/", gzip=packed),
        other("metadata", b"fetchTimeMs: 3\r\n", gzip=packed),
        response(_body(3), "http://three.example/", gzip=packed),
        response(_body(4), "http://four.example/", gzip=packed),
    ]


GZIP, PLAIN = _records(True), _records(False)
KINDS = ["warcinfo", "response", "request", "response", "metadata", "response", "response"]
URLS = ["", "http://one.example/", "", "http://two.example/", "", "http://three.example/", "http://four.example/"]


def borders(records: list[bytes]) -> list[tuple[int, int]]:
    ends = [sum(map(len, records[: i + 1])) for i in range(len(records))]
    return list(zip([0, *ends[:-1]], ends, strict=True))


def intact(data: bytes) -> set[int]:
    """The members that still inflate to what they held, checksum and length included."""
    found = set()
    for number, (start, end) in enumerate(borders(GZIP)):
        inflater = zlib.decompressobj(31)
        try:
            content = inflater.decompress(data[start:end])
        except zlib.error:
            continue
        if inflater.eof and not inflater.unused_data and content == zlib.decompress(GZIP[number], 31):
            found.add(number)
    return found


def read(folder: Path, data: bytes, name: str, ranges: list[tuple[int, int]] | None = None) -> tuple[list, dict]:
    file, pages, reports = input_file(folder, data, name), [], []
    for start, end in ranges or [(0, len(data))]:
        report, started = SplitReport(Split(file, start, end)), time.monotonic()
        pages += read_pages(report.split, report)
        assert time.monotonic() - started < SECONDS_A_READ
        reports.append(report.to_dict())
    (merged,) = merge_reports(reports)
    return pages, merged


def check_books(pages: list, report: dict) -> set[str]:
    """Counts add up; returns the addresses of the pages that live."""
    alive = [page.url for page in pages if page.alive]
    assert report["pages"] == len(pages) == len(alive) + sum(report["fates"].values())
    assert len(alive) == len(set(alive))
    assert report["state"] != "unfinished"
    return set(alive)


def check_gzip(folder: Path, data: bytes, hint: object) -> None:
    whole = intact(data)
    pages, report = read(folder, data, "small.warc.gz")
    assert check_books(pages, report) == {URLS[i] for i in whole if URLS[i]}, hint
    for kind in set(KINDS):
        assert report["records"].get(kind, 0) >= sum(KINDS[i] == kind for i in whole), hint
    if len(whole) == len(GZIP):
        assert report["state"] == "complete" and not report["damaged"], hint
    elif data and len(data) == sum(map(len, GZIP)):
        # A last member that no longer knows its end looks like one that the file cuts.
        states = ("damaged",) if len(GZIP) - 1 in whole else ("damaged", "truncated")
        assert report["state"] in states and report["damaged"] == 1, hint


def test_cut_at_every_byte_gives_every_whole_member(tmp_path):
    data = b"".join(GZIP)
    ends = {end for _, end in borders(GZIP)}
    for cut in range(len(data) + 1):
        check_gzip(tmp_path, data[:cut], cut)
        _, report = read(tmp_path, data[:cut], "small.warc.gz")
        expected = "empty" if not cut else "complete" if cut in ends else "truncated"
        assert report["state"] == expected, cut


def test_a_flipped_bit_costs_its_member_only_10_000_times(tmp_path):
    data, draw = b"".join(GZIP), random.Random(11)
    every_bit = range(8 * len(data))
    for bit in draw.sample(every_bit, min(FLIPS, len(every_bit))):
        flipped = bytearray(data)
        flipped[bit >> 3] ^= 1 << (bit & 7)
        check_gzip(tmp_path, bytes(flipped), f"bit {bit & 7} of byte {bit >> 3}")


def test_a_flipped_bit_in_a_plain_file_costs_its_record_only(tmp_path):
    data, draw = b"".join(PLAIN), random.Random(12)
    for bit in draw.sample(range(8 * len(data)), 2000):
        flipped = bytearray(data)
        flipped[bit >> 3] ^= 1 << (bit & 7)
        victim = next(i for i, (start, end) in enumerate(borders(PLAIN)) if start <= bit >> 3 < end)
        pages, report = read(tmp_path, bytes(flipped), "small.warc")
        others = {url for i, url in enumerate(URLS) if url and i != victim}
        assert check_books(pages, report) >= others, f"bit {bit & 7} of byte {bit >> 3}"


@pytest.mark.parametrize(("records", "name"), [(GZIP, "s.warc.gz"), (PLAIN, "s.warc")], ids=["gzip", "plain"])
def test_two_ranges_that_meet_at_any_byte_read_each_record_once(tmp_path, records, name):
    data = b"".join(records)
    expected = [url for url in URLS if url]
    for at in range(0, len(data) + 1, 1 if records is GZIP else 2):
        pages, report = read(tmp_path, data, name, [(0, at), (at, len(data))])
        assert [page.url for page in pages] == expected, at
        assert report["state"] == "complete" and sum(report["records"].values()) == len(records), at
