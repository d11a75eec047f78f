"""Damage costs the damaged record, is counted with its place, and never the records around it."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.read.inputs import list_inputs
from tests.read.made_warcs import html, input_file, other, read_all, response

URLS = [f"http://site{i}.example/" for i in range(6)]
RECORDS = [response(html(f"page {i} " + "lorem ipsum " * 40 * i), url) for i, url in enumerate(URLS)]
PLAIN = [response(html(f"page {i} " + "lorem ipsum " * 40 * i), url, gzip=False) for i, url in enumerate(URLS)]
ERROR_PAGE = (
    b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("damage")


def alive(pages) -> list[str]:
    return [page.url for page in pages if page.alive]


def flipped(record: bytes, at: float) -> bytes:
    """The record with eight bytes inverted at this share of its length."""
    place = int(len(record) * at)
    return record[:place] + bytes(byte ^ 0xFF for byte in record[place : place + 8]) + record[place + 8 :]


def test_a_folder_of_good_damaged_cut_error_and_empty_files_is_read_to_the_last_intact_record(tmp_path):
    good = b"".join(RECORDS)
    contents = {
        "a_good.warc.gz": good,
        "b_damaged.warc.gz": b"".join([*RECORDS[:2], flipped(RECORDS[2], 0.5), *RECORDS[3:]]),
        "c_cut.warc.gz": good[:-40],
        "d_error.warc.gz": ERROR_PAGE,
        "e_empty.warc.gz": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    reports, kept = {}, {}
    for file in list_inputs(str(tmp_path)):
        pages, reports[file.name] = read_all(file)
        kept[file.name] = alive(pages)
        assert len(pages) == len(kept[file.name]) + sum(reports[file.name]["fates"].values())

    states = {name: report["state"] for name, report in reports.items()}
    assert states == {
        "a_good.warc.gz": "complete",
        "b_damaged.warc.gz": "damaged",
        "c_cut.warc.gz": "truncated",
        "d_error.warc.gz": "error_page",
        "e_empty.warc.gz": "empty",
    }
    assert kept["a_good.warc.gz"] == URLS
    assert kept["b_damaged.warc.gz"] == URLS[:2] + URLS[3:]
    assert kept["c_cut.warc.gz"] == URLS[:-1]
    assert reports["b_damaged.warc.gz"]["fates"] == {"read.damaged": 1}
    start = sum(map(len, RECORDS[:2]))
    assert reports["b_damaged.warc.gz"]["regions"] == [[start, start + len(RECORDS[2]), "damaged"]]
    assert reports["c_cut.warc.gz"]["fates"] == {"read.truncated": 1}
    assert "SlowDown" in reports["d_error.warc.gz"]["error"]


@pytest.mark.parametrize("records", [RECORDS, PLAIN], ids=["gzip", "plain"])
def test_a_file_cut_at_any_byte_gives_every_record_before_the_cut(folder, records):
    data = b"".join(records)
    borders = [sum(map(len, records[: i + 1])) for i in range(len(records))]
    for cut in [*range(40), *range(40, len(data), 211), *(b + d for b in borders[:-1] for d in (-1, 0, 1))]:
        name = "cut.warc.gz" if records is RECORDS else "cut.warc"
        pages, report = read_all(input_file(folder, data[:cut], name))
        whole = sum(border <= cut for border in borders)
        assert alive(pages)[:whole] == URLS[:whole]
        if records is RECORDS:
            assert len(alive(pages)) == whole
        if cut not in (0, *borders) and records is RECORDS:
            assert report["state"] == "truncated", cut
            assert report["fates"] == {"read.truncated": 1}


@given(victim=st.integers(0, 5), at=st.floats(0, 0.98))
@settings(max_examples=60, deadline=None)
def test_bytes_flipped_anywhere_in_a_gzip_record_cost_that_record_only(folder, victim, at):
    data = [*RECORDS[:victim], flipped(RECORDS[victim], at), *RECORDS[victim + 1 :]]
    pages, report = read_all(input_file(folder, b"".join(data)))
    others = URLS[:victim] + URLS[victim + 1 :]
    assert [url for url in alive(pages) if url in others] == others
    if report["state"] == "complete":  # the flip met header bytes of gzip that mean nothing, such as its time stamp
        assert gzip.decompress(data[victim]) == gzip.decompress(RECORDS[victim])
    else:
        assert (len(pages), report["damaged"], report["state"]) == (6, 1, "damaged")


@given(garbage=st.binary(min_size=1, max_size=300), place=st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_garbage_between_gzip_records_is_one_damaged_stretch_and_no_record_is_lost(folder, garbage, place):
    pages, report = read_all(input_file(folder, b"".join([*RECORDS[:place], garbage, *RECORDS[place:]])))
    assert alive(pages) == URLS
    assert report["damaged"] == 1 and report["records"]["response"] == 6
    assert report["state"] in ("damaged", "truncated")


def test_a_stretch_of_zeros_is_reported_and_not_taken_for_padding(folder):
    data = b"".join(RECORDS[:2]) + bytes(len(RECORDS[2])) + b"".join(RECORDS[3:])
    pages, report = read_all(input_file(folder, data))
    assert (alive(pages), report["state"]) == (URLS[:2] + URLS[3:], "damaged")


def test_a_damaged_request_is_damage_but_no_page(folder):
    request = other("request", b"GET / HTTP/1.1\r\n" + bytes(range(256)) * 20)
    pages, report = read_all(input_file(folder, RECORDS[0] + flipped(request, 0.9) + RECORDS[1]))
    assert len(pages) == 2 and report["damaged"] == 1 and report["records"]["request"] == 1


def test_a_damaged_page_keeps_the_url_of_its_header(folder):
    pages, _ = read_all(input_file(folder, RECORDS[0] + flipped(RECORDS[5], 0.97) + RECORDS[1]))
    assert (pages[1].url, pages[1].dropped_by, pages[1].warc_offset) == (URLS[5], "read.damaged", len(RECORDS[0]))
    assert f"byte {len(RECORDS[0])}" in pages[1].error


@pytest.mark.parametrize(
    "length", ["7", "99999", "-5", "many", "9" * 30], ids=["short", "long", "minus", "word", "huge"]
)
def test_a_wrong_content_length_in_a_plain_file_costs_that_record_only(folder, length):
    wrong = zlib.decompress(RECORDS[2], 31)
    start = wrong.index(b"Content-Length: ") + len(b"Content-Length: ")
    wrong = wrong[:start] + length.encode() + wrong[wrong.index(b"\r\n", start) :]
    pages, report = read_all(input_file(folder, b"".join([*PLAIN[:2], wrong, *PLAIN[3:]]), "plain.warc"))
    assert alive(pages) == URLS[:2] + URLS[3:]
    assert report["fates"] == {"read.damaged": 1} and report["state"] == "damaged"


def test_a_broken_header_in_a_plain_file_costs_that_record_only(folder):
    data = b"".join([*PLAIN[:2], b"XXXX" + PLAIN[2][4:], *PLAIN[3:]])
    pages, report = read_all(input_file(folder, data, "plain.warc"))
    assert alive(pages) == URLS[:2] + URLS[3:]
    assert report["damaged"] == 1


def test_changed_bytes_in_a_plain_record_are_noted_by_its_digest(folder):
    changed = PLAIN[1].replace(b"lorem", b"LOREM", 1)
    pages, report = read_all(input_file(folder, PLAIN[0] + changed + PLAIN[2], "plain.warc"))
    assert [page.notes.get("digest") for page in pages] == [None, "differs", None]
    assert report["state"] == "complete" and all(page.alive for page in pages)


def test_a_wrong_length_inside_one_gzip_member_is_damage(folder):
    wrong = gzip.compress(PLAIN[2].replace(b"WARC-Type", b"X: y\r\nWARC-Type", 1).replace(b"</html>", b"</html>more"))
    pages, report = read_all(input_file(folder, RECORDS[0] + wrong + RECORDS[1]))
    assert alive(pages) == URLS[:2] and report["fates"] == {"read.damaged": 1}


def test_a_file_of_one_gzip_member_is_read_as_a_stream(folder):
    pages, report = read_all(input_file(folder, gzip.compress(b"".join(PLAIN))))
    assert alive(pages) == URLS and report["state"] == "complete"
    assert {page.warc_offset for page in pages} == {0} and len({page.doc_id for page in pages}) == 6


def test_one_gzip_member_cut_in_the_middle_gives_the_records_before(folder):
    data = gzip.compress(b"".join(PLAIN), 0)
    pages, report = read_all(input_file(folder, data[: len(data) // 2]))
    count = len(alive(pages))
    assert alive(pages) == URLS[:count] and count >= 3
    assert report["state"] == "truncated" and report["fates"] == {"read.truncated": 1}


def test_a_large_gzip_member_gives_all_records_before_its_damage(folder):
    bodies = [response(html("x" * 50_000 + str(i)), f"http://big{i}.example/", gzip=False) for i in range(60)]
    data = bytearray(gzip.compress(b"".join(bodies), 0))
    at = data.index(b"http://big45.example/") - 200  # stored blocks of 64 KB: break the length of the next one
    block = data.index(b"\x00\xff\xff", at - 70_000) if b"\x00\xff\xff" in data[at - 70_000 : at] else at
    data[block : block + 8] = b"\xff" * 8
    pages, report = read_all(input_file(folder, bytes(data)))
    assert alive(pages) == [f"http://big{i}.example/" for i in range(len(alive(pages)))]
    assert report["damaged"] >= 1 and report["state"] == "damaged"


def test_a_html_error_page_with_gzip_around_it_is_an_error_page(folder):
    _, report = read_all(input_file(folder, gzip.compress(b"<html><h1>403 Forbidden</h1></html>")))
    assert report["state"] == "error_page" and report["pages"] == 0 and "403 Forbidden" in report["error"]


def test_binary_rubbish_is_unreadable(folder):
    _, report = read_all(input_file(folder, bytes(range(256)) * 40))
    assert report["state"] == "unreadable" and report["damaged"] == 1


def test_a_file_that_is_gone_is_unreadable_and_raises_nothing(folder):
    file = input_file(folder, RECORDS[0], "gone.warc.gz")
    Path(file.path).unlink()
    _, report = read_all(file)
    assert report["state"] == "unreadable" and "gone.warc.gz" in report["error"]
