"""What a body is, by its bytes first."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.read.payload import sniff

HTML_BODIES = {
    "doctype": b"<!DOCTYPE html><p>x",
    "doctype after comment and space": b"\r\n  <!-- hello -->\n<!doctype HTML PUBLIC '-//W3C//DTD'>",
    "tag": b"<html lang=en>",
    "fragment": b"<div class=a>text</div>",
    "xhtml": b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">\n<html>',
    "xhtml without doctype": b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">',
    "utf-8 mark": b"\xef\xbb\xbf<html>",
    "utf-16": "<html><p>x".encode("utf-16"),
    "utf-16 without mark": "<html><p>x".encode("utf-16-be"),
    "utf-32": "<html><p>x".encode("utf-32"),
    "conditional comment": b"<!--[if lt IE 9]><html class=ie><![endif]--><html>",
}


@pytest.mark.parametrize("label", ["text/html", "text/plain", "", "application/octet-stream", "image/png"])
@pytest.mark.parametrize("body", HTML_BODIES.values(), ids=HTML_BODIES)
def test_html_is_html_whatever_the_label(body, label):
    assert sniff(body, label) == "html"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.5\n", "pdf"),
        (b"\n%PDF-1.5\n", "pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image"),
        (b"\0\0\0\x20ftypavif", "image"),
        (b"\0\0\0\x20ftypmp42", "video"),
        (b'<svg xmlns="http://www.w3.org/2000/svg">', "image"),
        (b"<rss version='2.0'>", "feed"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<feed xmlns='http://www.w3.org/2005/Atom'>", "feed"),
        (b"<?xml version='1.0'?><rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "feed"),
        (b"<?xml version='1.0'?><urlset>", "xml"),
        (b"<!DOCTYPE rss PUBLIC 'x'><rss>", "feed"),
        (b'{"key": 1}', "json"),
        (b' [ {"key": 1} ] \n', "json"),
        (b"[1, 2, 3]", "json"),
        (b"PK\x03\x04\x14\0\0\0", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "office"),
        (b"{\\rtf1\\ansi", "rtf"),
        (b"\x1f\x8b\x08\0\0", "gzip"),
        (b"\x00\x01\x00\x00\x00\x12\x01\x00", "font"),
        (b"\x01\x02\x03\x04 unknown", "binary"),
    ],
)
def test_bytes_decide_under_an_html_label(body, kind):
    assert sniff(body, "text/html") == kind


def test_an_office_document_is_told_from_a_zip():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    assert sniff(out.getvalue(), "text/html") == "office"


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("text/css", "css"),
        ("application/javascript", "javascript"),
        ("text/csv", "text/csv"),
        ("text/html", "text/plain"),
        ("", "text/plain"),
    ],
)
def test_the_label_decides_where_the_bytes_are_silent(label, kind):
    assert sniff(b"a { b: c }", label) == kind


def test_text_that_turns_into_html_later_is_html_under_an_html_label_only():
    body = b"Welcome to my page! <p>It has <b>tags</b>.</p>"
    assert sniff(body, "text/html") == "html"
    assert sniff(body, "text/plain") == "text/plain"


@pytest.mark.parametrize(
    "text", [b"BMW is a car maker", b"ID3 tags explained", b"BZhang wrote this", b"CWS stands for"]
)
def test_a_text_that_begins_like_a_binary_format_is_text(text):
    assert sniff(text, "text/html") == "text/plain"


def test_css_braces_and_template_marks_are_not_json():
    assert sniff(b"{{ title }} <p>x</p>", "text/html") == "html"
    assert sniff(b"[caption] hello [/caption]", "text/html") == "text/plain"


@given(st.binary(max_size=300), st.sampled_from(["", "text/html", "image/gif"]))
@settings(max_examples=100)
def test_any_bytes_have_a_kind(body, label):
    assert sniff(body, label)


def test_a_megabyte_of_comment_starts_is_looked_at_in_no_time():
    assert sniff(b"<!--" * 300_000, "text/html") == "text/plain"
