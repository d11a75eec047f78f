"""The HTTP message inside a record: status, header, and the body with its codings undone.

Labels are often false: Common Crawl stores bodies already decoded, other crawlers keep `Content-Encoding: gzip` on
plain text or write `none` or `UTF-8` there. So each label is tried; one that does not hold costs a note, never the
page.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import brotli
import zstandard
from warcio.statusandheaders import StatusAndHeadersParser

_HEADER_LIMIT = 1 << 18
_STATUS_LINE = re.compile(
    rb"HTTP/|[A-Z]{3,8}(?:/\d(?:\.\d)?)? \d{3}[ \r\n]", re.IGNORECASE
)  # also "ICY 200 OK" and misspellings
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_HEAD = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\n]{0,1024})?\r?\n")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_PARSER = StatusAndHeadersParser([], verify=False)
_ZSTD_WINDOW = 8 << 20  # RFC 9659: the most a sender may ask for
_STEP = 1 << 16
MAX_CODINGS = 5  # one inside the other; curl stops there too (its CVE-2022-32206, a chain of codings without end)


class TooLarge(Exception):
    """The body grows beyond the budget while its codings are undone."""


@dataclass(slots=True)
class Response:
    """`status` is the code as written, "" where the record holds no HTTP header. `notes`: labels that did not hold."""

    status: str
    headers: dict[str, str]
    body: bytes
    notes: list[str] = field(default_factory=list)

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        match = _CHARSET.search(self.headers.get("content-type", ""))
        return match.group(1) if match else None


def parse_response(block: bytes) -> Response:
    """Status, header and raw body of a response record's block. Lines may end in LF only; HTTP/0.9 has no header.

    >>> parse_response(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>").body
    b'<p>'
    """
    if not _STATUS_LINE.match(block):
        return Response("", {}, block, ["no HTTP header"])
    end = _HEADER_END.search(block, 0, _HEADER_LIMIT)
    head = block[: end.end()] if end else block[:_HEADER_LIMIT]
    parsed = _PARSER.parse(io.BytesIO(head))
    headers: dict[str, str] = {}
    for name, value in parsed.headers:
        key = name.lower()
        mark = ", " if key.endswith("-encoding") else "\n" if key == "x-robots-tag" else None
        headers[key] = f"{headers[key]}{mark}{value}" if mark and key in headers else value
    return Response(parsed.statusline.split(" ", 1)[0], headers, block[len(head) :])


def undo_codings(response: Response, limit: int) -> None:
    """Undo Transfer-Encoding, then Content-Encoding, in place. Raises TooLarge beyond `limit` bytes."""
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        response.body, note = _unchunk(response.body)
        if note:
            response.notes.append(note)
    codings = [
        name.strip().lower()
        for key in ("transfer-encoding", "content-encoding")
        for name in reversed(response.headers.get(key, "").split(","))
        if name.strip().lower() not in ("", "chunked", "identity")
    ]
    if len(codings) > MAX_CODINGS:
        response.notes.append(f"{len(codings)} codings, of which {MAX_CODINGS} are undone")
    for name in codings[:MAX_CODINGS]:
        if not response.body:
            return
        decoder = _DECODERS.get(name)
        if decoder is None:
            response.notes.append(f"{name[:40]}: unknown")
            continue
        body, whole = decoder(response.body, limit)
        if body:
            response.body = body
        if not whole:
            response.notes.append(f"{name}: breaks off after {len(body)} bytes" if body else f"{name}: not so encoded")


def _unchunk(body: bytes) -> tuple[bytes, str]:
    """The body without chunk heads, and a note where it is not chunked or not to its end."""
    pieces, at = [], 0
    while match := _CHUNK_HEAD.match(body, at):
        size = int(match.group(1), 16)
        start = match.end()
        if not size:
            return b"".join(pieces), ""
        pieces.append(body[start : start + size])
        at = start + size
        if at > len(body):
            break
        at += 2 if body.startswith(b"\r\n", at) else 1 if body.startswith(b"\n", at) else 0
    if not pieces:
        return body, "chunked: not so encoded"
    rest = body[at:]  # no chunk head stands here: keep the bytes, they may be text
    return b"".join([*pieces, rest]), "" if not rest and at == len(body) else f"chunked: breaks off at byte {at}"


def _bounded(pieces: list[bytes], total: int, limit: int) -> int:
    total += len(pieces[-1])
    if total > limit:
        raise TooLarge(f"over {limit} bytes when decoded")
    return total


def _inflate(body: bytes, limit: int, wbits: int) -> tuple[bytes, bool]:
    """Inflated bytes (several gzip members in a row count as one) and whether the stream came to its proper end."""
    pieces: list[bytes] = []
    total = 0
    while True:
        inflater = zlib.decompressobj(wbits)
        try:
            while not inflater.eof:
                pieces.append(inflater.decompress(body, _STEP))
                total = _bounded(pieces, total, limit)
                body = inflater.unconsumed_tail
                if not body and not pieces[-1] and not inflater.eof:
                    return b"".join(pieces), False
        except zlib.error:
            return b"".join(pieces), False
        body = inflater.unused_data
        if wbits != 31 or not body.startswith(b"\x1f\x8b"):
            return b"".join(pieces), True


def _gzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    return _inflate(body, limit, 31)


def _deflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """zlib as the standard says, or the bare stream some servers send (no checksum, so whole or nothing)."""
    inflated, whole = _inflate(body, limit, 15)
    if inflated:
        return inflated, whole
    inflated, whole = _inflate(body, limit, -15)
    return (inflated, True) if whole else (b"", False)


def _brotli(body: bytes, limit: int) -> tuple[bytes, bool]:
    """No checksum: plain text can decode to a few bytes, so a part counts only when longer than its source."""
    decoder = brotli.Decompressor()
    pieces: list[bytes] = []
    total = 0
    try:
        pieces.append(decoder.process(body, output_buffer_limit=_STEP))
        while pieces[-1] and not decoder.is_finished():
            total = _bounded(pieces, total, limit)
            pieces.append(decoder.process(b"", output_buffer_limit=_STEP))
        total = _bounded(pieces, total, limit)
    except brotli.error:
        return b"", False
    whole = decoder.is_finished()
    return (b"".join(pieces), whole) if whole or total > len(body) else (b"", False)


def _zstd(body: bytes, limit: int) -> tuple[bytes, bool]:
    """Frame after frame, fed by 1 KiB: so much input holds at most 256 blocks of 128 KiB (RFC 8878), 32 MiB."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    frame = decompressor.decompressobj()
    pieces: list[bytes] = []
    total = at = 0
    try:
        while at < len(body):
            if frame.eof:
                frame = decompressor.decompressobj()
            fed = body[at : at + 1024]
            pieces.append(frame.decompress(fed))
            total = _bounded(pieces, total, limit)
            at += len(fed) - len(frame.unused_data)
    except zstandard.ZstdError:
        return b"".join(pieces), False
    return b"".join(pieces), frame.eof


_DECODERS: dict[str, Callable[[bytes, int], tuple[bytes, bool]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
