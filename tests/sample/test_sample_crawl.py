"""The crawl as files: layout, counts, determinism, readable by warcio but for the damage that was planted."""

from __future__ import annotations

import gzip
import hashlib
import ipaddress
import zlib
from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from curation.errors import InputError
from curation.sample.roles import counts
from curation.sample.snapshots import write_snapshots
from curation.sample.truth import read_truth
from curation.sample.world import SNAPSHOTS


def _digests(root: Path) -> dict[str, str]:
    files = sorted(file for file in root.rglob("*") if file.is_file())
    return {str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _listed(root: Path, snapshot: str) -> list[str]:
    return gzip.decompress((root / "crawl-data" / snapshot / "warc.paths.gz").read_bytes()).decode().split()


def _member(file: Path, offset: int) -> bytes:
    """The gzip member at an offset, inflated and checked."""
    inflater = zlib.decompressobj(wbits=31)
    record = inflater.decompress(file.read_bytes()[offset:])
    assert inflater.eof, f"member at {offset} has no end"
    return record


def test_same_seed_same_bytes_and_another_seed_other_bytes(tmp_path):
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        write_snapshots(tmp_path / name, seed=seed, pages=100)
    one, two, other = (_digests(tmp_path / name) for name in ("one", "two", "other"))
    assert one == two
    assert one.keys() == other.keys()
    warcs = [name for name in one if name.endswith(".warc.gz")]
    assert len(warcs) == 4
    assert all(one[name] != other[name] for name in [*warcs, "truth.jsonl"])


def test_pages_and_roles_are_as_many_as_asked_for(crawl):
    good, others = counts(400)
    assert len(crawl.pages) == 400
    assert Counter(page.language for page in crawl.of("good")) == good
    assert Counter(page.role for page in crawl.pages if page.role != "good") == others


@pytest.mark.parametrize("pages", [100, 150, 1000])
def test_every_role_is_there_at_any_size(pages):
    good, others = counts(pages)
    assert sum(good.values()) + sum(others.values()) == pages
    assert min(*good.values(), *others.values()) >= 1


def test_too_few_pages_are_refused_with_the_fewest_possible():
    with pytest.raises(InputError, match="100"):
        counts(99)


def test_layout_is_that_of_common_crawl(crawl):
    for snapshot in SNAPSHOTS:
        names = _listed(crawl.root, snapshot)
        assert len(names) == 2
        assert {page.warc_file for page in crawl.pages if page.snapshot == snapshot} == set(names)
        assert all(name.startswith(f"crawl-data/{snapshot}/segments/") and "/warc/" in name for name in names)


def test_warcio_reads_every_record_of_a_sound_file(crawl):
    harmed = {page.warc_file for role in ("damaged_record", "truncated_record") for page in crawl.of(role)}
    sound = {page.warc_file for page in crawl.pages} - harmed
    assert len(sound) == 2
    for name in sound:
        pages = sum(page.warc_file == name for page in crawl.pages)
        with (crawl.root / name).open("rb") as stream:
            records = []
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                records.append((record.rec_type, record.rec_headers.get_header("WARC-Target-URI")))
        kinds = Counter(kind for kind, _ in records)
        assert kinds == {"warcinfo": 1, "request": pages, "response": pages, "metadata": pages}


def test_truth_points_at_the_response_of_each_page(crawl):
    for page in crawl.pages:
        if page.role in ("damaged_record", "truncated_record"):
            continue
        record = _member(crawl.root / page.warc_file, page.warc_offset)
        head = record.split(b"\r\n\r\n", 1)[0].decode()
        assert f"WARC-Record-ID: {page.record_id}" in head
        assert f"WARC-Target-URI: {page.url}" in head
        assert "WARC-Type: response" in head


def test_damage_lies_in_the_middle_of_a_file_and_the_cut_at_the_end_of_another(crawl):
    (flipped,), (cut,) = crawl.of("damaged_record"), crawl.of("truncated_record")
    with pytest.raises(zlib.error):
        _member(crawl.root / flipped.warc_file, flipped.warc_offset)
    with pytest.raises(AssertionError, match="has no end"):
        _member(crawl.root / cut.warc_file, cut.warc_offset)
    offsets = [page.warc_offset for page in crawl.pages if page.warc_file == flipped.warc_file]
    assert min(offsets) < flipped.warc_offset < max(offsets)
    assert cut.warc_offset == max(page.warc_offset for page in crawl.pages if page.warc_file == cut.warc_file)


def test_bodies_are_what_their_roles_say(crawl):
    def body(page):
        return _member(crawl.root / page.warc_file, page.warc_offset).split(b"\r\n\r\n", 2)[1:]

    for page in crawl.of("charset_labelled"):
        head, content = body(page)
        assert b"charset=windows-1252" in head
        assert page.paragraphs[0] in content.decode("windows-1252").replace("&#x27;", "'")
        with pytest.raises(UnicodeDecodeError):
            content.decode("utf-8")
    for page in crawl.of("charset_mislabelled"):
        head, content = body(page)
        assert b"charset=ISO-8859-1" in head
        assert not content.decode("utf-8").isascii()
    for page in crawl.of("gzip_body"):
        head, content = body(page)
        assert b"Content-Encoding: gzip" in head
        assert b"<h1>" in gzip.decompress(content.removesuffix(b"\r\n\r\n"))
    for page in crawl.of("pdf"):
        assert body(page)[1].startswith(b"%PDF")


def test_planted_personal_data_is_public_and_stands_in_the_text(crawl):
    pages = crawl.of("pii")
    assert sum(len(page.planted["email"]) for page in pages) == 21
    for page in pages:
        assert all(item in " ".join(page.paragraphs) for items in page.planted.values() for item in items)
        assert all(ipaddress.ip_address(item).is_global for item in page.planted["ip"])


def test_ids_and_addresses_are_unique_within_a_snapshot(crawl):
    assert len({page.record_id for page in crawl.pages}) == len(crawl.pages)
    assert len({(page.snapshot, page.url) for page in crawl.pages}) == len(crawl.pages)


def test_truth_file_reads_back_as_it_was_written(crawl):
    assert read_truth(crawl.root / "truth.jsonl").pages == crawl.pages


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "curate demo"), ("{}\n", "line 1"), ("not json\n", "line 1")],
    ids=["absent", "without keys", "not JSON"],
)
def test_a_truth_file_that_is_none_is_refused_by_name(tmp_path, content, message):
    file = tmp_path / "truth.jsonl"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=message):
        read_truth(file)
