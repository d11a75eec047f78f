"""Which documents a host, an address or a list of ids means: no more and no less than a takedown asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.document import DOCUMENT, to_batch
from curation.errors import InputError
from curation.page import Page
from curation.read.address import host_of
from curation.run.folder import RunFolder, parquet_files
from curation.run.forget import on_hosts_below
from curation.run.forgotten import without_trace
from curation.run.selection import documents_of, is_below, select

ADDRESSES = [
    "https://example.org/",
    "https://www.example.org/news?utm_source=mail",
    "http://Example.ORG/news/2024/a",
    "https://example.org/newsletter",
    "https://shop.example.org/news",
    "https://notexample.org/",
    "https://example.org.evil.example/",
    "https://example.org:8080/news",
    "https://me@example.org/me",
    "https://xn--bcher-kva.example/buch",
    "https://bücher.example/anderes",
    "https://example.org./rooted",
    "",
]


@pytest.fixture
def folder(tmp_path):
    """Kept and dropped pages of ADDRESSES, their number as id, and what is left of a forgotten page."""
    made = RunFolder(tmp_path)
    pages = [Page("text", url=url, host=host_of(url), doc_id=at) for at, url in enumerate(ADDRESSES)]
    for page in pages[1::2]:
        page.drop("url", "listed_host_count")
    kept = [page for page in pages if page.alive]
    dropped = [*(page for page in pages if not page.alive), without_trace(99, "web", "")]
    targets = [(made.curated / "unit-00000.parquet", kept), (made.dead(0) / "unit-00000.parquet", dropped)]
    for path, rows in targets:
        with parquet_files([(path, DOCUMENT)]) as (file,):
            file.add(to_batch(rows))
    return made


def found(folder, *arguments, **options):
    rows = documents_of(folder, select(*arguments, **options))
    return sorted(ADDRESSES[one] for one in rows["doc_id"].to_pylist())


@pytest.mark.parametrize("host", ["example.org", "www.example.org", "EXAMPLE.org."])
def test_host_takes_its_www_twin_in_every_spelling_and_nothing_below(folder, host):
    expected = [url for url in ADDRESSES if host_of(url).rstrip(".") in ("example.org", "www.example.org")]
    assert found(folder, [host]) == sorted(expected) and len(expected) == 7


def test_subdomains_come_when_asked_for_and_no_name_that_only_ends_alike(folder):
    more = set(found(folder, ["example.org"], subdomains=True)) - set(found(folder, ["example.org"]))
    assert more == {"https://shop.example.org/news"}


def test_what_lies_below_a_host_and_was_not_asked_for_is_counted(folder):
    assert on_hosts_below(folder, select(["example.org"])) == 1
    assert on_hosts_below(folder, select(["example.org"], subdomains=True)) == 0
    assert on_hosts_below(folder, select([], ["example.org"])) == 0


@pytest.mark.parametrize("host", ["bücher.example", "xn--bcher-kva.example"])
def test_unicode_and_punycode_are_one_host(folder, host):
    assert found(folder, [host]) == ["https://bücher.example/anderes", "https://xn--bcher-kva.example/buch"]


@pytest.mark.parametrize(
    "prefix", ["https://example.org/news", "example.org/news/", "http://www.EXAMPLE.org/news?ref=x"]
)
def test_address_takes_what_is_below_it_by_whole_segments(folder, prefix):
    assert found(folder, [], [prefix]) == [
        "http://Example.ORG/news/2024/a",
        "https://www.example.org/news?utm_source=mail",
    ]


def test_kinds_add_up_and_no_document_is_found_twice(folder):
    rows = documents_of(folder, select(["notexample.org"], ["https://example.org/newsletter"]))
    both = documents_of(folder, select(["notexample.org", "example.org"], ["https://example.org/newsletter"]))
    assert sorted(rows["doc_id"].to_pylist()) == [3, 5]
    assert len(both) == len(set(both["doc_id"].to_pylist())) == 8


def test_ids_come_from_lines_with_notes_behind_a_tab(folder, tmp_path):
    file = tmp_path / "ids"
    file.write_text("3\tkept\thttps://example.org/newsletter\n\n 4 \n-77\n99\n")
    assert found(folder, ids=file) == ["https://example.org/newsletter", "https://shop.example.org/news"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((["https://example.org/"],), "is no host"),
        ((["example.org:80"],), "is no host"),
        (([" "],), "is no host"),
        (([], ["/news"]), "names no host"),
        (([], [""]), "names no host"),
    ],
    ids=["address as host", "port", "blank", "path alone", "empty prefix"],
)
def test_what_cannot_be_one_is_refused(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        select(*arguments)


@pytest.mark.parametrize("line", ["12a", "1.5", "9223372036854775808", "https://example.org/"])
def test_bad_id_is_refused_with_its_line(tmp_path, line):
    (tmp_path / "ids").write_text(f"1\n{line}\n")
    with pytest.raises(InputError, match="line 2"):
        select(ids=tmp_path / "ids")
    with pytest.raises(InputError, match="cannot be read"):
        select(ids=tmp_path / "absent")


segments = st.lists(st.sampled_from(["a", "b", "ab", "~a"]), max_size=3)


@given(segments, segments, st.sampled_from(["", "/", "?x=1", "#top"]))
def test_prefix_holds_exactly_for_whole_segments(prefix, path, tail):
    url = "https://example.org/" + "/".join(path) + tail
    expected = path[: len(prefix)] == prefix
    assert is_below(url, select([], ["/".join(["http://www.example.org", *prefix])]).prefixes) == expected


def test_the_rooted_form_of_a_host_is_the_same_host():
    """A takedown by address passed it over."""
    assert is_below("https://www.example.org./news/1", select([], ["https://example.org/news"]).prefixes)
    assert is_below("https://example.org/news/1", select([], ["https://www.example.org./news"]).prefixes)
