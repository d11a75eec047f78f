"""`curate dedup`: the rows of one's own files come out unchanged, without the copies; what went is told."""

from __future__ import annotations

import gzip
import json
import random
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.commands.dedup import _with_policy
from curation.dedup.duplicates import Exact, exact
from curation.dedup_rows.columns import Columns, find_columns
from curation.dedup_rows.rows import copy_rows, read_rows
from curation.dedup_rows.run import deduplicate_rows
from curation.dedup_rows.worker import RowUnit, plan_rows, write_keys
from curation.errors import InputError, RecipeError, ResumeError
from curation.read.inputs import list_inputs
from curation.read.splits import plan_splits
from curation.recipe.load import load_recipe, rebuild_recipe
from curation.recipe.run_files import Cluster
from curation.run.folder import RunFolder

WORDS = [f"{a}{b}{c}o" for a in "bcdfglmnprst" for b in "aeiou" for c in "bcdfglmnprst"]


def made_rows() -> list[dict]:
    """80 rows: some copied in capitals, some with a word changed, in a second half too; ids tell what they are."""
    draw, rows = random.Random(3), []
    for n in range(40):
        words = draw.choices(WORDS, k=150)
        rows.append({"key": f"{n}", "body": " ".join(words), "n": n})
        if n % 4 == 0:
            rows.append({"key": f"{n}-exact", "body": " ".join(words).upper(), "n": n})
        if n % 5 == 0:
            near = [*words[:70], "changed", *words[71:]]
            rows.append({"key": f"{n}-near", "body": " ".join(near), "n": n})
    draw.shuffle(rows)
    return rows


def write_half_and_half(folder: Path, rows: list[dict]) -> None:
    folder.mkdir()
    half = len(rows) // 2
    pq.write_table(pa.Table.from_pylist(rows[:half]), folder / "a.parquet", row_group_size=10)
    with gzip.open(folder / "b.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows[half:])
        file.write('{"key": "none"}\n\nno json\n')


def texts_of(out: Path) -> list[dict]:
    rows = []
    for path in sorted((out / "text").iterdir()):
        if path.suffix == ".parquet":
            rows += pq.read_table(path).to_pylist()
        else:
            lines = gzip.decompress(path.read_bytes()).decode().splitlines()
            rows += [json.loads(line) if line.startswith("{") else line for line in lines]
    return rows


def removed_of(out: Path) -> list[dict]:
    return pq.read_table(out / "removed").to_pylist()


@pytest.mark.spark
def test_rows_come_out_unchanged_without_copies_and_a_second_output_knows_the_first(spark, tmp_path):
    rows = made_rows()
    write_half_and_half(tmp_path / "in", rows)
    recipe = load_recipe("dedup", ["exact_duplicates.keep=first", "near_duplicates.keep=first"])

    def run(where: Path, out: str, against: tuple[str, ...] = ()) -> list[dict]:
        result = deduplicate_rows(
            lambda: spark, recipe, [str(where)], tmp_path / out, text="body", id="key",
            cluster=Cluster(split_size=5000), against=[tmp_path / name for name in against],
        )  # fmt: skip
        assert result.rows == result.written + sum(result.removed.values())
        return removed_of(tmp_path / out)

    joint = run(tmp_path / "in", "joint")
    gone = {row["id"] for row in joint}
    stories = {}
    for row in rows:
        stories.setdefault(row["n"], []).append(row["key"])
    assert gone == {key for keys in stories.values() for key in keys[1:]}, "the first in the order of the input stays"
    assert all(row["kept_id"] == stories[int(row["id"].partition("-")[0])][0] for row in joint)
    assert {row["stage"] for row in joint} == {"exact_duplicates", "near_duplicates"}
    assert all(0.75 <= row["similarity"] <= 1 for row in joint)
    order = [row for row in rows if row["key"] not in gone]
    assert sorted(texts_of(tmp_path / "joint"), key=str) == sorted([*order, {"key": "none"}, "no json"], key=str)

    run(tmp_path / "in" / "a.parquet", "one")
    again = run(tmp_path / "in" / "b.jsonl.gz", "two", against=("one",))
    assert again == [row for row in joint if row["file"] == "b.jsonl.gz"], "two outputs in turn equal one of both"
    with pytest.raises(InputError, match="that run read a.parquet of web  too"):
        run(tmp_path / "in" / "a.parquet", "three", against=("one",))
    with pytest.raises(ResumeError, match="already holds an output"):
        run(tmp_path / "in", "joint")


def test_every_row_is_in_exactly_one_split(tmp_path):
    rows = made_rows()
    (tmp_path / "c.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    files = list_inputs(str(tmp_path))
    (found,) = find_columns(files, Columns(text="body", id="key"))
    keys = [key for split in plan_splits(files, 3000) for part in read_rows(split, found) for key in part.values["key"]]
    assert keys == [row["key"] for row in rows]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        pytest.param(Columns(), "c.jsonl: none of the columns text, content.*name one of key, body", id="no-text"),
        pytest.param(Columns(text="bdy"), "no column 'bdy'; did you mean 'body'", id="misspelt"),
        pytest.param(Columns(text="body", scores=("edu",)), "no column 'edu'", id="score"),
    ],
)
def test_a_missing_column_is_named_before_any_work(tmp_path, columns, message):
    (tmp_path / "c.jsonl").write_text('{"key": "1", "body": "text"}\n')
    with pytest.raises(InputError, match=message):
        find_columns(list_inputs(str(tmp_path)), columns)


def test_a_text_column_of_numbers_is_refused(tmp_path):
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "n.parquet")
    with pytest.raises(InputError, match="n.parquet: column 'text' is int64, not text"):
        find_columns(list_inputs(str(tmp_path)), Columns())


def test_a_file_that_breaks_off_is_an_error_and_no_shorter_output(tmp_path):
    whole = gzip.compress("\n".join(json.dumps(row) for row in made_rows()).encode())
    (tmp_path / "d.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    files = list_inputs(str(tmp_path))
    (found,) = find_columns(files, Columns(text="body"))
    with pytest.raises(InputError, match="d.jsonl.gz is damaged"):
        for split in plan_splits(files, 1 << 30):
            list(read_rows(split, found))


@pytest.mark.parametrize(
    ("recipe", "settings", "error", "message"),
    [
        pytest.param("fineweb", [], RecipeError, "neither minhash nor exact", id="page-stages"),
        pytest.param("dedup", ["exact_duplicates.keep=newest"], InputError, "name its column with --date", id="date"),
    ],
)
def test_what_cannot_work_is_said_before_spark_starts(tmp_path, recipe, settings, error, message):
    with pytest.raises(error, match=message):
        deduplicate_rows(lambda: pytest.fail("Spark was started"), load_recipe(recipe, settings), ["x"], tmp_path / "o")


def dated(folder: Path, dates: list) -> tuple[Exact, list[RowUnit]]:
    """Copies of one text with these dates, and a stage that keeps the newest."""
    (folder / "e.jsonl").write_text("".join(json.dumps({"text": "one two", "d": date}) + "\n" for date in dates))
    files = list_inputs(str(folder / "e.jsonl"))
    found = find_columns(files, Columns(date="d"))
    return exact(name="copies", keep="newest"), plan_rows(plan_splits(files, 1 << 30), {files[0].path: found[0]})


def test_the_newest_row_is_the_newest_in_whatever_zone_and_form_its_time_is_written(tmp_path):
    """As texts, the first of these is the newest, and the number the oldest."""
    stage, (unit,) = dated(tmp_path, ["2024-03-01T01:30:00+02:00", "2024-02-29T23:45:00Z", 1709250600, None])
    folder = RunFolder(tmp_path / "out")
    write_keys(folder, [stage], unit)
    keys = pq.read_table(folder.signatures("copies") / f"{unit.name}.parquet")
    (kept,) = stage.local_removals(keys).removals["kept_id"].unique().to_pylist()
    assert keys["doc_id"].to_pylist().index(kept) == 2


def test_a_date_that_is_no_time_is_refused_with_its_place(tmp_path):
    stage, (unit,) = dated(tmp_path, ["2024-03-01", "last May"])
    with pytest.raises(InputError, match="e.jsonl, row at 39: 'd' is 'last May', which is no time"):
        write_keys(RunFolder(tmp_path / "out"), [stage], unit)


@pytest.mark.parametrize("int96", [False, True])
def test_the_columns_of_a_copy_are_stored_as_they_were(tmp_path, int96):
    """Spark writes times as INT96; copied as nanoseconds, it could not read them again."""
    kinds = {
        "text": pa.string(),
        "at": pa.timestamp("ns" if int96 else "ms"),
        "price": pa.decimal128(10, 2),
        "big": pa.uint64(),
        "tags": pa.map_(pa.string(), pa.int8()),
        "nested": pa.list_(pa.struct([("a", pa.date32())])),
    }
    row = {
        "text": "x",
        "at": 10**9,
        "price": Decimal("1.50"),
        "big": 2**64 - 1,
        "tags": [("k", -1)],
        "nested": [{"a": 3}],
    }
    schema = pa.schema([pa.field(*one, metadata={"unit": "mine"}) for one in kinds.items()], metadata={"made": "here"})
    table = pa.Table.from_pylist([row, dict.fromkeys(row), row], schema)
    pq.write_table(table, tmp_path / "t.parquet", use_deprecated_int96_timestamps=int96, row_group_size=2)
    (split,) = plan_splits(list_inputs(str(tmp_path)), 1 << 30)
    assert copy_rows(split, np.array([False, True, True]), tmp_path / "out" / "t.parquet") == 2
    ours, theirs = (pq.ParquetFile(tmp_path / name) for name in ("out/t.parquet", "t.parquet"))
    assert ours.read().equals(theirs.read().slice(1)) and ours.schema_arrow.equals(
        theirs.schema_arrow, check_metadata=True
    )
    assert ours.schema.equals(theirs.schema)


def test_a_score_is_a_column_of_the_rows_and_needs_no_stage_that_writes_it():
    loaded = _with_policy(load_recipe("dedup", rows=True), "dedup", [], keep=None, score="edu")
    for recipe in (loaded, rebuild_recipe(loaded.resolved)):
        assert {(stage.keep, stage.score) for stage in recipe.stages} == {("best_score", "edu")}


def test_columns_that_stand_twice_or_not_at_all_are_told():
    with pytest.raises(InputError, match="the column 'text' stands twice"):
        Columns().within(["text", "id", "text"])
    with pytest.raises(InputError, match="none of the columns text, content, raw_content; it has no column at all"):
        Columns().within([])


def test_an_output_is_not_written_over(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n')
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "plan.json").write_text("{}")
    with pytest.raises(ResumeError, match="already holds an output, and dedup cannot go on in one; choose another"):
        deduplicate_rows(None, load_recipe("dedup"), [str(tmp_path / "rows.jsonl")], tmp_path / "out")


def test_columns_of_any_encoding_are_text_and_values_that_python_cannot_hold_are_none(tmp_path):
    broken = pa.array([b"a", b"\xff", b"c"]).view(pa.string())  # says it is UTF-8 and is not
    late = pa.array([0, 2**62, None], pa.timestamp("us"))
    kinds = {"a": broken.cast(pa.large_binary()).view(pa.large_string()), "b": broken.dictionary_encode()}
    for name, text in kinds.items():
        pq.write_table(pa.table({"text": text, "late": late}), tmp_path / f"{name}.parquet")
    files = list_inputs(str(tmp_path))
    for split, found in zip(plan_splits(files, 1 << 20), find_columns(files, Columns(date="late")), strict=True):
        (rows,) = read_rows(split, found)
        assert rows.values["text"] == ["a", None, "c"]
        assert [value is None for value in rows.values["late"]] == [False, True, True]
    with pytest.raises(InputError, match="column 'text' is int64, not text"):
        pq.write_table(pa.table({"text": pa.array([1, 2]).dictionary_encode()}), tmp_path / "c.parquet")
        find_columns(list_inputs(str(tmp_path / "c.parquet")), Columns())


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 50))
def test_rows_of_any_type_are_copied_unchanged_whichever_stay(tmp_path_factory, stays, group):
    folder, count = tmp_path_factory.mktemp("types"), len(stays)
    texts = [f"text {n}" for n in range(count)]
    columns = {
        "text": pa.array(texts, pa.string_view()),
        "bytes": pa.array([text.encode() for text in texts], pa.binary_view()),
        "kind": pa.array(texts).dictionary_encode(),
        "parts": pa.array([[text, None] for text in texts], pa.list_(pa.string_view())),
        "where": pa.array([{"a": n} for n in range(count)]),
    }
    pq.write_table(pa.table(columns), folder / "a.parquet", row_group_size=group)
    (split,) = plan_splits(list_inputs(str(folder / "a.parquet")), 1 << 30)
    assert copy_rows(split, np.array(stays), folder / "out.parquet") == sum(stays)
    kept = [row for row, wanted in zip(pq.read_table(folder / "a.parquet").to_pylist(), stays, strict=True) if wanted]
    copied = pq.read_table(folder / "out.parquet")
    assert copied.to_pylist() == kept and copied.schema.field("text").type == pa.string_view()
