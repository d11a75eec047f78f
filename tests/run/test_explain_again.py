"""`curate explain`: a page of a run read again, with the secret that its input needs; a page from a file or a pipe."""

from __future__ import annotations

import base64
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.document import to_batch
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.recipe.load import load_recipe
from curation.run.folder import RunFolder, write_json
from curation.stores import access as access_module
from curation.stores.access import Access
from tests.read.made_warcs import html, response
from tests.stores.fault_server import FaultServer, folder

LOGIN = "Basic " + base64.b64encode(b"me:geheim").decode()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    forget_secrets(monkeypatch)


def forget_secrets(monkeypatch):
    monkeypatch.setattr(access_module, "_access", Access(first_wait=0.0, longest_wait=0.0))


def guarded(root: Path):
    """A web server's files for who logs in."""
    serve = folder(root)

    def reply(method, path, headers, body):
        return serve(method, path, headers, body) if headers.get("authorization") == LOGIN else (401, {}, b"")

    return reply


def run_over(where: str, root: Path) -> str:
    """A run folder as a run over `where` leaves it, as far as it is looked at here. Returns the address of its page."""
    inputs = list_inputs(where)
    pages = [page for split in plan_splits(inputs, 1 << 20) for page in read_pages(split, SplitReport(split))]
    (root / "curated").mkdir(parents=True)
    pq.write_table(pa.Table.from_batches([to_batch(pages)]), root / "curated" / "unit-00000.parquet")
    resolved = load_recipe("gopher").resolved
    write_json(RunFolder(root).plan, {"inputs": [asdict(file) for file in inputs], "resolved": resolved})
    return pages[0].url


def explain(*arguments: str, **given):
    done = CliRunner().invoke(app, ["explain", *arguments], **given)
    return done.exit_code, " ".join(done.output.split())


def test_a_page_of_an_input_with_a_password_is_read_again_with_it_and_only_with_it(tmp_path, monkeypatch):
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "a.warc.gz").write_bytes(response(html("Some words of a page."), "https://a.example/x"))
    run = tmp_path / "run"
    with FaultServer(guarded(tmp_path / "served")) as server:
        where = server.url.replace("//", "//me:geheim@") + "/a.warc.gz"
        url = run_over(where, run)
        assert "geheim" not in (run / "plan.json").read_text()

        forget_secrets(monkeypatch)  # as in a new process
        code, told = explain(str(run), "--url", url)
        assert code == 2 and "401" in told and "give its address again with --input or --paths" in told

        code, told = explain(str(run), "--url", url, "--input", where, "--set", "gopher_quality.word_count.min=1")
        assert code == 0 and "fate in this run: kept" in told and "1 .. 100000" in told and "geheim" not in told

        forget_secrets(monkeypatch)
        (tmp_path / "paths.yaml").write_text(f"inputs: [{{where: '{where}'}}]\nout: x\n")
        assert explain(str(run), "--url", url, "--paths", str(tmp_path / "paths.yaml"))[0] == 0


def test_a_piped_page_is_utf8_whatever_the_locale_and_anything_else_is_named():
    code, told = explain("gopher", "-", input="Gr\u00fc\u00dfe \u2014 \u65e5".encode())
    assert code == 0 and "gopher_quality" in told
    assert explain("gopher", "-", input=b"\xff\xfe") == (
        2,
        "error: standard input is not UTF-8 text (byte 0); convert it first",
    )


def test_a_file_beside_an_address_is_refused(tmp_path):
    code, told = explain(str(tmp_path), "page.txt", "--url", "https://a.example/")
    assert code == 2 and "leave page.txt out" in told
