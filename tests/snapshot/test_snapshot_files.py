"""Lists, samples and downloads of the files of a crawl."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import InputError, StoreError
from curation.read.inputs import list_inputs
from curation.snapshot import download as download_module
from curation.snapshot.catalog import COLLINFO, COMMON_CRAWL, crawls, file_names, sample
from curation.snapshot.download import download, write_path_list
from tests.snapshot.conftest import CRAWL
from tests.stores.fault_server import FaultServer, Plan, folder


def test_the_list_of_crawls(web, published):
    assert [one.id for one in crawls(web.url)] == [CRAWL, "CC-MAIN-2023-50"]
    assert crawls(web.url) == crawls(str(published))


def test_the_list_of_common_crawl_lies_on_its_index_server(monkeypatch):
    asked = []
    monkeypatch.setattr("curation.snapshot.catalog.read_whole", lambda place: asked.append(place) or b"[]")
    assert crawls(COMMON_CRAWL + "/") == [] and asked == [COLLINFO]


@pytest.mark.parametrize("content", [b"<html>", b"{}", b'[{"name": 1}]', b"[1]"])
def test_what_is_no_list_of_crawls(tmp_path, content):
    (tmp_path / "collinfo.json").write_bytes(content)
    if content == b"{}":
        assert crawls(str(tmp_path)) == []
        return
    with pytest.raises(InputError, match="no list of crawls"):
        crawls(str(tmp_path))


def test_a_crawl_that_is_not_there_is_answered_with_the_closest(web, published):
    for root in (web.url, str(published)):
        with pytest.raises(InputError, match=f"no warc.paths.gz of a crawl CC-MAIN-2024-11: did you mean '{CRAWL}'"):
            file_names(root, "CC-MAIN-2024-11")


@given(st.lists(st.text(min_size=1), unique=True, max_size=30), st.integers(1, 30), st.integers(0, 2**32), st.randoms())
def test_a_sample_depends_on_names_and_seed_only_and_smaller_ones_lie_in_it(names, files, seed, rng):
    drawn = sample(names, files, seed)
    assert drawn == [name for name in names if name in set(drawn)]
    assert len(drawn) == min(files, len(names))
    assert set(sample(names, max(1, files - 1), seed)) <= set(drawn)
    shuffled = list(names)
    rng.shuffle(shuffled)
    assert set(sample(shuffled, files, seed)) == set(drawn)


def test_seeds_draw_different_samples():
    names = [str(n) for n in range(1000)]
    assert len({tuple(sample(names, 5, seed)) for seed in range(20)}) == 20
    counts = [0] * 10
    for seed in range(300):
        counts[int(sample(names[:10], 1, seed)[0])] += 1
    assert min(counts) > 10  # 30 expected; below 11 has a chance of about 1 in 100,000


def test_a_download_through_failures_is_the_file_and_runs(published, tmp_path):
    names = file_names(str(published), CRAWL)
    chosen = sample(names, 2, seed=1)
    seen = []
    with FaultServer(folder(published), Plan(share=0.4, seed=5)) as server:
        done = download(server.url, chosen, tmp_path, progress=lambda *counts: seen.append(counts))
    total = sum((published / name).stat().st_size for name in chosen)
    assert (done.names, done.fetched, done.problems) == (chosen, total, [])
    assert seen[-1] == (total, total) and seen == sorted(seen)
    assert all((tmp_path / name).read_bytes() == (published / name).read_bytes() for name in chosen)
    write_path_list(tmp_path, CRAWL, "warc", done.names, names)
    inputs = list_inputs(str(tmp_path), snapshots=[CRAWL])
    assert [file.name for file in inputs] == chosen
    assert not list(tmp_path.rglob("*.part*"))


def test_what_is_there_is_not_fetched_again_and_lists_add_up(web, published, tmp_path):
    names = file_names(web.url, CRAWL)
    for files in (2, 3):
        done = download(web.url, sample(names, files, seed=1), tmp_path)
        place = write_path_list(tmp_path, CRAWL, "warc", done.names, names)
    third = set(sample(names, 3, seed=1)) - set(sample(names, 2, seed=1))
    assert done.fetched == sum((published / name).stat().st_size for name in third)
    assert gzip.decompress(place.read_bytes()).decode().split() == sample(names, 3, seed=1)
    (tmp_path / names[0]).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / names[0]).write_bytes(b"half")  # of the wrong length: not whole
    assert download(web.url, names[:1], tmp_path).fetched == (published / names[0]).stat().st_size


def test_a_broken_download_goes_on_where_it_stopped(tmp_path, monkeypatch):
    content = b"\x1f\x8b" + random.Random(1).randbytes(2_000_000)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "x.gz").write_bytes(content)
    monkeypatch.setattr(download_module, "PIECE", 300_000)
    with FaultServer(folder(tmp_path / "there")) as server:

        def dies(done: int, total: int) -> None:
            if done >= 900_000:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            download(server.url, ["x.gz"], tmp_path / "here", parallel=1, progress=dies)
        assert not (tmp_path / "here" / "x.gz").exists()
        assert (tmp_path / "here" / ".x.gz.part").stat().st_size == 900_000
        done = download(server.url, ["x.gz"], tmp_path / "here")
        assert done.fetched == len(content) - 900_000
        assert (tmp_path / "here" / "x.gz").read_bytes() == content


def test_a_part_of_another_version_is_not_gone_on_with(tmp_path):
    content = b"\x1f\x8b" + b"new" * 1000
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "x.gz").write_bytes(content)
    (tmp_path / ".x.gz.part").write_bytes(b"\x1f\x8bold")
    (tmp_path / ".x.gz.part.json").write_text(json.dumps({"size": len(content), "tag": '"other"'}))
    with FaultServer(folder(tmp_path / "there")) as server:
        assert download(server.url, ["x.gz"], tmp_path).fetched == len(content)
    assert (tmp_path / "x.gz").read_bytes() == content


def test_a_file_that_cannot_be_had_does_not_stop_the_others(published, tmp_path):
    names = file_names(str(published), CRAWL)
    with FaultServer(folder(published), Plan(always={names[1]: 503, names[2]: 404})) as server:
        done = download(server.url, names[:4], tmp_path)
    assert done.names == [names[0], names[3]]
    assert [name in problem for name, problem in zip(names[1:3], done.problems, strict=True)] == [True, True]


def test_an_error_page_is_no_download(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "x.gz").write_bytes(b"<html>slow down</html>")
    with FaultServer(folder(tmp_path / "there")) as server:
        done = download(server.url, ["x.gz"], tmp_path)
    assert done.names == [] and "no gzip file" in done.problems[0]
    assert not (tmp_path / "x.gz").exists()


@pytest.mark.parametrize("name", ["../x.gz", "/etc/x.gz", "a/../../x.gz"])
def test_names_that_lead_out_of_the_folder_are_refused(web, tmp_path, name):
    with pytest.raises(InputError, match="leads out of the folder"):
        download(web.url, [name], tmp_path)


def test_a_local_root_is_refused(published, tmp_path):
    with pytest.raises(InputError, match="give it to `curate run"):
        download(str(published), ["x"], tmp_path)


def test_a_root_that_does_not_answer_is_no_missing_crawl(published):
    with FaultServer(folder(published), Plan(always={"": 503})) as server, pytest.raises(StoreError, match="503"):
        file_names(server.url, CRAWL)


def test_the_path_list_is_the_same_bytes_each_time(tmp_path):
    first = write_path_list(tmp_path, CRAWL, "warc", ["b", "a", "z"], ["a", "b"]).read_bytes()
    assert gzip.decompress(first) == b"a\nb\nz\n"
    assert write_path_list(tmp_path, CRAWL, "warc", ["a"], ["a", "b"]).read_bytes() == first
    assert Path(tmp_path, "crawl-data", CRAWL, "warc.paths.gz").is_file()
