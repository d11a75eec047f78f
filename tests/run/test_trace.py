"""`trace`: a token leads to the page whose text holds it, and the way told is the one the run's files tell."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.dedup.stages import CUTS
from curation.errors import InputError, TokenizerError
from curation.run.folder import RunFolder
from curation.run.trace import CONTEXT_CHARS, trace_document, trace_token
from curation.sample.truth import read_truth
from curation.tokens.pack import pack
from curation.tokens.shards import open_shard, read_rows, write_shard
from curation.tokens.tokenizer import FrozenTokenizer
from tests.run.conftest import table
from tests.run.test_whole_run import shards_of

pytestmark = pytest.mark.spark
POSITIONS = 100


def copy_of(finished, where) -> RunFolder:
    shutil.copytree(finished.folder.root, where / "run")
    return RunFolder(where / "run")


def test_random_positions_lead_to_a_page_whose_text_holds_the_token(finished, crawl):
    folder, draw = finished.folder, random.Random(11)
    curated = {row["doc_id"]: row for row in table(folder.curated).to_pylist()}
    tokenizer = FrozenTokenizer.load(folder.tokens / "tokenizer.json")
    places = {
        (page.snapshot, page.url): (page.warc_file, page.warc_offset)
        for page in read_truth(crawl / "truth.jsonl").pages
    }
    rows = [(path, number, row) for path in shards_of(folder) for number, row in enumerate(read_rows(path))]
    seen = set()
    for _ in range(POSITIONS):
        path, number, row = draw.choice(rows)
        position = draw.randrange(len(row.input_ids))
        found = trace_token(folder, path.relative_to(folder.tokens), number, position)
        token, document = found.token, found.document
        owner = np.repeat(row.doc_ids, row.doc_lengths)[position]
        assert document == curated[owner] and found.fate == "kept"
        assert (document["warc_file"], document["warc_offset"]) == places[document["snapshot"], document["url"]]
        assert token.id == row.input_ids[position]
        text, alone = document["text"], tokenizer.decode([token.id])
        assert text[token.start : token.end] == token.spelled
        assert text[: token.start].endswith(token.before) and text[token.end :].startswith(token.after)
        assert len(token.before) == min(CONTEXT_CHARS, token.start)
        assert len(token.after) == min(CONTEXT_CHARS, len(text) - token.end)
        if token.id == tokenizer.eos_id:
            assert token.spelled == token.after == "" and token.start == len(text)
        elif "\ufffd" not in alone:
            assert token.spelled == alone
        else:  # a part of one or more characters
            assert token.spelled and tokenizer.token_bytes[token.id] <= len(token.spelled.encode())
        assert (str(path.relative_to(folder.tokens)), number) in found.rows
        seen.add(int(owner))
    assert len(seen) > 30


def test_place_in_a_document_that_is_cut_is_counted_over_its_rows(finished, tmp_path):
    folder = copy_of(finished, tmp_path)
    path, tokenizer = shards_of(folder)[0], FrozenTokenizer.load(folder.tokens / "tokenizer.json")
    info = replace(open_shard(path).info, sequence_length=50, packing="concat")
    texts = table(folder.curated).slice(0, 3).to_pylist()
    documents = [(row["doc_id"], tokenizer.encode(row["text"])) for row in texts]
    write_shard(path, info, pack(documents, "concat", 50, info.eos_id, tokenizer.token_bytes))
    numbers: dict[int, list[int]] = {}
    for number, row in enumerate(read_rows(path)):
        for position in {0, 17, len(row.input_ids) - 1, *(np.cumsum(row.doc_lengths)[:-1]).tolist()}:
            token = trace_token(folder, path, number, position).token
            numbers.setdefault(token.doc_id, []).append(token.number)
            expected = [*dict(documents)[token.doc_id].tolist(), info.eos_id][token.number]
            assert token.id == row.input_ids[position] == expected
    assert {doc: max(found) for doc, found in numbers.items()}[documents[-1][0]] == len(documents[-1][1])
    assert all(len(found) == len(set(found)) for found in numbers.values()) and len(numbers) == 3
    assert all(len(ids) > 100 for _, ids in documents)


def test_way_of_a_copy_names_the_one_that_was_kept(finished):
    folder = finished.folder
    removed = table(folder.removals("near_duplicates")).to_pylist()[0]
    found = trace_document(folder, removed["doc_id"])
    last = found.way[-1]
    assert (last.stage, last.chars) == ("near_duplicates", None)
    assert found.fate == f"near_duplicates.duplicate (value of {removed['kept_id']})"
    assert f"{removed['kept_id']} was kept instead, similarity {removed['similarity']:.2f}" in last.happened
    assert [step.chars for step in found.way[:-1]] == found.document["trail"] and not found.rows
    kept = trace_document(folder, removed["kept_id"])
    assert {step.stage: step.happened for step in kept.way}["near_duplicates"] == (
        f"one of a cluster of {removed['cluster_size']}"
    )


def test_way_of_a_page_dropped_by_a_rule_ends_there(finished):
    folder = finished.folder
    row = next(r for r in table(folder.dead(0)).to_pylist() if r["dropped_by"].startswith("gopher_quality."))
    found = trace_document(folder, row["doc_id"])
    assert found.way[-1].happened == f"dropped by {row['dropped_by']} (value {row['dropped_value']})"
    assert found.way[-1].stage == "gopher_quality" and len(found.way) == len(row["trail"]) + 1


def test_cuts_that_touched_a_page_are_told(finished, tmp_path):
    folder = copy_of(finished, tmp_path)
    doc_id = table(folder.curated)["doc_id"][0].as_py()
    row = {"doc_id": doc_id, "unit": "unit-00000", "stage": "frequent_lines", "kept_id": None}
    cuts = [{**row, "start": 3, "end": 10, "copies": 7}, {**row, "start": 20, "end": 25, "copies": 30}]
    pq.write_table(pa.Table.from_pylist(cuts, CUTS), folder.cuts("frequent_lines") / "more.parquet")
    happened = {step.stage: step.happened for step in trace_document(folder, doc_id).way}["frequent_lines"]
    assert happened == "2 passages of 12 characters cut out, one of them 30 times in the corpus"


def test_places_that_do_not_exist_are_refused_by_name(finished, tmp_path):
    folder = finished.folder
    path = shards_of(folder)[0]
    rows = list(read_rows(path))
    for row, position, sentence in (
        (len(rows), 0, f"rows 0 to {len(rows) - 1}, not {len(rows)}"),
        (-1, 0, "not -1"),
        (0, len(rows[0].input_ids), f"positions 0 to {len(rows[0].input_ids) - 1}"),
        (0, -1, "not -1"),
    ):
        with pytest.raises(InputError, match=sentence):
            trace_token(folder, path, row, position)
    with pytest.raises(InputError, match="it holds train/web/part-00000.parquet"):
        trace_token(folder, "train/web/part-99999.parquet", 0, 0)
    with pytest.raises(InputError, match="has the doc_id 5"):
        trace_document(folder, 5)
    with pytest.raises(InputError, match="give the folder of a finished run"):
        trace_document(RunFolder(tmp_path), 5)


def test_shards_of_other_text_are_not_traced(finished, tmp_path):
    folder = copy_of(finished, tmp_path)
    for path in folder.curated.glob("*.parquet"):
        rows = pq.read_table(path)
        at = rows.schema.get_field_index("text")
        pq.write_table(rows.set_column(at, rows.schema.field(at), pa.array(["?"] * len(rows), pa.large_string())), path)
    with pytest.raises(TokenizerError, match="encodes to something else"):
        trace_token(folder, shards_of(folder)[0], 0, 5)


def test_command_prints_the_page_and_json(finished):
    folder = finished.folder
    once = {url for url, count in Counter(table(folder.curated)["url"].to_pylist()).items() if count == 1}
    ids = {row["doc_id"] for row in table(folder.curated).to_pylist() if row["url"] in once}
    shard = str(shards_of(folder)[0].relative_to(folder.tokens))
    row = next(n for n, row in enumerate(read_rows(folder.tokens / shard)) if row.doc_ids[0] in ids)
    where = ["--shard", shard, "--row", str(row), "--pos", "7"]
    shown = CliRunner().invoke(app, ["trace", str(folder.root), *where])
    assert shown.exit_code == 0
    found = json.loads(CliRunner().invoke(app, ["trace", str(folder.root), *where, "--json"]).output)
    assert found["document"]["url"] in shown.output
    assert f">>{found['token']['spelled']}<<" in shown.output
    by_id = CliRunner().invoke(app, ["trace", str(folder.root), "--doc-id", str(found["document"]["doc_id"]), "--json"])
    by_url = CliRunner().invoke(app, ["trace", str(folder.root), "--url", found["document"]["url"], "--json"])
    assert json.loads(by_id.output) == json.loads(by_url.output) == {**found, "token": None}


def test_address_that_was_captured_twice_asks_for_the_document(finished):
    rows = table(finished.folder.curated).to_pylist()
    url = next(url for url, count in Counter(row["url"] for row in rows).items() if count > 1)
    shown = CliRunner().invoke(app, ["trace", str(finished.folder.root), "--url", url])
    assert shown.exit_code == 2
    for row in rows:
        assert (f"{row['doc_id']} ({row['snapshot']})" in shown.output) == (row["url"] == url)


@pytest.mark.parametrize(
    "arguments", [[], ["--shard", "x"], ["--doc-id", "1", "--url", "x"]], ids=["nothing", "no row", "two things"]
)
def test_command_asks_for_one_thing(finished, arguments):
    assert CliRunner().invoke(app, ["trace", str(finished.folder.root), *arguments]).exit_code == 2
