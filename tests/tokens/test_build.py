"""The token stage on Spark: shards decode to the curated text, do not depend on partitions, and keep clusters whole."""

import hashlib
import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.errors import InputError, ResumeError, TokenizerError
from curation.mixture import MixtureSettings
from curation.reader import ShardReader
from curation.tokens.settings import TokenizerSettings, TokenSettings, TrainSettings
from curation.tokens.shards import list_shards, read_documents, read_rows
from curation.tokens.tokenizer import FrozenTokenizer, compression

pytestmark = pytest.mark.spark

SETTINGS = TokenSettings(
    tokenizer=TokenizerSettings(train=TrainSettings(vocab_size=600, sample_bytes=100_000, compare_sizes=(1000,))),
    sequence_length=128,
    validation=0.2,
    seed=7,
    shard_tokens=15_000,
)


@pytest.fixture(scope="session")
def documents(texts) -> list[dict]:
    """240 documents of two sources; ids spread over the whole range of int64."""
    found = []
    for n, text in enumerate(texts):
        doc_id = int.from_bytes(hashlib.sha256(str(n).encode()).digest()[:8], "big", signed=True)
        source, language = ("wiki", "ru") if n % 4 == 0 else ("web", "" if n % 4 == 1 else "en")
        text = f"{text} <|endoftext|> {n}" if n % 50 == 0 else text
        row = {"doc_id": doc_id, "source": source, "language": language, "text": text, "chars": len(text)}
        found.append({**row, "cluster": n // 6})
    return found


def save(rows: list[dict], folder, files: int):
    folder.mkdir()
    schema = pa.schema(
        [("doc_id", pa.int64()), ("source", pa.string()), ("language", pa.string()), ("text", pa.large_string())]
        + [("chars", pa.int64())]
    )
    for n in range(files):
        part = [{name: row[name] for name in schema.names} for row in rows[n::files]]
        pq.write_table(pa.Table.from_pylist(part, schema), folder / f"{n}.parquet")
    return folder


@pytest.fixture(scope="module")
def build(spark, documents):
    from curation.tokens.build import build_tokens

    def run(curated, out, settings=SETTINGS, clustered=False, partitions="2", mixture=None):
        rows = [(row["doc_id"], row["cluster"]) for row in documents[:120]]
        clusters = spark.createDataFrame(rows, "doc_id long, cluster_id long") if clustered else None
        before = spark.conf.get("spark.sql.shuffle.partitions")
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        try:
            return build_tokens(spark, curated, out, settings, clusters=clusters, mixture=mixture)
        finally:
            spark.conf.set("spark.sql.shuffle.partitions", before)

    return run


@pytest.fixture(scope="module")
def built(build, tmp_path_factory, documents):
    """One build with clusters, used by all tests that only look at it: (folder, summary)."""
    root = tmp_path_factory.mktemp("tokens")
    curated = save(documents, root / "curated", files=3)
    return root / "tokens", build(curated, root / "tokens", clustered=True)


def shards_of(folder):
    return [
        shard for split in ("train", "validation") for found in list_shards(folder, split).values() for shard in found
    ]


def test_shards_decode_to_the_curated_text_document_by_document(built, documents):
    folder, _ = built
    tokenizer = FrozenTokenizer.load(folder / "tokenizer.json")
    found = {}
    for shard in shards_of(folder):
        for doc_id, ids in read_documents(shard.path, tokenizer):
            assert doc_id not in found
            found[doc_id] = (shard.info.source, tokenizer.decode(ids))
    assert found == {row["doc_id"]: (row["source"], row["text"]) for row in documents}


def test_summary_counts_what_the_shards_hold(built, documents):
    folder, summary = built
    tokenizer = FrozenTokenizer.load(folder / "tokenizer.json")
    for source in ("web", "wiki"):
        texts = [row["text"] for row in documents if row["source"] == source]
        assert sum(summary["tokens"][source].values()) == sum(len(ids) + 1 for ids in tokenizer.encode_batch(texts))
        assert sum(summary["documents"][source].values()) == len(texts)
    assert sum(sum(one.values()) for one in summary["shards"].values()) == len(shards_of(folder)) >= 4
    assert json.loads((folder / "summary.json").read_text()) == summary
    assert (summary["sha256"], summary["vocab_size"]) == (tokenizer.sha256, 600)


def test_summary_tells_padding_cuts_and_bytes(built, documents):
    folder, summary = built
    for source in ("web", "wiki"):
        texts = [row["text"] for row in documents if row["source"] == source]
        assert sum(summary["bytes"][source].values()) == sum(len(text.encode()) for text in texts)
        for split in ("train", "validation"):
            found = list_shards(folder, split)[source]
            rows = [row for shard in found for row in read_rows(shard.path)]
            assert max(len(row.input_ids) for row in rows) <= 128
            lacking = sum(128 - len(row.input_ids) for row in rows) / (128 * len(rows))
            assert summary["padding_share"][source][split] == pytest.approx(lacking, abs=1e-6)
            pieces = Counter(doc_id for row in rows for doc_id in row.doc_ids.tolist())
            cut = sum(count > 1 for count in pieces.values())
            assert summary["cut"][source][split] == cut > 0
            assert summary["truncation_share"][source][split] == pytest.approx(cut / len(pieces), abs=1e-6)
    assert summary["packing"] == "best_fit" and not any(sum(by.values()) for by in summary["cut_fitting"].values())


@pytest.mark.parametrize("packing", ["concat", "none"])
def test_other_packings_hold_the_same_documents(build, tmp_path, documents, packing):
    curated = save(documents, tmp_path / "curated", files=2)
    summary = build(curated, tmp_path / "tokens", SETTINGS.model_copy(update={"pack": packing}))
    tokenizer = FrozenTokenizer.load(tmp_path / "tokens/tokenizer.json")
    found = {}
    for shard in shards_of(tmp_path / "tokens"):
        assert shard.info.packing == summary["packing"] == packing
        found |= {doc_id: tokenizer.decode(ids) for doc_id, ids in read_documents(shard.path, tokenizer)}
    assert found == {row["doc_id"]: row["text"] for row in documents}
    cut = sum(sum(by.values()) for by in summary["cut"].values())
    assert cut == 0 if packing == "none" else cut > 100


def test_summary_reports_compression_by_language(built, documents):
    folder, summary = built
    texts = {"en": [], "ru": [], "und": []}
    for row in documents:
        texts[row["language"] or "und"].append(row["text"])
    assert summary["compression"] == compression(FrozenTokenizer.load(folder / "tokenizer.json"), texts)


def test_report_tells_sample_training_and_compression_beside_other_sizes(built):
    folder, summary = built
    report = json.loads((folder / "tokenizer_report.json").read_text())
    assert (report["sha256"], report["vocab_size"]) == (summary["sha256"], 600)
    assert report["judged_on"]["held_out"] and report["judged_on"]["documents"] > 2
    held = {name: facts["bytes_held"] for name, facts in report["sample"].items()}
    assert held == {name: facts["bytes"] for name, facts in by_source(folder).items()}
    assert set(report["compression"]["this"]["source"]) == {"web", "wiki"}
    assert report["training"]["kept"] == report["training"]["pretokens"] > 100
    sizes = [one["vocab_size"] for one in report["compression"].values()]
    rates = [one["all"]["bytes_per_token"] for one in report["compression"].values()]
    assert sizes == sorted(sizes) and rates == sorted(rates) and len(sizes) == 2


def by_source(folder):
    """Bytes of the text of each source, from the shards."""
    tokenizer, found = FrozenTokenizer.load(folder / "tokenizer.json"), {}
    for shard in shards_of(folder):
        size = sum(len(tokenizer.decode(ids).encode()) for _, ids in read_documents(shard.path))
        found.setdefault(shard.info.source, {"bytes": 0})["bytes"] += size
    return found


def test_validation_clusters_are_never_split(built, documents):
    folder, _ = built
    cluster = {row["doc_id"]: row["cluster"] for row in documents[:120]}
    splits = {}
    for shard in shards_of(folder):
        for doc_id, _ in read_documents(shard.path):
            if doc_id in cluster:
                splits.setdefault(cluster[doc_id], set()).add(shard.info.split)
    assert len(splits) == 20
    assert all(len(one) == 1 for one in splits.values())
    assert {next(iter(one)) for one in splits.values()} == {"train", "validation"}


def test_documents_are_shuffled_across_the_shards_of_a_source(built, documents):
    folder, _ = built
    rank = {row["doc_id"]: n for n, row in enumerate(documents)}
    order = [rank[doc_id] for shard in list_shards(folder, "train")["web"] for doc_id, _ in read_documents(shard.path)]
    rising = sum(a < b for a, b in zip(order, order[1:], strict=False)) / len(order)
    assert 0.3 < rising < 0.7


def test_nothing_but_the_result_is_left(built):
    folder, _ = built
    files = ["summary.json", "tokenizer.json", "tokenizer_report.json"]
    assert sorted(path.name for path in folder.iterdir()) == [*files, "train", "validation"]
    assert not folder.with_name("tokens.building").exists()
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_reader_reads_each_token_of_the_training_split_once(built):
    folder, summary = built
    parts = [ShardReader(folder, rank=rank, world=2) for rank in range(2)]
    read = sum(len(row["input_ids"]) for part in parts for row in part)
    assert read == sum(one["train"] for one in summary["tokens"].values())


def test_shards_are_the_same_bytes_whatever_the_partitions_and_order_of_the_input(build, built, tmp_path, documents):
    folder, summary = built
    curated = save(documents[::-1], tmp_path / "curated", files=7)
    assert build(curated, tmp_path / "tokens", clustered=True, partitions="5") == summary
    one, other = ({p.relative_to(f): p.read_bytes() for p in f.rglob("*.*")} for f in (folder, tmp_path / "tokens"))
    assert one == other


def test_imported_tokenizer_is_kept_and_without_clusters_each_document_decides_for_itself(
    build, built, tmp_path, documents
):
    folder, _ = built
    curated = save(documents, tmp_path / "curated", files=1)
    left_over = tmp_path / "tokens.building/train/web/part-99999.parquet"  # of a run that broke off
    left_over.parent.mkdir(parents=True)
    left_over.write_text("half")
    imported = TokenizerSettings(file=str(folder / "tokenizer.json"))
    changed = SETTINGS.model_copy(update={"tokenizer": imported, "shard_tokens": 10**8})
    summary = build(curated, tmp_path / "tokens", changed)
    assert (tmp_path / "tokens/tokenizer.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
    held_out = sum(one["validation"] for one in summary["documents"].values()) / 240
    assert 0.1 < held_out < 0.3
    assert summary["shards"] == {name: {"train": 1, "validation": 1} for name in ("web", "wiki")}


def test_folder_with_something_in_it_is_refused_and_kept(build, tmp_path):
    (tmp_path / "tokens").mkdir()
    (tmp_path / "tokens/precious").write_text("x")
    with pytest.raises(ResumeError, match="holds something already"):
        build(tmp_path / "curated", tmp_path / "tokens")
    assert (tmp_path / "tokens/precious").read_text() == "x"


def test_unusable_curated_folders_are_refused(build, tmp_path, documents):
    with pytest.raises(InputError, match="cannot be read as curated"):
        build(tmp_path / "absent", tmp_path / "a")
    with pytest.raises(InputError, match="no documents"):
        build(save([], tmp_path / "empty", files=1), tmp_path / "b")
    strange = save([{**documents[0], "source": "a/b"}], tmp_path / "strange", files=1)
    with pytest.raises(InputError, match="'a/b' cannot name a folder"):
        build(strange, tmp_path / "c")


def test_sample_too_small_for_any_document_is_refused(build, tmp_path, documents):
    tiny = TokenizerSettings(train=TrainSettings(vocab_size=600, sample_bytes=3))
    with pytest.raises(TokenizerError, match="raise sample_bytes"):
        build(save(documents, tmp_path / "curated", files=1), tmp_path / "t", TokenSettings(tokenizer=tiny))


def test_shares_of_the_mixture_weight_the_sample(build, tmp_path, documents):
    """Wiki is 14 % of the text; at three fifths of the sample its two words decide the first merges."""
    rows = [{**row, "text": "wiki wikis " * 40 if row["source"] == "wiki" else row["text"]} for row in documents]
    curated = save(rows, tmp_path / "curated", files=2)
    few = TokenSettings(tokenizer=TokenizerSettings(train=TrainSettings(vocab_size=262, compare_sizes=())))
    build(curated, tmp_path / "tokens", few, mixture=MixtureSettings(sources={"wiki": 0.6, "web": 0.4}))
    tokenizer = FrozenTokenizer.load(tmp_path / "tokens/tokenizer.json")
    report = json.loads((tmp_path / "tokens/tokenizer_report.json").read_text())
    assert len(tokenizer.encode(" wiki")) == 1
    assert report["sample"]["wiki"]["share"] == pytest.approx(0.6, abs=0.001)
    assert report["sample"]["web"]["share_asked"] == 0.4


def test_mixture_of_a_source_without_text_costs_the_weights_only(build, tmp_path, documents):
    curated = save(documents[:60], tmp_path / "curated", files=1)
    mixture = MixtureSettings(sources={"web": 0.5, "code": 0.5})
    assert build(curated, tmp_path / "tokens", mixture=mixture)["vocab_size"] == 600
    report = json.loads((tmp_path / "tokens/tokenizer_report.json").read_text())
    assert report["notes"][0].startswith("sample not weighted: 'code' has no tokens")
    assert report["sample"]["web"]["share_asked"] is None


def test_file_of_ranks_becomes_the_tokenizer_of_the_shards(build, built, tmp_path, documents):
    from tests.tokens.test_tiktoken_file import save_ranks

    folder, _ = built
    path, ranks = save_ranks(tmp_path / "mine.tiktoken", (folder / "tokenizer.json").read_bytes())
    curated = save(documents[:40], tmp_path / "curated", files=1)
    imported = TokenizerSettings(file=str(path), pattern="qwen35")
    summary = build(curated, tmp_path / "tokens", SETTINGS.model_copy(update={"tokenizer": imported}))
    assert (summary["vocab_size"], summary["eos_id"]) == (len(ranks) + 1, len(ranks))
    assert len({shard.info.tokenizer_sha256 for shard in shards_of(tmp_path / "tokens")}) == 1
    assert json.loads((tmp_path / "tokens/tokenizer_report.json").read_text())["training"] is None
