"""What `--input` may be, and the sentence a user gets when it is something else."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.errors import InputError
from curation.read.inputs import check_names_differ, list_inputs
from curation.run.folder import root_of_run
from tests.read.made_warcs import html, other, response

WARC = other("warcinfo") + response(html("x"))
WET = other("warcinfo") + other("conversion", b"text")
JSONL = b'{"text": "a"}\n'


def crawl(root: Path, snapshot: str, count: int = 3) -> list[str]:
    """A crawl in Common Crawl's layout under `root`; the names in its list, which are not in alphabetical order."""
    names = [f"crawl-data/{snapshot}/segments/17.{i % 2}/warc/{snapshot}-{i:05d}.warc.gz" for i in range(count)]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(WARC)
    listing = "".join(name + "\n" for name in names).encode()
    (root / "crawl-data" / snapshot / "warc.paths.gz").write_bytes(gzip.compress(listing))
    return names


@pytest.fixture
def root(tmp_path) -> Path:
    for snapshot in ("CC-2024-18", "CC-2024-10"):
        crawl(tmp_path, snapshot)
    return tmp_path


def test_the_root_of_a_crawl_lists_all_snapshots_in_order(root):
    found = list_inputs(str(root), source="crawl")
    assert [file.snapshot for file in found] == ["CC-2024-10"] * 3 + ["CC-2024-18"] * 3
    assert [file.name for file in found] == sorted(file.name for file in found)
    assert {(file.kind, file.source, file.size) for file in found} == {("warc", "crawl", len(WARC))}
    assert all(Path(file.path).is_file() for file in found)


def test_snapshots_are_chosen_by_name_and_files_as_listed(root):
    found = list_inputs(str(root), snapshots=["CC-2024-18"], files=2)
    assert [file.name[-13:] for file in found] == ["00000.warc.gz", "00001.warc.gz"]
    assert {file.snapshot for file in found} == {"CC-2024-18"}


def test_both_layouts_give_the_same_names(tmp_path):
    names = crawl(tmp_path / "a", "CC-2024-10")
    shutil.copytree(tmp_path / "a", tmp_path / "b" / "CC-2024-10")
    for where in ("a", "b", "b/CC-2024-10", "a/crawl-data/CC-2024-10", "a/crawl-data/CC-2024-10/warc.paths.gz"):
        found = list_inputs(str(tmp_path / where))
        assert [file.name for file in found] == sorted(names), where
        assert {file.snapshot for file in found} == {"CC-2024-10"}


def test_an_unknown_snapshot_is_answered_with_the_known_ones(root):
    with pytest.raises(InputError, match=r"CC-2024-11.*did you mean 'CC-2024-1.'.*CC-2024-10, CC-2024-18"):
        list_inputs(str(root), snapshots=["CC-2024-11"])


def test_listed_files_that_are_missing_are_counted_with_what_to_do(root):
    next((root / "crawl-data/CC-2024-10").rglob("*00002.warc.gz")).unlink()
    with pytest.raises(InputError, match=r"1 of 3 files .*00002.*--files"):
        list_inputs(str(root))
    assert len(list_inputs(str(root), files=2)) == 4


def test_a_file_listed_twice_is_read_once(tmp_path, caplog):
    names = crawl(tmp_path, "CC-2024-10", 2)
    listing = "\n".join([*names, names[0]]).encode()
    (tmp_path / "crawl-data/CC-2024-10/warc.paths.gz").write_bytes(gzip.compress(listing))
    assert len(list_inputs(str(tmp_path))) == 2
    assert "more than once" in caplog.text


def test_a_list_far_from_its_files_says_where_they_were_looked_for(tmp_path, root):
    place = tmp_path / "elsewhere" / "my.paths.gz"
    place.parent.mkdir()
    shutil.copy(root / "crawl-data/CC-2024-10/warc.paths.gz", place)
    with pytest.raises(InputError, match=r"3 of 3 files .*elsewhere"):
        list_inputs(str(place))


def test_a_folder_is_searched_to_its_bottom_and_told_apart_by_content(tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / "_temporary").mkdir()
    contents = {
        "a.warc.gz": WARC,
        "b.warc": gzip.decompress(WARC),
        "deep/c.warc.wet.gz": WET,
        "deep/er/d.jsonl.gz": gzip.compress(JSONL),
        "e.arc": b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 3\n1 1\n",
        "wet_inside.warc.gz": WET,
        "notes.txt": b"ignored",
        "_temporary/f.jsonl": JSONL,
        ".hidden.jsonl": JSONL,
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "p.parquet")
    found = {file.name: file.kind for file in list_inputs(str(tmp_path))}
    assert found == {
        "a.warc.gz": "warc",
        "b.warc": "warc",
        "deep/c.warc.wet.gz": "wet",
        "deep/er/d.jsonl.gz": "jsonl",
        "e.arc": "warc",
        "p.parquet": "parquet",
        "wet_inside.warc.gz": "wet",
    }
    assert list(found) == sorted(found)


def test_one_file_and_a_glob_are_inputs(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.warc.gz").write_bytes(WARC)
    (tmp_path / "rows.json").write_bytes(JSONL)
    assert [f.name for f in list_inputs(str(tmp_path / "a.warc.gz"))] == ["a.warc.gz"]
    assert [f.name for f in list_inputs(str(tmp_path / "*.warc.gz"))] == ["a.warc.gz", "b.warc.gz"]
    assert [f.kind for f in list_inputs(str(tmp_path / "rows.json"))] == ["jsonl"]


@pytest.mark.parametrize(
    "content", [b"<Error>SlowDown</Error>", b"", b"{}", b"\0\1\2"], ids=["xml", "empty", "json", "binary"]
)
def test_a_warc_that_is_none_stays_in_the_list_for_the_report(tmp_path, content):
    (tmp_path / "a.warc.gz").write_bytes(content)
    for where in (tmp_path, tmp_path / "a.warc.gz"):
        (file,) = list_inputs(str(where))
        assert (file.kind, file.size) == ("warc", len(content))


def test_a_wat_file_is_refused_with_the_reason(tmp_path):
    path = tmp_path / "a.warc.wat.gz"
    text = gzip.decompress(other("metadata", b"{}", "urn:x")).replace(b"text/plain", b"application/json")
    path.write_bytes(other("warcinfo") + gzip.compress(text))
    with pytest.raises(InputError, match="WAT file"):
        list_inputs(str(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [("a.txt", b"some text", "neither WARC"), ("a.warc.zst", None, "zstd"), ("a.pdf", b"%PDF-1.4", "neither WARC")],
)
def test_a_named_file_of_another_kind_is_refused(tmp_path, name, content, message):
    import zstandard

    content = content or zstandard.ZstdCompressor().compress(gzip.decompress(WARC))
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list_inputs(str(tmp_path / name))


@pytest.mark.parametrize("where", ["nowhere", "*.warc.gz", "."], ids=["missing", "glob", "empty folder"])
def test_nothing_to_read_is_an_error_with_the_next_action(tmp_path, where):
    with pytest.raises(InputError, match=r"give a crawl's root|inputs end in"):
        list_inputs(str(tmp_path / where))


def test_a_snapshot_of_something_that_is_no_crawl_is_an_error(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(WARC)
    with pytest.raises(InputError, match="no snapshot CC-1"):
        list_inputs(str(tmp_path), snapshots=["CC-1"])


def test_a_link_to_a_file_in_the_same_folder_is_read_once(tmp_path, caplog):
    (tmp_path / "a.warc.gz").write_bytes(WARC)
    (tmp_path / "b.warc.gz").symlink_to(tmp_path / "a.warc.gz")
    assert [file.name for file in list_inputs(str(tmp_path))] == ["a.warc.gz"]
    assert "same file" in caplog.text


@pytest.mark.real
def test_the_real_snapshots_are_a_crawl(real_data):
    found = list_inputs(str(real_data / "snapshots"))
    assert len(found) == 8 and {file.snapshot for file in found} == {"REAL-2024-10", "REAL-2024-18"}
    assert len(list_inputs(str(real_data / "snapshots"), files=1)) == 2


def test_a_file_name_that_is_no_utf8_is_refused_by_name(tmp_path):
    (tmp_path / os.fsdecode(b"rows-\xff.jsonl")).write_bytes(JSONL)
    with pytest.raises(InputError, match="no UTF-8.*rename"):
        list_inputs(str(tmp_path))


def test_the_folder_of_a_run_is_no_input_and_a_folder_that_holds_one_is_read_without_it(tmp_path, caplog):
    run = tmp_path / "runs" / "first"
    (run / "curated").mkdir(parents=True)
    pq.write_table(pa.table({"text": ["a"]}), run / "curated" / "unit-00000.parquet")
    (run / "plan.json").write_text('{\n "recipe": "text",\n "version": 1,\n "recipe_hash": "0"}')
    (tmp_path / "a.jsonl").write_bytes(JSONL)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "plan.json").write_text('{"weeks": 3}')
    (tmp_path / "other" / "b.jsonl").write_bytes(JSONL)
    assert [file.name for file in list_inputs(str(tmp_path))] == ["a.jsonl", "other/b.jsonl"]
    assert "runs/first is left out: it is the folder of a run" in caplog.text
    assert [file.name for file in list_inputs(str(run / "curated"))] == ["unit-00000.parquet"]
    with pytest.raises(InputError, match=r"runs/first is the folder of a run; give .*runs/first/curated to read its"):
        list_inputs(str(run))


def test_files_left_out_of_a_folder_are_counted_by_ending(tmp_path, caplog):
    for name in ("a.jsonl", "b.jsonl.bz2", "c.jsonl.bz2", "d.txt", "README", "_SUCCESS", ".a.jsonl.crc"):
        (tmp_path / name).write_bytes(JSONL)
    assert [file.name for file in list_inputs(str(tmp_path))] == ["a.jsonl"]
    (told,) = [record.getMessage() for record in caplog.records]
    assert "4 files are left out by their endings: .jsonl.bz2 (2)" in told
    assert ".txt (1)" in told and "README (1)" in told and "_SUCCESS" not in told and "crc" not in told


def test_two_files_of_one_name_or_one_file_twice_are_refused(tmp_path):
    for folder in ("wiki", "books"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part-0.jsonl").write_bytes(JSONL)

    def files(folder, source="web"):
        return list_inputs(str(tmp_path / folder / "part-0.jsonl"), source=source)

    check_names_differ([*files("wiki", "wiki"), *files("books", "books")])
    check_names_differ(list_inputs(str(tmp_path)))
    with pytest.raises(InputError, match=r"wiki/part-0.jsonl and .*books/part-0.jsonl are both called part-0.jsonl"):
        check_names_differ([*files("wiki"), *files("books")])
    with pytest.raises(InputError, match=r"wiki/part-0.jsonl is given twice; leave one out"):
        check_names_differ([*files("wiki"), *files("wiki")])


def test_what_cannot_be_opened_or_searched_is_named_and_not_passed_over(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    for name in ("a.jsonl", "deep/b.jsonl"):
        (tmp_path / name).write_bytes(JSONL)
    forbid(monkeypatch, tmp_path / "deep" / "b.jsonl")
    with pytest.raises(InputError, match="deep/b.jsonl cannot be read: Permission denied"):
        list_inputs(str(tmp_path))
    forbid(monkeypatch, tmp_path / "deep")
    with pytest.raises(InputError, match="deep cannot be searched for input: Permission denied"):
        list_inputs(str(tmp_path))


def forbid(monkeypatch, place: Path) -> None:
    """What the system says to a user without rights; root, who runs tests in containers, has all of them."""
    scandir, opened = os.scandir, open

    def refuse(path, act, *args):
        if Path(path) == place:
            raise PermissionError(13, "Permission denied", str(path))
        return act(path, *args)

    monkeypatch.setattr(os, "scandir", lambda path: refuse(path, scandir))
    monkeypatch.setattr("builtins.open", lambda path, *args, **kw: refuse(path, lambda *a: opened(*a, **kw), *args))


def test_a_name_that_is_no_utf8_is_refused_before_anything_is_written(tmp_path):
    name = os.fsdecode(b"gr\xfc\xdfe.jsonl")  # Latin-1, as an old archive leaves it
    (tmp_path / name).write_bytes(JSONL)
    for where in (tmp_path, tmp_path / name):
        with pytest.raises(InputError, match=r"gr\\udcfc\\udcdfe.jsonl' is no UTF-8: rename it, or"):
            list_inputs(str(where))
    with pytest.raises(InputError, match="is no UTF-8"):
        root_of_run(tmp_path / os.fsdecode(b"\xfc"))
    assert root_of_run(tmp_path / "gr\u00fc\u00dfe") == tmp_path / "gr\u00fc\u00dfe"


def test_an_empty_input_is_not_the_folder_one_is_in(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_bytes(JSONL)
    monkeypatch.chdir(tmp_path)
    for empty in ("", " "):
        with pytest.raises(InputError, match="an input is an empty text, such as of a variable that is not set"):
            list_inputs(empty)
    assert [file.name for file in list_inputs(".")] == ["a.jsonl"]


def test_a_text_column_is_kept_with_files_of_rows_and_refused_where_there_are_none(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(JSONL)
    (tmp_path / "b.warc").write_bytes(WARC)
    found = list_inputs(str(tmp_path), text="body")
    assert {file.name: file.text for file in found} == {"a.jsonl": "body", "b.warc": ""}
    with pytest.raises(InputError, match="text column 'body': .*b.warc holds no rows"):
        list_inputs(str(tmp_path / "b.warc"), text="body")
