"""The charset of a page: true bytes before labels, labels before statistics, and never a failure."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resiliparse.parse.encoding import map_encoding_to_html5

from curation.read.charset import decode, meta_charset
from curation.read.labels import _ENCODING_OF, codec_of, encoding_of

RUSSIAN = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043a\u0430\u043a \u0434\u0435\u043b\u0430? "
JAPANESE = "\u3053\u308c\u306f\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3067\u3059\u3002"


def page(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>{text[:9]}</title></head><body>{text * 9}</body></html>"


@given(st.text(max_size=200), st.sampled_from([None, "iso-8859-1", "windows-1251", "gb2312", "shift_jis", "none"]))
@settings(max_examples=100)
def test_valid_utf8_is_utf8_whatever_the_header_says(text, label):
    text = text.replace("\x1b", "").lstrip("\ufeff")
    body = ("<html>" + text).encode()
    decoded = decode(body, label)
    assert (decoded.text, decoded.charset, decoded.step, decoded.replaced) == ("<html>" + text, "utf-8", "utf8", 0)


@given(st.binary(max_size=300), st.sampled_from([None, "utf-8", "euc-kr", "big5", "windows-1252", "x-nonsense"]))
@settings(max_examples=100)
def test_any_bytes_give_a_text_that_arrow_can_hold(body, label):
    decoded = decode(body, label)
    decoded.text.encode("utf-8")
    assert decoded.replaced >= 0


@pytest.mark.parametrize(
    ("bom", "codec", "charset"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32le"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32be"),
    ],
)
def test_a_byte_order_mark_decides_and_goes(bom, codec, charset):
    decoded = decode(bom + page(RUSSIAN).encode(codec), "koi8-r")
    assert (decoded.text, decoded.charset, decoded.step) == (page(RUSSIAN), charset, "bom")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_seen_without_a_mark(codec):
    decoded = decode(page(RUSSIAN).encode(codec))
    assert (decoded.text, decoded.charset) == (page(RUSSIAN), codec[:6] + codec[7:])


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("windows-1251", "cp1251", RUSSIAN),
        ("koi8-r", "koi8-r", RUSSIAN),
        ("gb2312", "gb18030", "\u8fd9\u662f\u4e2d\u6587\u7f51\u9875 \u9555"),  # the last one is in GBK only
        ("Shift_JIS", "cp932", JAPANESE + "\u2460\u9ad9"),  # NEC and IBM extensions
        ("euc-jp", "euc_jis_2004", JAPANESE + "\u2460"),
        ("euc-kr", "cp949", "\ud55c\uad6d\uc5b4 \ub620"),  # the last one is in code page 949 only
        ("big5", "big5hkscs", "\u4e2d\u6587\u7db2\u9801"),
        ("iso-8859-1", "cp1252", "\u201cquoted\u201d \u20ac5 caf\u00e9"),
        ("tis-620", "cp874", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22"),
    ],
)
@pytest.mark.parametrize("where", ["header", "meta", "http-equiv"])
def test_labels_are_read_as_browsers_read_them(label, codec, text, where):
    meta = {
        "header": "",
        "meta": f"<meta charset='{label}'>",
        "http-equiv": f'<META http-equiv="Content-Type" content="text/html; charset={label}">',
    }[where]
    decoded = decode(page(text, meta).encode(codec), label if where == "header" else None)
    assert (decoded.text, decoded.replaced) == (page(text, meta), 0)
    assert decoded.step == ("header" if where == "header" else "meta")


def test_the_header_comes_before_the_meta_tag():
    body = page(RUSSIAN, "<meta charset=koi8-r>").encode("cp1251")
    assert decode(body, "windows-1251").text.count(RUSSIAN) == 9


def test_a_label_that_the_bytes_contradict_is_passed_over():
    decoded = decode(page(RUSSIAN, "<meta charset=windows-1251>").encode("cp1251"), "euc-jp")
    assert (decoded.charset, decoded.step) == ("windows-1251", "meta")


def test_unlabelled_text_is_detected():
    assert decode(page(RUSSIAN * 5).encode("koi8-r")).charset == "koi8-r"
    assert decode(page(JAPANESE * 5).encode("euc-jp")).charset == "euc-jp"


@pytest.mark.parametrize("label", [None, "windows-1252", "utf-8"])
def test_nearly_valid_utf8_stays_utf8_and_its_errors_are_counted(label):
    body = page(RUSSIAN * 3).encode() + b"\xff broken \xe9"
    decoded = decode(body, label)
    assert (decoded.charset, decoded.replaced) == ("utf-8", 2)
    assert decoded.text.count(RUSSIAN) == 27


def test_replacement_characters_of_the_page_itself_are_not_counted():
    assert decode((RUSSIAN * 9 + "\ufffd\ufffd").encode() + b"\xff").replaced == 1


def test_a_western_page_that_claims_utf8_is_read_as_western():
    decoded = decode(page("caf\u00e9 cr\u00e8me br\u00fbl\u00e9e d\u00e9j\u00e0 vu ").encode("cp1252"), "utf-8")
    assert decoded.charset == "windows-1252" and "caf\u00e9" in decoded.text


@pytest.mark.parametrize("label", ["iso-2022-jp", None])
def test_seven_bit_japanese_is_not_taken_for_ascii(label):
    decoded = decode(page(JAPANESE).encode("iso-2022-jp"), label)
    assert (decoded.text, decoded.charset) == (page(JAPANESE), "iso-2022-jp")


def test_ascii_with_a_lone_escape_stays_as_it_is():
    assert decode(b"<p>\x1b$B in a terminal manual, \x1b[0m").charset == "utf-8"


def test_control_codes_of_windows_1252_are_kept_and_not_replaced():
    decoded = decode(b"<p>caf\xe9 \x81", "windows-1252")
    assert (decoded.text, decoded.replaced) == ("<p>caf\u00e9 \x81", 0)


@pytest.mark.parametrize(
    ("head", "label"),
    [
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<!-- <meta charset=koi8-r> --><meta charset='big5'>", "big5"),
        (b'<meta content="text/html;charset=EUC-KR" http-equiv=content-type>', "EUC-KR"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "iso-8859-2"),
        (b"<script>" + b"x" * 9000 + b'</script><meta charset="gbk">', "gbk"),
        (b"<metadata charset=x>", None),
        (b"<p>charset=utf-8</p>", None),
    ],
)
def test_the_label_of_the_page_is_found(head, label):
    assert meta_charset(head) == label


def test_every_label_has_a_codec_that_exists():
    for label, encoding in _ENCODING_OF.items():
        assert encoding_of(f" {label.upper()}\t") == encoding
        codecs.lookup(codec_of(encoding))


def test_labels_agree_with_those_of_resiliparse():
    same = {"gbk": "gbk", "shift_jis": "shift_jis", "euc-kr": "euc_kr", "euc-jp": "euc_jp", "windows-874": "iso8859-11"}
    for label, encoding in _ENCODING_OF.items():
        theirs = map_encoding_to_html5(label, False)
        if theirs is not None:
            ours = same.get(encoding, codec_of(encoding))
            assert codecs.lookup(theirs).name == codecs.lookup(ours).name or encoding == "big5", label
