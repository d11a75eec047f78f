"""What lets others in stands in no message, log, file of a run or page of Spark.

A whole run with a password and a signed address is in tests/stores/test_remote_runs.py; here are the ways around it.
"""

from __future__ import annotations

import json
import re
import urllib.request

import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import InputError, RecipeError
from curation.hidden import SECRET_NAMES, hide
from curation.recipe.run_files import cluster_with, read_paths
from curation.run.log import RunLog
from curation.stores.access import conceal, public
from tests.abuse.measured import measured

pytestmark = pytest.mark.abuse

KEY, SECRET = "AKIAGEHEIM", "ge/he+im#zwei?drei@vier:5"
ADDRESSES = [
    f"s3://{KEY}:{SECRET}@bucket/x.warc.gz",
    f"s3a://{KEY}:{SECRET}@bucket",
    f"https://{KEY}:{SECRET}@data.example/x.warc.gz",
    f"HTTP://{KEY}:geheim@data.example:99999/x",
    f"https://{KEY}:geheim@[data.example/x",
    f"https://{KEY}:geheim@/x",
    f"https://data.example:{KEY}/x.warc.gz",
    f"ftp://{KEY}:{SECRET}@data.example/x",
    f"hdfs://{KEY}:{SECRET}@data.example/x",
    f"https://{KEY}:geheim@127.0.0.1:9/x.warc.gz?X-Amz-Signature={KEY}&sig={KEY}",
    f"http://127.0.0.1:9/x.warc.gz?token={KEY}#geheim",
]
PIECES = re.compile(r"AKIAGEHEIM|geheim|he\+im|zwei|drei|vier:5", re.IGNORECASE)


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_input_address_is_never_shown_with_its_secrets(tmp_path, address, capfd, monkeypatch):
    assert not PIECES.search(public(address))
    run = tmp_path / "run"
    impatient = tmp_path / "cluster.yaml"
    impatient.write_text("remote: {tries: 1}\n")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    given = ["--input", address, "--out", str(run), "--cluster", str(impatient)]
    told = CliRunner().invoke(app, ["run", "text", *given])
    assert told.exit_code == 2 and "error:" in told.stderr
    said = [told.output, told.stderr, *capfd.readouterr()]
    said += [path.read_text(encoding="utf-8") for path in run.rglob("*") if path.is_file()] if run.exists() else []
    assert not PIECES.search("".join(said)), said


@pytest.mark.parametrize("address", ADDRESSES[:8])
def test_an_address_that_does_not_parse_gives_an_error_without_it(address):
    if address.startswith(("ftp", "hdfs")):
        return
    try:
        assert not PIECES.search(conceal(address))
    except InputError as error:
        assert not PIECES.search(str(error))


def test_mistakes_in_paths_and_cluster_files_do_not_quote_secrets(tmp_path):
    path = tmp_path / "file.yaml"
    for text in (
        f"inputs: 'https://{KEY}:geheim@data.example'\nout: x",
        f"inputs: [{{where: [s3://{KEY}:{SECRET}@bucket/x]}}]\nout: x",
        f"inputs: [{{where: 'https://data.example/?X-Amz-Signature={KEY}', files: -1, soruce: 5}}]\nout: [x]",
        f"[https://{KEY}:geheim@data.example]",
    ):
        path.write_text(text)
        with pytest.raises(RecipeError) as caught:
            read_paths(str(path))
        assert not PIECES.search(str(caught.value)), caught.value
    for key in ("spark.hadoop.fs.s3a.secret.key", "fs.azure.account.key.x", "my.password"):
        for value in ("[geheim]", "{a: geheim}", f"[https://{KEY}:geheim@x]"):
            path.write_text(f"spark: {{{key}: {value}}}\n")
            with pytest.raises(RecipeError) as caught:
                cluster_with(str(path))
            assert not PIECES.search(str(caught.value)), caught.value
    path.write_text("spark: {spark.my.password: 5432112345}\n")
    with pytest.raises(RecipeError, match=r"\(hidden\)"):
        cluster_with(str(path))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"cannot read https://me:{KEY}@h.example/a?x=1", "cannot read https://...@h.example/a?x=1"),
        (f"s3a:/me:{SECRET}@bucket/x", "s3a:/...@bucket/x"),
        (f"GET /a?X-Amz-Signature={KEY}&b=2", "GET /a?X-Amz-Signature=...&b=2"),
        (f"?sig={KEY}&access_token={KEY}", "?sig=...&access_token=..."),
        (f"AWSAccessKeyId={KEY}&Signature={KEY}", "AWSAccessKeyId=...&Signature=..."),
        ("https://h.example/?key_figures=3&design=4&page=2", "https://h.example/?key_figures=3&design=4&page=2"),
        ("mail me@h.example about http://h.example/", "mail me@h.example about http://h.example/"),
        ("", ""),
    ],
)
def test_hide(said, shown):
    assert hide(said) == shown


def test_the_error_that_ends_a_run_is_logged_without_secrets(tmp_path, monkeypatch):
    """Whatever raised it, such as Java code that quotes its settings."""
    from curation.recipe.load import load_recipe
    from curation.recipe.run_files import Source
    from curation.run.run import run_recipe

    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n')

    def broken():
        raise RuntimeError(f"no access to https://{KEY}:{SECRET}@h.example/?sig={KEY}")

    with pytest.raises(RuntimeError):
        run_recipe(broken, load_recipe("text"), [Source(where=str(tmp_path / "a.jsonl"))], tmp_path / "run")
    lines = RunLog(tmp_path / "run" / "run.log").lines()
    assert lines[-1]["event"] == "failed" and "no access to https://...@h.example" in lines[-1]["message"]
    assert not PIECES.search((tmp_path / "run" / "run.log").read_text())


HIDDEN = {
    "spark.hadoop.fs.s3a.access.key": "geheim-1", "spark.hadoop.fs.s3a.secret.key": "geheim-2",
    "spark.hadoop.fs.s3a.session.token": "geheim-3", "spark.hadoop.fs.azure.account.key.x": "geheim-4",
    "spark.executorEnv.AWS_SECRET_ACCESS_KEY": "geheim-5", "spark.executorEnv.AWS_ACCESS_KEY_ID": "geheim-6",
    "spark.ssl.keyPassword": "geheim-7", "spark.my.credential": "geheim-8", "spark.my.private-key": "geheim-9",
}  # fmt: skip


def spark_pages(settings: dict) -> dict:
    """Everything that Spark's pages and interface say of a small job, as text."""
    from curation.spark import local_session

    ui = {"spark.ui.enabled": "true", "spark.ui.port": "0", "spark.driver.memory": "1g"}
    session = local_session(1, {**settings, **ui})
    session.range(3).count()
    base = session.sparkContext.uiWebUrl.replace(re.search(r"//([^:]+)", session.sparkContext.uiWebUrl)[1], "127.0.0.1")
    app_id = session.sparkContext.applicationId
    pages = {}
    for page in ("environment/", "jobs/", "executors/", f"api/v1/applications/{app_id}/environment"):
        with urllib.request.urlopen(f"{base}/{page}", timeout=60) as reply:
            pages[page] = reply.read().decode()
    session.stop()
    return pages


@pytest.mark.spark
def test_the_pages_of_spark_show_no_secret_of_the_cluster_file():
    assert all(re.search(SECRET_NAMES, key) for key in HIDDEN)
    pages = measured("test_secrets", "spark_pages", HIDDEN).result
    for name, text in pages.items():
        assert len(text) > 500, name
        assert "geheim" not in text, (name, text[max(0, text.find("geheim") - 200) : text.find("geheim") + 20])
    told = json.loads(next(text for name, text in pages.items() if name.startswith("api")))
    properties = {**dict(told["hadoopProperties"]), **dict(told["sparkProperties"])}
    shown = [properties.get(key, properties.get(key.removeprefix("spark.hadoop."))) for key in HIDDEN]
    assert shown.count("*********(redacted)") == len(HIDDEN), shown
