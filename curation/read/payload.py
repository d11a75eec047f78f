"""What a body is, by its own bytes; its label decides only where the bytes say nothing.

Signatures: WHATWG MIME Sniffing Standard, https://mimesniff.spec.whatwg.org/ (HTML tags, images, audio, archives), and
the published magic numbers of the formats beyond it.
"""

from __future__ import annotations

import re

HTML = "html"

_HEAD_BYTES = 1 << 12
_TAG_WINDOW = 1 << 16

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "pdf"),
    (b"%!PS-Adobe-", "postscript"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"BM", "image"),
    (b"\x00\x00\x01\x00", "image"),
    (b"\x00\x00\x02\x00", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"8BPS", "image"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"),
    (b"{\\rtf", "rtf"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"OggS\x00", "audio"),
    (b"ID3", "audio"),
    (b"fLaC", "audio"),
    (b"MThd\x00\x00\x00\x06", "audio"),
    (b"\x1a\x45\xdf\xa3", "video"),
    (b"FLV\x01", "video"),
    (b"CWS", "flash"),
    (b"FWS", "flash"),
    (b"wOFF", "font"),
    (b"OTTO\x00", "font"),
    (b"\x00\x01\x00\x00\x00", "font"),
    (b"wOF2", "font"),
    (b"\x7fELF", "program"),
    (b"MZ\x90\x00", "program"),
    (b"\xca\xfe\xba\xbe", "program"),
    (b"WARC/1.", "warc"),
)
_PRINTABLE_SIGNATURES = frozenset(
    (b"BM", b"BZh", b"ID3", b"CWS", b"FWS")
)  # a text may begin so: binary bytes must follow
_OFFICE_PARTS = (b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis", b"word/", b"xl/", b"ppt/")
_RIFF = {b"WEBP": "image", b"WAVE": "audio", b"AVI ": "video"}

_TAG = (
    r"html|head|body|title|meta|link|script|style|div|p|a|table|h[1-6]|span|br|font|b|img|ul|ol|iframe|center|article|"
    r"base"
)
_HTML_START = re.compile(rf"<(?:!doctype\s+html|(?:{_TAG})[\s/>])", re.IGNORECASE)
_HTML_ANYWHERE = re.compile(
    rb"<(?:!doctype\s+html|(?:html|head|body|title|meta|div|p|a|table|h[1-6]|br|ul|script)[\s/>])", re.IGNORECASE
)
_SKIPPED = re.compile(r"\s+|<!--.{0,4096}?-->|<\?xml[^>]{0,512}\?>|<\?[^>]{0,512}>", re.DOTALL)
_DOCTYPE = re.compile(r"<!doctype\s+([a-z:]+)[^>\[]{0,1024}>", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*(?::[\w.-]+)?)[\s/>]")
_ROOTS = {"rss": "feed", "rdf:rdf": "feed", "feed": "feed", "atom:feed": "feed", "svg": "image", "svg:svg": "image"}
_JSON_START = re.compile(r"\{\s*[\"}]|\[\s*(?:[\[{\"\]]|-?\d|true|false|null)")
_LABELS = {
    "text/css": "css",
    "text/javascript": "javascript",
    "application/javascript": "javascript",
    "application/x-javascript": "javascript",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}
_HTML_LABELS = ("text/html", "application/xhtml+xml")


def sniff(body: bytes, label: str = "") -> str:
    """Short name of the kind of a body: "html" for what an extractor can read, "pdf", "image", "text/plain", ...

    `label`: media type without parameters, lower-case, "" where none was given.

    >>> sniff(b"<!doctype html><title>x", "text/plain"), sniff(b"%PDF-1.7", "text/html"), sniff(b"User-agent: *")
    ('html', 'pdf', 'text/plain')
    """
    head = body[:_HEAD_BYTES]
    found = _binary(head) or _markup(_as_text(head)) or _json(body, head)
    if found:
        return found
    if label in _LABELS:
        return _LABELS[label]
    if label in _HTML_LABELS or not label.startswith("text/"):
        if _HTML_ANYWHERE.search(body[:_TAG_WINDOW].replace(b"\0", b"")):
            return HTML
        if _looks_binary(head):
            return "binary"
    return "text/plain" if label in (*_HTML_LABELS, "", "application/octet-stream") else label


def _binary(head: bytes) -> str:
    for magic, kind in _SIGNATURES:
        if head.startswith(magic) and (magic not in _PRINTABLE_SIGNATURES or _looks_binary(head)):
            if kind == "zip" and any(part in head for part in _OFFICE_PARTS):
                return "office"
            return kind
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12], "binary")
    if head[4:8] == b"ftyp":
        return "image" if head[8:12] in (b"avif", b"heic", b"mif1") else "video"
    if head.lstrip()[:5] == b"%PDF-":
        return "pdf"
    return ""


def _as_text(head: bytes) -> str:
    """The head as letters, for looking at tags only: byte order marks and the zero bytes of UTF-16 and UTF-32 go."""
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
        head = head.removeprefix(mark)
    return head.replace(b"\0", b"").removeprefix(b"\xfe\xff").decode("latin-1")


def _markup(text: str) -> str:
    """HTML, feed, SVG or other XML by the first tag that counts; "" when the text does not begin with one."""
    at, is_xml = 0, False
    while skipped := _SKIPPED.match(text, at):
        is_xml = is_xml or skipped.group().startswith("<?xml")
        at = skipped.end()
    if _HTML_START.match(text, at):
        return HTML
    if doctype := _DOCTYPE.match(text, at):
        name = doctype.group(1).lower()
        return _ROOTS.get(name, "xml")
    root = _ROOT.match(text, at)
    if root and (kind := _ROOTS.get(root.group(1).lower())):
        return kind
    if root and root.group(1).lower().rpartition(":")[2] == "html":
        return HTML
    return "xml" if is_xml else ""


def _json(body: bytes, head: bytes) -> str:
    text = _as_text(head).lstrip()
    return "json" if _JSON_START.match(text) and body[-64:].rstrip()[-1:] in (b"}", b"]") else ""


def _looks_binary(head: bytes) -> bool:
    """Control bytes that no text has (the list of the MIME standard), zero bytes aside when they may be UTF-16."""
    controls = sum(head.count(byte) for byte in _CONTROLS)
    zeros = head.count(b"\0")
    return controls > 0 or (zeros > 0 and not 0.2 < zeros / len(head) < 0.8)


_CONTROLS = tuple(bytes([code]) for code in (*range(1, 9), 11, *range(14, 27), *range(28, 32)))
