"""Labelled texts: every kind of source, samples that do not depend on order, hosts on one side only."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.document import to_batch
from curation.errors import InputError
from curation.page import Page
from curation.quality.examples import Example, read_classes
from curation.quality.rating_sample import read_ratings, write_sample


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def run(tmp_path):
    """A finished run of 90 pages: 60 English, 25 German, 5 without language; scores rise with the number."""
    pages = []
    for n in range(90):
        language = "en" if n < 60 else "de" if n < 85 else ""
        page = Page(f"text {n}", doc_id=n * 7919 - 50, url=f"http://h{n % 9}.org/{n}", language=language, snapshot="S1")
        page.scores = {"quality": n / 90}
        pages.append(page)
    folder = tmp_path / "run"
    (folder / "curated").mkdir(parents=True)
    (folder / "plan.json").write_text("{}")
    for part in (0, 1):
        pq.write_table(pa.Table.from_batches([to_batch(pages[part::2])]), folder / "curated" / f"unit-{part}.parquet")
    return folder


def test_classes_come_from_jsonl_parquet_text_and_runs(tmp_path, run):
    pq.write_table(pa.table({"content": ["good c"], "url": ["http://c.org/"]}), tmp_path / "c.parquet")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "d.txt").write_text("good d\nin two lines")
    positive = [jsonl(tmp_path / "a.jsonl", [{"text": "good a", "url": "http://a.org/x"}, {"body": "none"}])]
    positive += [str(tmp_path / "c.parquet"), str(tmp_path / "plain")]
    labelled = read_classes(positive, [str(run)], 1000)
    good = {(e.text, e.host) for e in labelled.examples if e.target}
    assert good == {("good a", "a.org"), ("good c", "c.org"), ("good d\nin two lines", "")}
    assert sum(not e.target for e in labelled.examples) == 90
    assert labelled.left_out == {"rows that could not be read (read.bad_row)": 1}


def test_sample_of_a_class_depends_on_the_texts_only(tmp_path):
    rows = [{"text": f"text {n}"} for n in range(50)]
    a, b = jsonl(tmp_path / "a.jsonl", rows + rows[:5]), jsonl(tmp_path / "b.jsonl", rows[::-1])
    other = jsonl(tmp_path / "o.jsonl", [{"text": "other"}, {"text": "text 7"}])
    first, second = read_classes([a], [other], 10), read_classes([b], [other], 10)
    assert first.examples == second.examples
    assert sum(e.target for e in first.examples) == 10
    everything = read_classes([a], [other], 1000)
    assert everything.left_out == {
        "texts that stood there before": 5,
        "texts of both classes, taken as positive": 1,
    }


def test_texts_of_a_host_stay_on_one_side_and_shares_are_met():
    examples = [Example(f"text {n}", f"h{n % 400}.org", 1) for n in range(2000)]
    sides: dict[str, set[bool]] = {}
    for example in examples:
        sides.setdefault(example.host, set()).add(example.held_out(0.25))
    assert all(len(side) == 1 for side in sides.values())
    assert 0.18 < sum(True in side for side in sides.values()) / 400 < 0.32
    alone = [Example(f"text {n}", "", 1).held_out(0.25) for n in range(1000)]
    assert 0.2 < sum(alone) / 1000 < 0.3


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("", "no negative text in"), ("<html><body>x</body></html>", "neither WARC")],
    ids=["empty", "html"],
)
def test_place_without_texts_is_refused(tmp_path, content, sentence):
    good = jsonl(tmp_path / "a.jsonl", [{"text": "good"}])
    (tmp_path / "b.jsonl" if not content else tmp_path / "b.html").write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_classes([good], [str(next(tmp_path.glob("b.*")))], 10)


def test_sample_for_rating_is_stratified_and_weighted(run, tmp_path):
    strata = write_sample(run, tmp_path / "out.jsonl", 30, "language", "educational", 6)
    assert strata == {"language de": 10, "language en": 10, "language unknown": 5}
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert sum(line["weight"] for line in lines) == pytest.approx(90)
    assert all("Rating: N" in line["instruction"] and len(line["text"]) <= 6 for line in lines)
    by_score = write_sample(run, tmp_path / "s.jsonl", 40, "scores.quality", "educational", 100)
    assert len(by_score) == 10
    assert set(by_score.values()) == {4}


def test_command_writes_the_sample_and_says_what_is_in_it(run, tmp_path):
    result = CliRunner().invoke(app, ["rate-sample", str(run), "--out", str(tmp_path / "out.jsonl"), "--pages", "9"])
    assert result.exit_code == 0, result.output
    assert "language unknown" in result.output
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 9
    missing = CliRunner().invoke(app, ["rate-sample", str(tmp_path), "--out", str(tmp_path / "o.jsonl")])
    assert missing.exit_code == 2
    assert "give the folder of a finished run" in missing.output


def test_sample_for_rating_does_not_depend_on_the_files(run, tmp_path):
    write_sample(run, tmp_path / "a.jsonl", 30, "language", "educational", 100)
    one = pa.concat_tables([pq.read_table(path) for path in sorted((run / "curated").iterdir(), reverse=True)])
    for path in (run / "curated").iterdir():
        path.unlink()
    pq.write_table(one, run / "curated" / "whole.parquet")
    write_sample(run, tmp_path / "b.jsonl", 30, "language", "educational", 100)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (("lang", "educational"), "cannot be sampled by 'lang'; did you mean 'language'"),
        (("scores.qualty", "educational"), "no score 'qualty'"),
        (("language", "eductional"), "did you mean 'educational'"),
    ],
    ids=["by", "score", "instruction"],
)
def test_mistake_in_a_request_for_a_sample_is_named(run, tmp_path, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        write_sample(run, tmp_path / "out.jsonl", 30, *settings, 100)


def test_ratings_come_back_as_examples(run, tmp_path):
    write_sample(run, tmp_path / "out.jsonl", 30, "language", "educational", 100)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines[:-2]):
        line["rating"] = number % 6 if number % 2 else f"So so.\nRating: {number % 6}"
    labelled = read_ratings(tmp_path / jsonl(tmp_path / "rated.jsonl", lines))
    assert labelled.rated
    assert labelled.left_out == {"lines without a rating": 2}
    assert {e.text: e.target for e in labelled.examples} == {
        line["text"]: float(n % 6) for n, line in enumerate(lines[:-2])
    }
    assert all(example.host.endswith(".org") for example in labelled.examples)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('{"text": "a", "rating": 7}', "line 2: 7 is not between 0 and 5"),
        ('{"rating": 3}', "line 2 has no text; its keys: rating"),
        ('{"text": "a", ', "line 2 is not JSON"),
        ("[1]", "line 2 is no object"),
    ],
    ids=["range", "text", "json", "object"],
)
def test_wrong_rated_line_is_named(tmp_path, row, sentence):
    (tmp_path / "r.jsonl").write_text(f'{{"text": "fine", "rating": 3}}\n{row}\n')
    with pytest.raises(InputError, match=sentence):
        read_ratings(tmp_path / "r.jsonl")
