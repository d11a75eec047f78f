"""Bytes of a page to text: which charset, who decided it, how many characters had to be replaced.

The order: byte order mark; valid UTF-8, whatever the labels say (seen: 121 of 2,935 real pages name another charset);
nearly valid UTF-8; the HTTP header; the meta tag; detection by statistics; windows-1252 as browsers do.
A label is passed over when the bytes contradict it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from resiliparse.parse.encoding import detect_encoding

from curation.read.labels import WEB_ERRORS, codec_of, encoding_of

_MARKS = (  # UTF-32 before UTF-16: the shorter mark begins the longer one
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32le"),
    (b"\x00\x00\xfe\xff", "utf-32be"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)
_WIDE = (  # "<" and an ASCII letter, "!" or "?" behind it, in encodings of 16 and 32 bits without a mark
    (re.compile(rb"\s?<\0[!-z]\0[^\0]\0"), "utf-16le"),
    (re.compile(rb"\0<\0[!-z]\0[^\0]"), "utf-16be"),
    (re.compile(rb"<\0\0\0[!-z]\0\0\0"), "utf-32le"),
    (re.compile(rb"\0\0\0<\0\0\0[!-z]"), "utf-32be"),
)
_ISO_2022_JP = (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I")

_META_BYTES = 1 << 14  # the standard prescans 1,024 bytes; real pages put scripts before the tag
_COMMENT = re.compile(rb"<!--.{0,16384}?-->", re.DOTALL)
_META = re.compile(rb"<meta\b[^>]{0,1024}?\bcharset\s{0,8}=\s{0,8}[\"']?\s{0,8}([\w.:-]{2,40})", re.IGNORECASE)
_XML_DECLARATION = re.compile(
    rb"\s{0,64}<\?xml\b[^>]{0,256}?\bencoding\s{0,8}=\s{0,8}[\"']([\w.:-]{2,40})", re.IGNORECASE
)

_CODEC_LABELS = {"cp949": "euc-kr", "cp932": "shift_jis", "johab": "euc-kr", "mac_cyrillic": "x-mac-cyrillic"}

_MOSTLY_UTF8 = 20  # so many valid sequences for each error make UTF-8 certain, against any label
_MOST_REPLACED = 0.02  # share of the non-ASCII bytes that may be wrong under a label before it is passed over
_DETECT_BYTES = 1 << 17


@dataclass(frozen=True, slots=True)
class Decoded:
    """`charset`: WHATWG name. `step`: bom, utf8, header, meta, detected, fallback. `replaced`: U+FFFD put in."""

    text: str
    charset: str
    step: str
    replaced: int = 0


def decode(body: bytes, http_charset: str | None = None) -> Decoded:
    """The text of a body. Never fails: bytes that no step can read become U+FFFD and are counted.

    >>> decode("caf\\u00e9".encode("utf-8"), "iso-8859-1")
    Decoded(text='caf\\xe9', charset='utf-8', step='utf8', replaced=0)
    >>> decode("caf\\u00e9".encode("latin-1"), "iso-8859-1")
    Decoded(text='caf\\xe9', charset='windows-1252', step='header', replaced=0)
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _read(body[len(mark) :], encoding, "bom")
    for pattern, encoding in _WIDE:
        if pattern.match(body):
            return _read(body, encoding, "detected")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return _not_utf8(body, http_charset)
    return _seven_bit_japanese(body, text, http_charset) or Decoded(text, "utf-8", "utf8")


def meta_charset(body: bytes) -> str | None:
    """The label a page gives itself: meta charset, meta http-equiv, or the XML declaration."""
    head = body[:_META_BYTES]
    match = _META.search(_COMMENT.sub(b"", head)) or _XML_DECLARATION.match(head)
    return match.group(1).decode("ascii", "replace") if match else None


def _not_utf8(body: bytes, http_charset: str | None) -> Decoded:
    labelled = [("header", encoding_of(http_charset)), ("meta", encoding_of(meta_charset(body)))]
    nearly = _read(body, "utf-8", "utf8")
    valid = len(nearly.text) - len(nearly.text.encode("ascii", "ignore")) - nearly.replaced
    says_utf8 = any(encoding == "utf-8" for _, encoding in labelled)
    if valid >= _MOSTLY_UTF8 * nearly.replaced or (says_utf8 and valid >= nearly.replaced):
        return nearly
    high = len(body.translate(None, bytes(range(128))))
    tried = [_read(body, encoding, step) for step, encoding in labelled if encoding and encoding[:3] != "utf"]
    guessed = _guess(body)
    if guessed:
        tried.append(_read(body, guessed, "detected"))
    for decoded in tried:
        if decoded.replaced <= _MOST_REPLACED * high:
            return decoded
    if says_utf8:
        return nearly
    return _read(body, "windows-1252", "fallback")


def _guess(body: bytes) -> str | None:
    """What the statistics of uchardet say; it names Python codecs."""
    codec = detect_encoding(body, max_len=_DETECT_BYTES, html5_compatible=False, from_html_meta=False) or ""
    name = _CODEC_LABELS.get(codec, codec.replace("_", "-"))
    encoding = encoding_of(name)
    return encoding if encoding and not encoding.startswith("utf") else None


def _read(body: bytes, encoding: str, step: str) -> Decoded:
    codec = codec_of(encoding)
    try:
        return Decoded(body.decode(codec), encoding, step)
    except UnicodeDecodeError:
        text = body.decode(codec, WEB_ERRORS)
    own = body.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0
    return Decoded(text, encoding, step, text.count("\ufffd") - own)


def _seven_bit_japanese(body: bytes, text: str, http_charset: str | None) -> Decoded | None:
    """ISO-2022-JP is ASCII with escape sequences, so it passes as UTF-8; only its escapes tell."""
    if not text.isascii() or not any(escape in body for escape in _ISO_2022_JP):
        return None
    for step, label in (("header", http_charset), ("meta", meta_charset(body)), ("detected", "iso-2022-jp")):
        if encoding_of(label) == "iso-2022-jp":
            decoded = _read(body, "iso-2022-jp", step)
            return decoded if decoded.replaced * 20 <= len(decoded.text) else None
    return None
