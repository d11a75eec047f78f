"""Whole runs: decided on Spark as in memory, books that balance, evidence on disk, and proof on the shards."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from curation.decontaminate import tables
from curation.errors import InputError, ResumeError
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.run.run import run_recipe
from curation.run.verify import verify_run
from tests.decontaminate.planted import HALVES

pytestmark = pytest.mark.spark

HEAD = "name: d\nversion: 1\nsource: test\nstages:\n"
TOKENS = "tokens: {tokenizer: {train: {vocab_size: 500}}, sequence_length: 256, validation: 0.05}\n"
LONG = "  - long: {keep_if: [{gopher_quality.word_count: {min: 5}}]}\n"
STAGES = {
    "gpt3": "  - gpt3: {decontaminate: gpt3, benchmarks: {quiz: [question, answer]}}\n",
    "ngram_drop": "  - ngram_drop: {decontaminate: ngram_drop, benchmarks: {quiz: [question, answer]}}\n",
    "coverage": "  - coverage: {decontaminate: coverage, max_coverage: 0.6, benchmarks: {quiz: [question, answer]}}\n",
    "paragraph": "  - paragraph: {decontaminate: paragraph, benchmarks: {quiz: [question, answer]}}\n",
}
CLEANED = STAGES["gpt3"] + LONG + STAGES["ngram_drop"]


@pytest.mark.parametrize(
    ("mode", "most"),
    [("gpt3", 12), ("ngram_drop", 11), ("coverage", 10), ("paragraph", None)],
    ids=["gpt3-at-the-limit", "ngram_drop-above-it", "coverage", "paragraph"],
)
def test_spark_decides_as_memory_does_whatever_the_partitions(spark, corpus, stage_of, keys_of, mode, most):
    stage = stage_of(mode, max_documents=most)
    keys = keys_of(stage, corpus.pages())
    local = stage.local_removals(keys)
    decision = tables.decide(stage, spark.createDataFrame(keys.to_pandas()).repartition(3))

    def rows(table):
        found = table.to_pylist() if hasattr(table, "to_pylist") else [row.asDict() for row in table.collect()]
        return sorted(found, key=lambda row: str(sorted(row.items(), key=str)))

    assert rows(decision.removals) == rows(local.removals)
    assert rows(decision.cuts) == rows(local.cuts)
    for name, table in local.evidence.items():
        assert rows(decision.evidence[name]) == rows(table), name


@pytest.fixture(scope="module")
def start(spark, corpus, tmp_path_factory):
    """`start(name, stages, **how)`: a run over the corpus with these stages."""
    root = tmp_path_factory.mktemp("runs")
    pages, benchmarks = corpus.write_pages(root / "pages.jsonl"), corpus.write_benchmark(root / "benchmarks")

    def start(name, stages, benchmarks=benchmarks, resume=False):
        recipe = root / f"{name}.yaml"
        recipe.write_text(HEAD + stages + TOKENS)
        return run_recipe(
            lambda: spark, load_recipe(recipe), [Source(where=str(pages))], root / name,
            benchmarks=benchmarks, cluster=Cluster(unit_size=150_000, split_size=50_000), cores=2, resume=resume,
        )  # fmt: skip

    start.benchmarks = benchmarks
    return start


@pytest.fixture(scope="module")
def cleaned(start):
    """A run in which texts are cut, and then pages dropped that hold what the first stage ignores as frequent."""
    return start("cleaned", CLEANED)


@pytest.fixture(scope="module")
def left_out(start):
    """The same corpus without any decontamination."""
    return start("left_out", LONG, benchmarks=None)


def test_funnel_balances_and_the_pages_are_cut(cleaned, corpus):
    entry = next(stage for stage in cleaned.funnel["stages"] if stage["stage"] == "gpt3")
    assert cleaned.funnel["balanced"] and entry["kind"] == "corpus"
    assert (entry["kept"], entry["dropped"]) == (200, 0)
    trimmed = 0
    for page, _, manner, start, end in corpus.planted:
        if manner != "boilerplate":
            text = corpus.texts[page]
            trimmed += len(text) - len(f"{text[: start - 200].strip()}\n\n{text[end + 200 :].strip()}")
    assert entry["chars_trimmed"] == trimmed


def test_dropped_pages_are_in_the_funnel_with_their_reason(cleaned, corpus):
    entry = next(stage for stage in cleaned.funnel["stages"] if stage["stage"] == "ngram_drop")
    (reason,) = entry["reasons"]
    assert (reason["reason"], reason["pages"]) == ("ngram_drop.ngram_drop", len(corpus.pages_of("boilerplate")))


def test_evidence_on_disk_is_exact(cleaned, corpus):
    found = pq.read_table(cleaned.folder.evidence("gpt3") / "spans").to_pylist()
    pages = [cleaned.folder.curated, cleaned.folder.dead(2)]
    ids = {r["record_id"]: r["doc_id"] for part in pages for r in pq.read_table(part).to_pylist()}
    expected = {(ids[f"page-{page}"], f"quiz.jsonl:{item + 1}", start, end)
                for page, item, manner, start, end in corpus.planted if manner != "boilerplate"}  # fmt: skip
    assert {(r["doc_id"], r["item"], r["start"], r["end"]) for r in found} == expected
    states = pq.read_table(cleaned.folder.evidence("gpt3") / "items.parquet")["state"].to_pylist()
    assert {state: states.count(state) for state in set(states)} == {"found": 24, "frequent": 1, "uncheckable": 3}


def test_finished_shards_of_the_cleaned_run_are_proved_clean(spark, cleaned, corpus):
    for found in verify_run(lambda: spark, cleaned.folder):
        assert found.clean and found.documents == 200 - len(corpus.pages_of("boilerplate")) and not found.left


def test_run_without_the_stage_fails_the_check_in_every_mode(spark, start, left_out, tmp_path, corpus):
    recipe = tmp_path / "all.yaml"
    recipe.write_text(HEAD + "".join(STAGES.values()))
    found = verify_run(lambda: spark, left_out.folder, load_recipe(recipe), start.benchmarks)
    assert {one.stage: one.documents_left for one in found} == {
        "gpt3": len(corpus.pages_of("verbatim", "altered", "half")),
        "ngram_drop": len(corpus.pages_of("verbatim", "altered", "half", "boilerplate")),
        "coverage": len(corpus.pages_of("verbatim", "altered")) + len(HALVES),
        "paragraph": len(corpus.pages_of("verbatim", "altered", "boilerplate")),
    }
    assert not any(one.clean for one in found)
    assert all(one.left and one.left[0]["unit"].endswith(".parquet") for one in found)


def test_run_is_not_continued_with_other_items(cleaned, start, tmp_path):
    (tmp_path / "quiz.jsonl").write_text((start.benchmarks / "quiz.jsonl").read_text().replace("It is", "It was"))
    with pytest.raises(ResumeError, match="benchmark items are not those"):
        start("cleaned", CLEANED, benchmarks=tmp_path, resume=True)


def test_run_without_stage_and_recipe_has_nothing_to_verify(spark, left_out):
    with pytest.raises(InputError, match="no decontaminate stage, so nothing says what to look for"):
        verify_run(lambda: spark, left_out.folder)
