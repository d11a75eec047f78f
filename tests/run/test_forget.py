"""`forget` on a finished run: nothing of the documents is left, all others are as they were, and a halt is no harm."""

from __future__ import annotations

import hashlib
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import InputError, ResumeError
from curation.reader import ShardReader
from curation.run.books import balance
from curation.run.copies import copies_elsewhere
from curation.run.folder import RunFolder, read_json
from curation.run.forget import find, forget
from curation.run.forgotten import FATE
from curation.run.selection import select
from curation.run.trace import trace_document, trace_token
from curation.tokens.shards import read_documents, read_rows
from curation.tokens.tokenizer import FrozenTokenizer
from tests.run.conftest import table
from tests.run.test_whole_run import shards_of

pytestmark = pytest.mark.spark
ROOT = Path(__file__).resolve().parents[2]
LONG = 60  # characters of a line that no other page is likely to share


def copy_of(finished, where) -> RunFolder:
    shutil.copytree(finished.folder.root, where)
    return RunFolder(where)


def everything(folder) -> pa.Table:
    """One row for each page: kept, or dropped."""
    return table(folder.curated, *sorted(folder.root.glob("documents/pass-*/alive=false")))


def digests(folder) -> dict[str, str]:
    files = (path for path in folder.root.rglob("*") if path.is_file())
    return {str(path.relative_to(folder.root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def tables(folder) -> dict[str, pa.Table]:
    """Every Parquet file of the run with documents, rows in order of doc_id."""
    found = {}
    for path in sorted(folder.root.rglob("*.parquet")):
        rows = pq.read_table(path, partitioning=None)
        if "doc_id" in rows.schema.names and not path.name.startswith("."):
            found[str(path.relative_to(folder.root))] = rows.sort_by("doc_id")
    return found


def without(rows: pa.Table, ids) -> pa.Table:
    return rows.filter(pc.invert(pc.is_in(rows["doc_id"], pa.array(sorted(ids), pa.int64()))))


def strings_in(values) -> list[str]:
    """What a column holds, of whatever depth, as text."""
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return [one for one in values.to_pylist() if one]
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return [one.decode("latin-1") for one in values.to_pylist() if one]
    return [json.dumps(one, ensure_ascii=False) for one in values.to_pylist()]


def search(folder, needles) -> set[tuple[str, str]]:
    """(file, needle) for each needle that a file holds: in its bytes, in a decompressed column, in decoded tokens."""
    tokenizer = FrozenTokenizer.load(folder.tokens / "tokenizer.json")
    found = set()
    for path in (path for path in folder.root.rglob("*") if path.is_file()):
        texts = [path.read_bytes().decode("utf-8", errors="replace")]
        if path.suffix == ".html":
            texts.append(html.unescape(texts[0]))
        if path.suffix == ".parquet":
            rows = pq.read_table(path, partitioning=None)
            texts += [text for name in rows.schema.names for text in strings_in(rows[name])]
            if "input_ids" in rows.schema.names:
                texts += [tokenizer.decode(row.input_ids) for row in read_rows(path)]
        whole = "\n".join(texts)
        found |= {(str(path.relative_to(folder.root)), needle) for needle in needles if needle in whole}
    return found


def needles_of(folder, ids) -> list[str]:
    """Addresses and hosts of documents, and their lines that are in no other page of the run."""
    every = table(folder.curated, *sorted(folder.root.glob("documents/pass-*/alive=*"))).to_pylist()
    others = "\n".join(row["text"] or "" for row in every if row["doc_id"] not in ids)
    needles = set()
    for row in every:
        if row["doc_id"] in ids:
            lines = [line for line in re.split(r"\n|(?<=\.) ", row["text"] or "") if len(line) >= LONG]
            needles |= {row["url"], row["host"], row["record_id"], *(one for one in lines if one not in others)}
    return sorted(needles)


@pytest.fixture(scope="module")
def host(finished):
    """The host with most kept pages of those that also have a dropped one."""
    rows = everything(finished.folder).to_pylist()
    kept = Counter(row["host"] for row in rows if row["dropped_by"] is None)
    dropped = {row["host"] for row in rows if row["dropped_by"] is not None}
    return max((count, name) for name, count in kept.items() if name in dropped)[1]


@pytest.fixture(scope="module")
def ids_of_host(finished, host):
    return {row["doc_id"] for row in everything(finished.folder).to_pylist() if row["host"] == host}


@pytest.fixture(scope="module")
def forgotten(finished, host, tmp_path_factory):
    """A copy of the finished run without the host."""
    folder = copy_of(finished, tmp_path_factory.mktemp("forgotten") / "run")
    selection = select([host])
    assert forget(folder, selection, find(folder, selection)) == []
    return folder


def test_no_file_holds_a_byte_of_the_host(finished, forgotten, ids_of_host, host):
    needles = needles_of(finished.folder, ids_of_host)
    before = search(finished.folder, needles)
    assert {needle for _, needle in before} == set(needles) and len(needles) > 20
    places = {file.split("/")[0] for file, _ in before}
    assert {"curated", "documents", "tokens"} <= places
    assert not search(forgotten, needles)


def test_every_other_document_is_as_it_was_and_untouched_files_keep_their_bytes(finished, forgotten, ids_of_host):
    before, after = tables(finished.folder), tables(forgotten)
    assert before.keys() == after.keys()
    changed = set()
    for name, rows in before.items():
        left = after[name]
        if "pass-0/alive=false" in name:
            left = left.filter(pc.fill_null(pc.not_equal(left["dropped_by"], FATE), True))
        assert left.equals(without(rows, ids_of_host)), name
        if len(left) < len(rows) or len(after[name]) > len(left):
            changed.add(name)
    root = finished.folder.root
    for path in shards_of(finished.folder):
        if any(doc in ids_of_host for doc, _ in read_documents(path)):
            changed.add(str(path.relative_to(root)))
    ours, theirs = digests(finished.folder), digests(forgotten)
    files = {name for name in ours if name.endswith(".parquet")}
    assert {name for name in files if ours[name] != theirs.get(name)} == changed < files
    assert ours["tokens/tokenizer.json"] == theirs["tokens/tokenizer.json"] and ours["plan.json"] == theirs["plan.json"]
    assert read_json(forgotten.manifest)["forgotten"][0]["files"] == len(changed)


def test_shards_hold_the_other_documents_token_by_token(finished, forgotten, ids_of_host):
    def documents(folder):
        return {(str(path.relative_to(folder.tokens)), doc): ids.tolist()
                for path in shards_of(folder) for doc, ids in read_documents(path)}  # fmt: skip

    before, after = documents(finished.folder), documents(forgotten)
    assert after == {key: ids for key, ids in before.items() if key[1] not in ids_of_host}
    assert len(after) < len(before)


def test_reader_and_mixture_go_on_with_what_is_left(finished, forgotten, ids_of_host):
    reader = ShardReader(forgotten.tokens, forgotten.mixture)
    rows = list(reader)
    assert rows and not {int(one) for row in rows for one in row["doc_ids"]} & ids_of_host
    summary, mixture = (read_json(path) for path in (forgotten.tokens / "summary.json", forgotten.mixture))
    assert sum(len(row["input_ids"]) for row in rows) == summary["tokens"]["web"]["train"]
    assert mixture["sources"]["web"]["tokens_available"] == summary["tokens"]["web"]["train"]
    assert sum(summary["documents"]["web"].values()) == len(table(forgotten.curated))
    was = read_json(finished.folder.tokens / "summary.json")
    gone = [row for row in table(finished.folder.curated).to_pylist() if row["doc_id"] in ids_of_host]
    lost = sum(was["bytes"]["web"].values()) - sum(summary["bytes"]["web"].values())
    assert lost == sum(len(row["text"].encode()) for row in gone) > 0


def test_books_say_what_became_of_the_pages_and_who_asked(finished, forgotten, ids_of_host):
    before, after = (read_json(folder.funnel) for folder in (finished.folder, forgotten))
    read = after["stages"][0]
    assert read["pages_in"] == before["stages"][0]["pages_in"]
    assert {"reason": FATE, "pages": len(ids_of_host), "chars": 0} in read["reasons"]
    assert after["stages"][-1]["chars_out"] == pc.sum(table(forgotten.curated)["chars"]).as_py()
    kept = before["stages"][-1]["kept"] - after["stages"][-1]["kept"]
    (request,) = read_json(forgotten.manifest)["forgotten"]
    assert (request["documents"], request["kept"], request["done"]) == (len(ids_of_host), kept, True)
    assert request["tokens"] == before["tokens"] - after["tokens"] > 0
    report = (forgotten.root / "report.html").read_text()
    assert f"{FATE}: {len(ids_of_host)}" in report and "@ -1" not in report
    found = trace_document(forgotten, next(iter(ids_of_host)))
    assert found.fate == FATE and found.document["url"] == found.document["host"] == ""


def test_shard_from_before_leads_to_the_fate_and_nowhere_else(finished, forgotten, ids_of_host):
    path = shards_of(finished.folder)[0]
    row, position = next(
        (number, int(np.cumsum(row.doc_lengths)[at]) - 1)
        for number, row in enumerate(read_rows(path))
        for at, doc in enumerate(row.doc_ids.tolist())
        if doc in ids_of_host
    )
    assert trace_token(finished.folder, path, row, position).token.doc_id in ids_of_host
    with pytest.raises(InputError, match="its fate is read.forgotten"):
        trace_token(forgotten, path, row, position)


def test_resume_repeats_the_books_and_does_not_bring_a_page_back(forgotten, ids_of_host, run_over, crawl, tmp_path):
    folder = RunFolder(tmp_path / "run")
    shutil.copytree(forgotten.root, folder.root)
    again = run_over(crawl, folder.root, resume=True)  # counts with Spark what was counted without
    assert again.funnel == read_json(forgotten.funnel)
    assert read_json(folder.manifest)["forgotten"] == read_json(forgotten.manifest)["forgotten"]
    unit = next(path.stem for path in sorted(forgotten.dead(0).glob("*.parquet")) if FATE in fates(path))
    for path in folder.root.rglob(f"{unit}.*"):
        path.unlink()
    again = run_over(crawl, folder.root, resume=True)
    assert again.funnel == read_json(forgotten.funnel)
    for name, rows in tables(forgotten).items():
        if not name.startswith(("clusters", "removals", "cuts")):
            assert tables(folder)[name].equals(rows), name


def fates(path) -> set[str]:
    return set(pq.read_table(path, columns=["dropped_by"], partitioning=None)["dropped_by"].to_pylist())


def test_spark_reads_the_decisions_that_were_written_again(forgotten, spark, ids_of_host):
    for part in ("clusters", "removals"):
        for stage in sorted((forgotten.root / part).iterdir()):
            rows = [row["doc_id"] for row in spark.read.parquet(str(stage)).collect()]
            assert sorted(rows) == table(stage)["doc_id"].to_pylist() and not set(rows) & ids_of_host


class Halt(Exception):
    """What stands for a killed process."""


def halt_after(files: int, end) -> list[int]:
    """From now on `end` is called in place of publishing a file, once `files` were published; counts those."""
    replace, published = os.replace, [0]

    def halting(*names):
        if published[0] == files:
            end()
        published[0] += 1
        replace(*names)

    os.replace = halting
    return published


def forget_host(root, host, files: int, end) -> int:
    """Forgets a host and halts after so many files; how many were published when it did not."""
    folder, selection, replace = RunFolder(Path(root)), select([host]), os.replace
    found = find(folder, selection)
    try:
        published = halt_after(files, end)
        forget(folder, selection, found)
        return published[0]
    finally:
        os.replace = replace


def halt():
    raise Halt


def killed(root, host, files: int) -> int:
    """The same in a process of its own that dies on the spot; its exit code."""
    code = "import os, sys; from tests.run.test_forget import forget_host as f; "
    code += "f(sys.argv[1], sys.argv[2], int(sys.argv[3]), lambda: os._exit(9))"
    command = [sys.executable, "-c", code, str(root), host, str(files)]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=600).returncode


def finish(folder, host, forgotten) -> None:
    """Forgets again, and compares with a run in which nothing halted."""
    selection = select([host])
    forget(folder, selection, find(folder, selection))
    left = tables(folder)
    for name, rows in tables(forgotten).items():
        assert left[name].equals(rows), name
    for path in shards_of(forgotten):
        assert (folder.tokens / path.relative_to(forgotten.tokens)).read_bytes() == path.read_bytes()
    for name in ("funnel.json", "mixture.json", "tokens/summary.json"):
        assert read_json(folder.root / name) == read_json(forgotten.root / name), name
    assert all(request["done"] for request in read_json(folder.forgotten)["requests"])
    assert not list(folder.root.rglob(".*.tmp"))


def test_halted_forgetting_is_refused_by_resume_and_finished_by_another_call(
    finished, forgotten, host, run_over, crawl, tmp_path
):
    files = forget_host(copy_of(finished, tmp_path / "whole").root, host, 10_000, halt)
    assert files > 20
    draw = random.Random(3)
    for after in (0, 1, files - 2, files - 1, *(draw.randrange(2, files - 2) for _ in range(5))):
        folder = copy_of(finished, tmp_path / f"after-{after}")
        with pytest.raises(Halt):
            forget_host(folder.root, host, after, halt)
        if after:
            with pytest.raises(ResumeError, match="curate forget"):
                run_over(crawl, folder.root, resume=True)
        finish(folder, host, forgotten)
        shutil.rmtree(folder.root)


@pytest.mark.recovery
def test_killed_forgetting_leaves_no_half_files_behind(finished, forgotten, host, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    assert killed(folder.root, host, 9) == 9
    assert list(folder.root.rglob(".*.tmp"))
    finish(folder, host, forgotten)


def test_interrupted_forgetting_can_be_finished_without_saying_again_what(finished, host, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    with pytest.raises(Halt):
        forget_host(folder.root, host, 1, halt)
    shown = CliRunner().invoke(app, ["forget", str(folder.root)])
    assert shown.exit_code == 0, shown.output
    with pytest.raises(InputError, match="nothing to forget"):
        find(folder, select())


def test_dry_run_and_a_selection_without_a_match_change_nothing(finished, host, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    before = digests(folder)
    shown = CliRunner().invoke(app, ["forget", str(folder.root), "--host", host, "--dry-run"])
    assert shown.exit_code == 0 and host in shown.output and "a dry run" in shown.output
    found = find(folder, select([host]))
    for figure in ("documents", "kept", "tokens", "files", "bytes"):
        assert f"{found.facts()[figure]:,}" in shown.output
    nothing = CliRunner().invoke(app, ["forget", str(folder.root), "--host", "nowhere.example"])
    assert nothing.exit_code == 2 and digests(folder) == before
    with pytest.raises(InputError, match="take them with --subdomains"):
        find(folder, select(["example"]))


def test_command_forgets_by_address_and_by_id_and_says_what_is_left_elsewhere(finished, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    removed = table(folder.removals("near_duplicates")).to_pylist()[0]
    kept = trace_document(folder, removed["kept_id"]).document
    listed = tmp_path / "copies.txt"
    arguments = ["forget", str(folder.root), "--url-prefix", kept["url"], "--copies", str(listed)]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0, shown.output
    assert f"{removed['doc_id']}\t" in listed.read_text()
    assert trace_document(folder, kept["doc_id"]).fate == FATE
    assert trace_document(folder, removed["doc_id"]).fate == f"near_duplicates.duplicate (value of {kept['doc_id']})"
    rest = CliRunner().invoke(app, ["forget", str(folder.root), "--ids", str(listed)])
    assert rest.exit_code == 0, rest.output
    assert trace_document(folder, removed["doc_id"]).fate == FATE
    assert len(read_json(folder.manifest)["forgotten"]) == 2
    assert set(fates_of(folder)) >= {None, FATE}


def fates_of(folder) -> Counter:
    return Counter(everything(folder)["dropped_by"].to_pylist())


def test_copies_elsewhere_are_the_clusters_and_what_shares_a_band_in_any_snapshot(finished):
    folder = finished.folder
    groups = []
    for stage in ("exact_duplicates", "near_duplicates"):
        clusters = table(folder.clusters(stage)).to_pylist()
        groups += [
            {row["doc_id"] for row in clusters if row["cluster_id"] == one}
            for one in {row["cluster_id"] for row in clusters}
        ]
    for stage in ("near_duplicates", "validation_clusters"):
        bands: dict[tuple[int, bytes], set[int]] = {}
        for row in table(folder.signatures(stage)).to_pylist():
            for band in range(14 if row["signature"] else 0):
                key = (band, row["signature"][band * 32 : band * 32 + 32])  # 8 rows of 4 bytes
                bands.setdefault(key, set()).add(row["doc_id"])
        groups += bands.values()
    every = {row["doc_id"]: row for row in everything(folder).to_pylist()}
    across = 0
    for doc_id in list(every)[::4]:
        expected = set().union(*(group for group in groups if doc_id in group)) - {doc_id}
        found = set(copies_elsewhere(folder, {doc_id})["doc_id"].to_pylist())
        assert found == expected
        across += any(every[one]["snapshot"] != every[doc_id]["snapshot"] for one in found)
    assert across


def test_forgetting_everything_leaves_a_run_that_says_so(finished, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    (tmp_path / "ids").write_text("\n".join(map(str, table(folder.curated)["doc_id"].to_pylist())))
    selection = select(ids=tmp_path / "ids")
    problems = forget(folder, selection, find(folder, selection))
    assert len(problems) == 1 and "mixture.json was removed" in problems[0]
    assert not folder.mixture.exists() and not shards_of(folder)
    assert read_json(folder.funnel)["stages"][-1]["kept"] == 0
    assert balance(folder) == problems


def test_mixture_that_is_not_the_recipes_goes_and_is_told(finished, host, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    own = read_json(folder.mixture)
    folder.mixture.write_text(json.dumps({**own, "budget_tokens": own["budget_tokens"] // 2}))
    with pytest.raises(Halt):
        forget_host(folder.root, host, 20, halt)
    shown = CliRunner().invoke(app, ["forget", str(folder.root), "--host", host])
    assert shown.exit_code == 1 and "curate mix solve FILE --run" in shown.output.replace("\n", " ")
    assert not folder.mixture.exists()


def test_unfinished_run_is_refused(finished, host, tmp_path):
    folder = copy_of(finished, tmp_path / "run")
    next(iter(sorted(folder.commits(1).iterdir()))).unlink()
    with pytest.raises(InputError, match="has not finished pass 1"):
        find(folder, select([host]))
    folder.manifest.unlink()
    with pytest.raises(InputError, match="no finished run"):
        find(folder, select([host]))
