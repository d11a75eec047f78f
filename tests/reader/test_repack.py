"""Whole documents packed while reading: nothing lost, any length, resumable, also on from one length to another."""

from collections import Counter

import numpy as np
import pytest
from made_shards import END, ids_of, write_source

from curation.errors import InputError
from curation.reader import ShardReader, rows, source
from curation.tokens import shards as shard_module

SIZES = {n: 1 + n * n % 37 for n in range(200)}  # tokens without end token


@pytest.fixture
def tokens_dir(tmp_path, monkeypatch):
    """200 documents of 1 to 37 tokens in three shards, groups of about 4 documents, units of two groups."""
    monkeypatch.setattr(shard_module, "ROW_GROUP_TOKENS", 64)
    monkeypatch.setattr(source, "UNIT_GROUPS", 2)
    write_source(tmp_path, "web", list(SIZES.items()), "none", 16, shards=3)
    return tmp_path


def pieces(found) -> Counter:
    """(doc_id, start, ids) of every piece that was read, with how often."""
    counts: Counter = Counter()
    for row in found:
        ids = np.split(row["input_ids"], np.cumsum(row["doc_lengths"])[:-1])
        for doc_id, start, piece in zip(row["doc_ids"].tolist(), row["doc_starts"].tolist(), ids, strict=True):
            counts[doc_id, start, tuple(piece.tolist())] += 1
    return counts


def expected_pieces(length: int) -> set:
    whole = {n: [*ids_of(n, size).tolist(), END] for n, size in SIZES.items()}
    return {(n, at, tuple(ids[at : at + length])) for n, ids in whole.items() for at in range(0, len(ids), length)}


@pytest.mark.parametrize("length", [2, 16, 38, 64, 1000])
@pytest.mark.parametrize("world", [1, 3])
def test_each_document_is_read_once_in_pieces_of_the_length(tokens_dir, length, world):
    readers = [ShardReader(tokens_dir, rank=rank, world=world, sequence_length=length) for rank in range(world)]
    found = [row for reader in readers for row in reader]
    assert max(len(row["input_ids"]) for row in found) <= length
    assert pieces(found) == dict.fromkeys(expected_pieces(length), 1)
    assert sum(int(row["doc_bytes"].sum()) for row in found) == sum(SIZES.values())


def test_without_a_length_rows_are_whole_documents(tokens_dir):
    found = list(ShardReader(tokens_dir))
    assert sorted((int(row["doc_ids"][0]), len(row["input_ids"]) - 1) for row in found) == list(SIZES.items())


def read(reader) -> list[list[int]]:
    return [row["input_ids"].tolist() for row in reader]


@pytest.mark.parametrize("done", [0, 1, 17, 40])
def test_resume_goes_on_with_the_next_packed_row(tokens_dir, done, monkeypatch):
    monkeypatch.setattr(rows, "BLOCK_TOKENS", 16 * 7)
    mixture = {"sources": {"web": {"epochs": 1.5}}}
    whole = read(ShardReader(tokens_dir, mixture, seed=4, sequence_length=16))
    reader = ShardReader(tokens_dir, mixture, seed=4, sequence_length=16)
    reader.skip(done)
    parts = []
    for rank in range(2):
        again = ShardReader(tokens_dir, mixture, seed=4, rank=rank, world=2, sequence_length=16)
        again.load_state_dict(reader.state_dict())
        parts.append(read(again))
    assert [parts[g % 2][g // 2] for g in range(len(whole) - done)] == whole[done:]


def two_phases(first: float, then: float) -> dict:
    phases = [("main", 16, first), ("long", 64, then)]
    return {
        "phases": [
            {"name": name, "sequence_length": length, "sources": {"web": {"epochs": epochs}}}
            for name, length, epochs in phases
        ]
    }


@pytest.mark.parametrize("share", [0.2, 0.5, 0.77])
def test_phase_of_another_length_goes_on_at_the_next_unit(tokens_dir, share):
    found = {"main": set(), "long": set()}
    for row in ShardReader(tokens_dir, two_phases(share, 1 - share - 0.1)):
        assert len(row["input_ids"]) <= (16 if row["phase"] == "main" else 64)
        found[row["phase"]].update(row["doc_ids"].tolist())
    assert found["main"] and found["long"] and not found["main"] & found["long"]


def test_phase_after_a_whole_pass_begins_the_next_one(tokens_dir):
    found = list(ShardReader(tokens_dir, two_phases(1.0, 1.0)))
    for name, length in (("main", 16), ("long", 64)):
        assert pieces(row for row in found if row["phase"] == name) == dict.fromkeys(expected_pieces(length), 1)


def test_tokenizer_is_needed_for_the_bytes_of_pieces(tokens_dir):
    (tokens_dir / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="no .*tokenizer.json"):
        ShardReader(tokens_dir, sequence_length=16)
    assert len(list(ShardReader(tokens_dir))) == 200
