"""Shards: ids and borders survive, other tools open them, and the wrong tokenizer is refused."""

import dataclasses
import json

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from curation.errors import InputError, TokenizerError
from curation.tokens import shards as module
from curation.tokens.pack import PACKINGS, PackedRow, pack
from curation.tokens.shards import (
    ShardInfo,
    list_shards,
    open_shard,
    read_documents,
    read_rows,
    tokens_by_source,
    write_shard,
)


def info_of(tokenizer, sequence_length=64, source="web", split="train", packing="concat") -> ShardInfo:
    return ShardInfo(tokenizer.sha256, tokenizer.vocab_size, sequence_length, tokenizer.eos_id, packing, source, split)


def write(path, tokenizer, texts, **options):
    info = info_of(tokenizer, **options)
    documents = enumerate(tokenizer.encode_batch(texts))
    rows = pack(documents, info.packing, info.sequence_length, info.eos_id, tokenizer.token_bytes)
    return write_shard(path, info, rows)


def row_of(*ids: int) -> PackedRow:
    """One document, number 5."""
    return PackedRow(np.array(ids, dtype=np.int32), *(np.array([one]) for one in (len(ids), 5, 0, len(ids))))


@pytest.mark.parametrize("packing", PACKINGS)
def test_shard_decodes_to_the_texts_document_by_document(tokenizer, texts, tmp_path, packing):
    write(tmp_path / "part-00000.parquet", tokenizer, [*texts[:30], "", "<|endoftext|>"], packing=packing)
    found = [(one, tokenizer.decode(ids)) for one, ids in read_documents(tmp_path / "part-00000.parquet", tokenizer)]
    assert sorted(found) == list(enumerate([*texts[:30], "", "<|endoftext|>"]))


@pytest.mark.parametrize("packing", PACKINGS)
def test_footer_counts_bytes_of_text_and_documents_that_were_cut(tokenizer, texts, tmp_path, packing):
    texts = [*texts[:20], *[text * 4 for text in texts[20:24]], "\u4e2d\u6587", ""]
    sizes = [len(ids) + 1 for ids in tokenizer.encode_batch(texts)]
    length = max(sizes[:20]) + 3  # the first twenty fit into a row, the next four do not
    counts = write(tmp_path / "x", tokenizer, texts, packing=packing, sequence_length=length).counts
    assert counts.bytes == sum(len(text.encode()) for text in texts)
    assert (counts.tokens, counts.documents) == (sum(sizes), len(texts))
    starts = [end - size for end, size in zip(np.cumsum(sizes), sizes, strict=True)]
    cut = [one for one, size in zip(starts, sizes, strict=True) if one // length != (one + size - 1) // length]
    expected = {"concat": (len(cut), len(cut) - 4), "best_fit": (4, 0), "none": (0, 0)}
    assert (counts.cut, counts.cut_fitting) == expected[packing]
    assert counts.cut > 4 or packing != "concat"


def test_ids_above_65535_survive(wide_tokenizer, tmp_path):
    texts = ["\n".join(["zz", "za", "zy"] * 50), "zz\u4e2d", "end of <|endoftext|>"]
    write(tmp_path / "part-00000.parquet", wide_tokenizer, texts)
    rows = list(read_rows(tmp_path / "part-00000.parquet"))
    assert max(row.input_ids.max() for row in rows) == wide_tokenizer.eos_id == 65_792
    assert sum(int((row.input_ids > 65_535).sum()) for row in rows) > 100
    found = [wide_tokenizer.decode(ids) for _, ids in read_documents(tmp_path / "part-00000.parquet", wide_tokenizer)]
    assert found == texts


def test_row_groups_bound_memory_and_change_nothing(tokenizer, texts, tmp_path, monkeypatch):
    whole = write(tmp_path / "whole.parquet", tokenizer, texts[:40])
    monkeypatch.setattr(module, "ROW_GROUP_TOKENS", 64 * 3)
    write(tmp_path / "small.parquet", tokenizer, texts[:40])
    groups = pq.ParquetFile(tmp_path / "small.parquet").metadata
    assert groups.num_row_groups == -(-whole.counts.rows // 3)
    one, other = (pq.read_table(tmp_path / name) for name in ("whole.parquet", "small.parquet"))
    assert one.equals(other)
    assert [row.input_ids.tolist() for row in read_rows(tmp_path / "small.parquet")] == one["input_ids"].to_pylist()


def test_footer_counts_equal_a_query_over_the_columns(tokenizer, texts, tmp_path):
    path = tmp_path / "part-00000.parquet"
    shard = write(path, tokenizer, texts[:30])
    rows, tokens = duckdb.sql(f"select count(*), sum(len(input_ids)) from '{path}'").fetchall()[0]
    documents = duckdb.sql(f"select count(distinct d) from (select unnest(doc_ids) d from '{path}')").fetchall()[0][0]
    assert (tokens, rows, documents) == (shard.counts.tokens, shard.counts.rows, shard.counts.documents)
    assert open_shard(path) == shard
    assert shard.counts.tokens == sum(len(ids) + 1 for ids in tokenizer.encode_batch(texts[:30]))


@pytest.mark.parametrize("tool", ["pyarrow.dataset", "duckdb", "datasets"])
def test_shard_opens_in_other_tools_with_the_same_rows(tokenizer, texts, tmp_path, tool):
    path = tmp_path / "part-00000.parquet"
    write(path, tokenizer, texts[:10])
    expected = [tuple(column.tolist() for column in row) for row in read_rows(path)]
    if tool == "duckdb":
        found = duckdb.sql(f"select * from '{path}'").fetchall()
    elif tool == "datasets":
        from datasets import load_dataset

        loaded = load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
        found = [tuple(row[name] for name in module.COLUMNS.names) for row in loaded]
    else:
        found = [tuple(row.values()) for row in pa.dataset.dataset(tmp_path, format="parquet").to_table().to_pylist()]
    assert found == expected


def test_metadata_names_tokenizer_and_packing(tokenizer, texts, tmp_path):
    write(tmp_path / "part-00000.parquet", tokenizer, texts[:3])
    found = pq.read_schema(tmp_path / "part-00000.parquet").metadata
    assert found[b"curation.tokenizer_sha256"].decode() == tokenizer.sha256
    assert {name: found[f"curation.{name}".encode()].decode() for name in ("vocab_size", "eos_id", "packing")} == {
        "vocab_size": "800",
        "eos_id": "799",
        "packing": "concat",
    }


def test_same_rows_give_the_same_bytes(tokenizer, texts, tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name, tokenizer, texts[:20])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("one", [-1, 800, 70_000])
def test_id_outside_the_vocabulary_is_not_written_and_leaves_no_file(tokenizer, tmp_path, one):
    row = row_of(1, one)
    with pytest.raises(TokenizerError, match=f"id {one} is outside the vocabulary of 800"):
        write_shard(tmp_path / "part-00000.parquet", info_of(tokenizer), [row])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [0, 2**31 + 1])
def test_vocabulary_beyond_int32_is_refused(tokenizer, tmp_path, size):
    with pytest.raises(TokenizerError, match="int32"):
        write_shard(tmp_path / "x.parquet", dataclasses.replace(info_of(tokenizer), vocab_size=size), [])


def test_other_tokenizer_is_refused(tokenizer, wide_tokenizer, texts, tmp_path):
    write(tmp_path / "part-00000.parquet", tokenizer, texts[:3])
    with pytest.raises(TokenizerError, match=f"{tokenizer.sha256[:12]}, not with {wide_tokenizer.sha256[:12]}"):
        list(read_documents(tmp_path / "part-00000.parquet", wide_tokenizer))


def test_folder_of_shards_is_listed_by_source(tokenizer, texts, tmp_path):
    for source, number in (("web", 0), ("web", 1), ("wiki", 0)):
        write(tmp_path / f"train/{source}/part-{number:05d}.parquet", tokenizer, texts[: 3 + number], source=source)
    found = list_shards(tmp_path, "train")
    assert {source: [shard.path.name for shard in shards] for source, shards in found.items()} == {
        "web": ["part-00000.parquet", "part-00001.parquet"],
        "wiki": ["part-00000.parquet"],
    }
    assert tokens_by_source(tmp_path)["web"] == sum(shard.counts.tokens for shard in found["web"])


def test_folder_with_shards_of_two_tokenizers_is_refused(tokenizer, wide_tokenizer, texts, tmp_path):
    write(tmp_path / "train/web/part-00000.parquet", tokenizer, texts[:3])
    write(tmp_path / "train/web/part-00001.parquet", wide_tokenizer, texts[:3])
    with pytest.raises(TokenizerError, match="part-00001"):
        list_shards(tmp_path, "train")


def test_shards_that_do_not_match_the_tokenizer_beside_them_are_refused(tokenizer, wide_tokenizer, texts, tmp_path):
    write(tmp_path / "train/web/part-00000.parquet", tokenizer, texts[:3])
    (tmp_path / "tokenizer.json").write_bytes(tokenizer.json)
    assert list_shards(tmp_path, "train")
    (tmp_path / "tokenizer.json").write_bytes(wide_tokenizer.json)
    with pytest.raises(TokenizerError, match="not with"):
        list_shards(tmp_path, "train")


@pytest.mark.parametrize("kind", ["absent", "text", "other parquet"])
def test_what_is_no_token_shard_is_refused(tmp_path, kind):
    path = tmp_path / "part-00000.parquet"
    if kind == "text":
        path.write_text(json.dumps({"no": "parquet"}))
    if kind == "other parquet":
        pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="not a token shard"):
        open_shard(path)


def test_shard_that_ends_inside_a_document_is_refused(tokenizer, tmp_path):
    row = row_of(1, 2)
    write_shard(tmp_path / "part-00000.parquet", info_of(tokenizer), [row])
    with pytest.raises(InputError, match="document 5 is not whole: it has no end token"):
        list(read_documents(tmp_path / "part-00000.parquet"))
