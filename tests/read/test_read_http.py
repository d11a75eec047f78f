"""Codings of HTTP are undone; a label that does not hold costs a note and not the page."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.read.http import Response, TooLarge, parse_response, undo_codings

BODY = ("<!doctype html><p>" + "Gr\u00fc\u00dfe aus K\u00f6ln. " * 50).encode()
PACKED = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def chunked(body: bytes, size: int = 100, end: bytes = b"\r\n") -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x" % len(p) + end + p + end for p in pieces) + b"0" + end + end


def undone(body: bytes, limit: int = 1 << 20, **headers: str) -> Response:
    response = Response("200", {name.replace("_", "-"): value for name, value in headers.items()}, body)
    undo_codings(response, limit)
    return response


@pytest.mark.parametrize("coding", PACKED)
@given(body=st.binary(min_size=1, max_size=3000))
@settings(max_examples=25, deadline=None)
def test_each_coding_is_undone(coding, body):
    response = undone(PACKED[coding](body), content_encoding=coding.upper())
    assert (response.body, response.notes) == (body, [])


def test_deflate_without_zlib_header_is_undone():
    assert undone(raw_deflate(BODY), content_encoding="deflate").body == BODY


@given(body=st.binary(min_size=1, max_size=2000), size=st.integers(1, 300), end=st.sampled_from([b"\r\n", b"\n"]))
@settings(max_examples=50)
def test_chunks_are_joined(body, size, end):
    response = undone(chunked(body, size, end), transfer_encoding="chunked")
    assert (response.body, response.notes) == (body, [])


def test_codings_are_undone_from_the_last_to_the_first():
    body = chunked(brotli.compress(gzip.compress(BODY)))
    assert undone(body, content_encoding="gzip, br", transfer_encoding="chunked").body == BODY


def test_gzip_members_in_a_row_are_one_body():
    assert undone(gzip.compress(BODY) + gzip.compress(b"more"), content_encoding="gzip").body == BODY + b"more"


@pytest.mark.parametrize("coding", [*PACKED, "none", "UTF-8", "sdch"])
def test_a_false_content_encoding_costs_a_note_only(coding):
    response = undone(BODY, content_encoding=coding)
    assert response.body == BODY
    assert len(response.notes) == 1 and coding.lower() in response.notes[0]


@given(text=st.text(min_size=1, max_size=300), coding=st.sampled_from(sorted(PACKED)))
@settings(max_examples=100)
def test_plain_text_under_any_label_stays_as_it_is(text, coding):
    assert undone(text.encode(), content_encoding=coding).body == text.encode()


def test_a_false_chunked_label_costs_a_note_only():
    response = undone(BODY, transfer_encoding="chunked")
    assert (response.body, response.notes) == (BODY, ["chunked: not so encoded"])


def test_identity_is_no_note():
    assert undone(BODY, content_encoding="identity", transfer_encoding="identity").notes == []


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_breaks_off_keeps_what_came(coding):
    long = b"".join(b"<p>%d</p>" % (i * 7919) for i in range(30_000))
    packed = PACKED[coding](long)
    response = undone(packed[: len(packed) * 2 // 3], content_encoding=coding)
    assert long.startswith(response.body) and len(response.body) > len(long) // 3
    assert "breaks off" in response.notes[0]


def test_chunks_that_break_off_keep_what_came():
    response = undone(chunked(BODY)[:250], transfer_encoding="chunked")
    assert BODY.startswith(response.body) and len(response.body) > 200
    assert "breaks off" in response.notes[0]


@pytest.mark.parametrize("coding", PACKED)
def test_a_bomb_is_stopped_at_the_budget(coding):
    bomb = PACKED[coding](bytes(50 << 20))
    assert len(bomb) < 200_000
    with pytest.raises(TooLarge, match="1000000"):
        undone(bomb, limit=1_000_000, content_encoding=coding)


@pytest.mark.parametrize("end", [b"\r\n", b"\n"], ids=["CRLF", "LF"])
def test_headers_end_at_the_blank_line_whatever_the_line_ends(end):
    block = end.join(
        [b"HTTP/1.1 200 OK", b"content-type: Text/HTML; Charset='euc-kr'", b"X: 1", b"", b"first\n\nsecond"]
    )
    response = parse_response(block)
    assert (response.status, response.media_type, response.charset) == ("200", "text/html", "euc-kr")
    assert response.body == b"first\n\nsecond"


@pytest.mark.parametrize(
    "line", [b"HTTP/1.1 200 ", b"HTTP/2 200", b"HTTP/1.0 200 Fine", b"HTTPX/1.1 200 OK", b"ICY 200 OK"]
)
def test_odd_status_lines_are_read(line):
    assert parse_response(line + b"\r\nA: b\r\n\r\nbody").status == "200"


def test_a_block_without_header_is_body():
    response = parse_response(b"<html>old")
    assert (response.status, response.body, response.notes) == ("", b"<html>old", ["no HTTP header"])


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_any_bytes_are_parsed_without_an_error(block):
    undo_codings(parse_response(b"HTTP/1.1 200 OK\r\n" + block), 1 << 16)
