"""Every figure in the tables of report.html, against the Parquet files of the run, counted by DuckDB."""

from __future__ import annotations

import json

import duckdb
import pytest

from curation.report.numbers import percent, short
from tests.report.cells import Cells

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def root(finished):
    return finished.folder.root


@pytest.fixture(scope="module")
def page(root) -> Cells:
    return Cells((root / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ask(root):
    """Rows of an SQL query over the tables `kept`, `dropped`, `removals` and `shards` of the run."""
    connection = duckdb.connect()
    for name, files in (
        ("kept", "curated/*.parquet"),
        ("dropped", "documents/*/alive=false/*.parquet"),
        ("removals", "removals/*/*.parquet"),
        ("shards", "tokens/*/*/part-*.parquet"),
    ):
        found = f"read_parquet('{root}/{files}', filename = true, union_by_name = true, hive_partitioning = false)"
        connection.execute(f"create view {name} as select * from {found}")
    return lambda query: connection.execute(query).fetchall()


def test_stages_of_the_funnel(page, ask):
    dropped = dict(ask("select split_part(dropped_by, '.', 1), count(*) from dropped group by all"))
    left = ask("select (select count(*) from kept) + (select count(*) from dropped)")[0][0]
    rows = [row for row in page.under("Funnel") if len(row) == 9 and row[0] != "Stage"]
    assert len(rows) == 13
    for name, _, kept, share, fell, failed, *_ in rows:
        stage = name.split()[0]
        lost = dropped.pop(stage, 0)
        assert int(fell.replace(",", "")) + int(failed.replace(",", "")) == lost
        assert share == percent(left - lost, left)
        left -= lost
        assert kept == short(left)
    assert not dropped
    assert ask("select count(*) from kept") == [(left,)]


def test_reasons_of_each_stage(page, ask):
    counted = {
        reason: (pages, chars)
        for reason, pages, chars in ask("select dropped_by, count(*), sum(chars) from dropped group by all")
    }
    stage = ""
    shown = {}
    for _, row in page.rows:
        if len(row) == 9:
            stage = row[0].split(" ")[0]
        elif len(row) == 5 and f"{stage}.{row[0]}" in counted:
            shown[f"{stage}.{row[0]}"] = row[2]
    assert shown == {reason: short(pages) for reason, (pages, _) in counted.items()} and len(shown) > 8


def test_snapshots(page, ask):
    kept = dict(ask("select snapshot, count(*) from kept group by all"))
    lost = dict(ask("select snapshot, count(*) from dropped group by all"))
    assert page.under("By snapshot")[1:] == [
        [name, "", str(kept[name] + lost[name]), str(kept[name]), percent(kept[name], kept[name] + lost[name])]
        for name in sorted(kept)
    ]


def test_languages_with_characters_and_losses(page, ask):
    kept = {name: (n, chars) for name, n, chars in ask("select language, count(*), sum(chars) from kept group by all")}
    lost = dict(ask("select language, count(*) from dropped group by all"))
    shown = {row[0]: row[2:] for row in page.under("Languages")[1:]}
    for name in kept.keys() | lost.keys():
        pages, chars = kept.get(name, (0, 0))
        assert shown.pop(name or "not labelled") == [str(pages), short(int(chars)), str(lost.get(name, 0))]
    assert not shown


def test_hosts(page, ask):
    hosts = ask("select host, count(*) n from kept group by host order by n desc, host limit 10")
    assert page.under("Hosts with most kept pages")[1:] == [[name, "", str(pages)] for name, pages in hosts]


def test_masked_items(page, ask):
    kinds = ask(
        "select item.key, sum(item.value) n, count(*) from (select unnest(pii) item from kept) "
        "group by all order by n desc, 1"
    )
    assert len(kinds) > 3
    shown = page.under("Personal data masked in kept pages")[1:]
    assert shown == [[kind, "", str(items), str(pages)] for kind, items, pages in kinds]


def test_removals(page, ask):
    counted = ask("select stage, count(*), sum((similarity >= 1)::int) from removals group by all order by stage")
    assert len(counted) == 2
    assert f"{sum(removed for _, removed, _ in counted)} pages removed as copies" in page.text
    for stage, removed, identical in counted:
        same = "all" if removed == identical else f"{identical} of them"
        assert f"{stage} \u00b7 {removed} pages removed, {same} with similarity 1" in page.text


def test_shards(page, ask, root):
    counted = ask(
        "select split_part(filename, '/', -2), split_part(filename, '/', -3), count(distinct filename), count(*), "
        "sum(len(input_ids)) from shards group by all order by 1, 2"
    )
    documents = dict(
        ask(
            "select split_part(filename, '/', -3), count(distinct id) "
            "from (select filename, unnest(doc_ids) id from shards) group by all"
        )
    )
    pieces = dict(
        ask(
            "select split, sum((pieces > 1)::int) "
            "from (select split_part(filename, '/', -3) split, id, count(*) pieces "
            "from (select filename, unnest(doc_ids) id from shards) group by all) group by all"
        )
    )
    length = json.loads((root / "tokens/summary.json").read_text())["sequence_length"]
    assert [row[:9] for row in page.under("Tokens written")[1:]] == [
        [
            source, split, str(documents[split]), short(int(tokens)), str(files), str(rows),
            percent(round(1 - int(tokens) / (rows * length), 6), 1), str(pieces[split]),
            percent(int(pieces[split]), documents[split]),
        ]
        for source, split, files, rows, tokens in counted
    ]  # fmt: skip


def test_compression(page, ask, root):
    """Bytes of the text against tokens without end tokens, source by source."""
    size, chars, documents = ask("select sum(strlen(text)), sum(length(text)), count(*) from kept")[0]
    (tokens,) = ask("select sum(len(input_ids)) from shards")[0]
    (row,) = [row for row in page.under("Compression of the tokenizer") if row[0] == "web"]
    assert float(row[2]) == pytest.approx(int(chars) / (int(tokens) - documents), abs=0.0051)
    assert float(row[3]) == pytest.approx(int(size) / (int(tokens) - documents), abs=0.0051)


def test_mixture(page, ask):
    tokens = int(ask("select sum(len(input_ids)) from shards where filename like '%/train/%'")[0][0])
    (row,) = page.under("Mixture")[1:]
    assert row == ["web", "", "100.0 %", "100.0 %", short(tokens), short(tokens), "1.00", "100.0 %"]


def test_input_files(page, root):
    files = json.loads((root / "manifest.json").read_text())["files"]
    shown = {row[0]: row[1:] for row in page.under("Input files")[1:]}
    assert len(shown) == len(files)
    for file in files:
        records = sum(file["records"].values())
        assert shown[file["name"]] == [file["state"], str(records), str(file["pages"]), str(file["damaged"])]
