"""`curate train-tokenizer` as its user meets it: files in, a proven tokenizer and a report out, or one sentence."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import InputError
from curation.tokens.texts import named_places, open_texts
from curation.tokens.tokenizer import FrozenTokenizer
from tests.tokens.conftest import make_texts
from tests.tokens.test_tiktoken_file import save_ranks


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Pages as JSON lines, one line broken and one without text, and articles as Parquet."""
    folder = tmp_path_factory.mktemp("texts")
    lines = [json.dumps({"text": text, "language": "en"}) for text in make_texts(150, seed=1)]
    (folder / "pages.jsonl").write_text("\n".join([*lines, "{broken", json.dumps({"text": ""})]) + "\n")
    pq.write_table(pa.table({"content": make_texts(60, seed=2)}), folder / "articles.parquet")
    return folder


def call(spark, monkeypatch, *arguments):
    monkeypatch.setattr("curation.commands.train_tokenizer.start_session", lambda cores: spark)
    return CliRunner().invoke(app, ["train-tokenizer", *map(str, arguments)])


@pytest.mark.spark
def test_tokenizer_is_trained_by_shares_and_reported(spark, monkeypatch, places, tmp_path):
    out, sources = tmp_path / "out", [f"web={places / 'pages.jsonl'}", f"wiki={places / 'articles.parquet'}"]
    weights = ["--share", "web=0.5", "--share", "wiki=0.5", "--vocab-size", "700", "--reserved", "4"]
    done = call(spark, monkeypatch, *sources, *weights, "--special", "<|end|>", "--out", out)
    assert done.exit_code == 0, done.output + done.stderr
    report = json.loads((out / "tokenizer_report.json").read_text())
    tokenizer = FrozenTokenizer.load(out / "tokenizer.json", eos_token="<|end|>")
    assert (tokenizer.sha256, tokenizer.vocab_size, tokenizer.eos_id) == (report["sha256"], 700, 695)
    assert report["sample"]["wiki"]["share"] == pytest.approx(0.5, abs=0.01)
    assert set(report["compression"]["this"]["language"]) == {"en", "und"}
    assert "left out: 1 read.bad_row" in done.output and "left out: 1 read.empty" in done.output
    assert "held out from training" in done.output
    assert not out.with_name("out.building").exists()


@pytest.mark.spark
def test_file_of_ranks_is_imported_and_compared(spark, monkeypatch, places, tmp_path, tokenizer_json):
    path, ranks = save_ranks(tmp_path / "mine.tiktoken", tokenizer_json)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/tokenizer.json").write_bytes(tokenizer_json)
    other = ["--compare", tmp_path / "other/tokenizer.json"]
    ranks_file = ["--file", path, "--pattern", "qwen35"]
    done = call(spark, monkeypatch, places / "pages.jsonl", *ranks_file, *other, "--out", tmp_path / "o")
    assert done.exit_code == 0, done.output + done.stderr
    report = json.loads((tmp_path / "o/tokenizer_report.json").read_text())
    assert report["vocab_size"] == len(ranks) + 1
    # The same merges under another roof: the same rates.
    assert report["compression"]["this"]["all"] == report["compression"]["other/tokenizer.json"]["all"]


@pytest.mark.spark
def test_curated_text_of_a_run_keeps_its_sources(spark, tmp_path):
    (tmp_path / "run/curated").mkdir(parents=True)
    table = pa.table({"doc_id": [1, 2], "source": ["web", "wiki"], "language": ["en", ""], "text": ["a b", "c d"]})
    pq.write_table(table, tmp_path / "run/curated/0.parquet")
    documents, left_out = open_texts(spark, [str(tmp_path / "run")])
    assert sorted((row["source"], row["text"]) for row in documents.collect()) == [("web", "a b"), ("wiki", "c d")]
    assert left_out == {}


@pytest.mark.spark
def test_places_without_text_are_refused(spark, tmp_path):
    (tmp_path / "empty.jsonl").write_text('{"text": ""}\n{"text": ""}\n')
    with pytest.raises(InputError, match="no text in .*2 read.empty"):
        open_texts(spark, [str(tmp_path / "empty.jsonl")])
    with pytest.raises(InputError, match="no such file"):
        open_texts(spark, [str(tmp_path / "absent")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vocab-size", "260", "--reserved", "9"], "cannot hold 256 bytes and 10 special"),
        (["--pattern", "llama3"], "split_digits"),
        (["--pattern", "lama3"], "did you mean 'llama3'"),
        (["--share", "wiki"], "write NAME=SHARE"),
        (["--share", "wiki=2"], "above 0 and at most 1"),
        (["--share", "wiki=0.2"], "shares must sum to 1"),
        (["--file", "cl100k_base.tiktoken"], "needs its pattern"),
        (["--file", "cl100k_base.tiktoken", "--pattern", "gpt2"], "no tokenizer at cl100k_base.tiktoken"),
        (["--file", "absent.json"], "no tokenizer at absent.json"),
        (["--compare", "absent.json"], "no tokenizer at absent.json"),
    ],
    ids=["no room", "digits", "pattern", "no share", "large share", "sum", "ranks", "no ranks", "no file", "compare"],
)
def test_wrong_options_end_with_a_sentence_before_spark_starts(monkeypatch, tmp_path, arguments, message):
    done = call(None, monkeypatch, "texts.jsonl", *arguments, "--out", tmp_path / "out")
    assert done.exit_code == 2 and message in done.stderr
    assert not (tmp_path / "out").exists()


def test_folder_that_holds_something_is_kept(monkeypatch, tmp_path):
    (tmp_path / "precious").write_text("x")
    done = call(None, monkeypatch, "texts.jsonl", "--out", tmp_path)
    assert done.exit_code == 2 and "holds something already" in done.stderr


def test_path_with_an_equals_sign_is_not_a_name():
    assert named_places(["data/a=b.parquet", "code=x=y"]) == [("web", "data/a=b.parquet"), ("code", "x=y")]
