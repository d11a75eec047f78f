"""Names that strangers choose never lead out of a folder: stages, sources, lines of path lists, links."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import InputError, RecipeError
from curation.read.inputs import list_inputs
from curation.recipe.load import load_recipe
from curation.recipe.run_files import read_paths
from curation.snapshot.download import download
from tests.abuse.bombs import gzip_of
from tests.abuse.measured import measured
from tests.read.made_warcs import html, response

pytestmark = pytest.mark.abuse

ASTRAY = [
    "../up",
    "a/../../up",
    "/etc/passwd",
    "..",
    ".hidden/..",
    "a\\..\\b",
    "a\nb",
    "a\0b",
    "",
    "a" * 65,
    "é/..",
    "-x",
]
RECORD = response(html("a page"), "http://a.example/")


@pytest.mark.parametrize("name", ASTRAY)
def test_a_stage_name_that_could_lead_out_is_refused(tmp_path, name):
    path = tmp_path / "recipe.yaml"
    quoted = "".join(f"\\x{ord(char):02x}" for char in name)
    path.write_text(f'name: x\nversion: 1\nsource: y\nstages:\n  - "{quoted}": {{corpus: minhash}}\n')
    with pytest.raises(RecipeError, match="stage 1: the name .* is part of fates and of folders"):
        load_recipe(path)


@pytest.mark.parametrize("name", ASTRAY)
def test_a_source_that_could_lead_out_is_refused(tmp_path, name):
    path = tmp_path / "paths.yaml"
    quoted = "".join(f"\\x{ord(char):02x}" for char in name)
    path.write_text(f'inputs: [{{where: {tmp_path}, source: "{quoted}"}}]\nout: {tmp_path / "run"}\n')
    with pytest.raises(RecipeError, match="source"):
        read_paths(str(path))
    if "\0" not in name:
        told = CliRunner().invoke(
            app, ["run", "text", "--input", str(tmp_path), "--source", name, "--out", f"{path}.run"]
        )
        assert told.exit_code == 2 or isinstance(told.exception, Exception)
        assert not Path(f"{path}.run").exists()


def a_crawl(root: Path, lines: list[str]) -> Path:
    folder = root / "crawl-data" / "CC-MAIN-2024-10"
    folder.mkdir(parents=True)
    (folder / "good.warc.gz").write_bytes(RECORD)
    (folder / "warc.paths.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return root


@pytest.mark.parametrize(
    "line",
    ["../secret.warc.gz", "crawl-data/../../secret.warc.gz", "/{root}/secret.warc.gz", "~/secret.warc.gz",
     "file:///etc/passwd", "http://127.0.0.1:9/x.warc.gz", "..\\secret.warc.gz", "crawl-data/x\0.warc.gz"],
)  # fmt: skip
def test_a_path_list_that_leads_out_of_the_crawl_is_refused(tmp_path, line):
    (tmp_path / "secret.warc.gz").write_bytes(RECORD)
    root = a_crawl(
        tmp_path / "crawl", ["crawl-data/CC-MAIN-2024-10/good.warc.gz", line.replace("{root}", str(tmp_path))]
    )
    with pytest.raises(InputError, match=r"warc\.paths\.gz names .* leads out of the crawl's folder"):
        list_inputs(str(root))


def test_a_download_whose_list_leads_out_writes_nothing(tmp_path):
    for name in ("../up.warc.gz", "/abs.warc.gz", "a/../../up.warc.gz"):
        with pytest.raises(InputError, match="leads out of the folder"):
            download("http://127.0.0.1:9", ["a.warc.gz", name], tmp_path / "out")
    assert not list(tmp_path.iterdir())


def read_list(path: str) -> str:
    try:
        list_inputs(path)
    except InputError as error:
        return str(error)
    return "read"


def test_a_path_list_of_gigabytes_is_refused(tmp_path):
    root = a_crawl(tmp_path, [])
    place = root / "crawl-data" / "CC-MAIN-2024-10" / "warc.paths.gz"
    place.write_bytes(gzip_of(b"crawl-data/CC-MAIN-2024-10/a.warc.gz\n", b"x", 4 << 30))
    cost = measured("test_paths", "read_list", str(root))
    assert "cannot be read as a list of paths (it holds more than 268435456 bytes)" in cost.result
    assert cost.megabytes < 700 and cost.cpu < 30


@pytest.mark.parametrize(
    "content", [b"", b"\x1f\x8b", gzip.compress(b"a.warc.gz\n")[:-3], gzip.compress(b"x") + b"rest"]
)
def test_a_path_list_that_is_cut_or_garbled_is_refused(tmp_path, content):
    root = a_crawl(tmp_path, [])
    (root / "crawl-data" / "CC-MAIN-2024-10" / "warc.paths.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"warc\.paths\.gz (cannot be read as a list of paths|names no file)"):
        list_inputs(str(root))


def test_links_in_circles_and_doubling_links_end(tmp_path):
    """Forty folders, each with two links to the next, hold a trillion paths to one file."""
    (tmp_path / "in").mkdir()
    for number in range(40):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        for name in ("left", "right"):
            os.symlink(tmp_path / f"d{number + 1}" if number < 39 else tmp_path / "in", folder / name)
    (tmp_path / "d39" / "page.warc.gz").write_bytes(RECORD)
    os.symlink(tmp_path / "d0", tmp_path / "in" / "start")
    os.symlink(tmp_path / "in", tmp_path / "in" / "circle")
    started = time.monotonic()
    (found,) = list_inputs(str(tmp_path / "in"))
    assert found.name.endswith("page.warc.gz")
    assert time.monotonic() - started < 20


def test_a_run_folder_at_an_address_is_refused_without_showing_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.warc.gz").write_bytes(RECORD)
    told = CliRunner().invoke(app, ["run", "text", "--input", "a.warc.gz", "--out", "s3://AKIA:geheim@bucket/run"])
    assert told.exit_code == 2 and "cannot hold a run folder" in told.stderr
    assert "geheim" not in told.output + told.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.warc.gz"]
