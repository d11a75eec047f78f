"""The reader: each row once per epoch over all ranks, shares held all along, exact resume."""

import json
import subprocess
import sys
from collections import Counter
from itertools import islice

import numpy as np
import pytest

from curation.errors import MixtureError, ResumeError
from curation.reader import ShardReader
from curation.reader import rows as rows_module
from curation.tokens import shards as shard_module
from curation.tokens.pack import pack
from curation.tokens.shards import ShardInfo, write_shard

LENGTH = 8
ROWS = {"web": 40, "wiki": 10, "code": 25}


@pytest.fixture
def tokens_dir(tmp_path, monkeypatch):
    """Three sources; row n of a source starts with the id n. Web has two shards; row groups hold 4 rows."""
    monkeypatch.setattr(shard_module, "ROW_GROUP_TOKENS", 4 * LENGTH)
    for source, total in ROWS.items():
        shards = 2 if source == "web" else 1
        for number in range(shards):
            numbers = range(number * total // shards, (number + 1) * total // shards)
            info = ShardInfo("0" * 64, 1000, LENGTH, 999, "concat", source, "train")
            documents = ((n, np.array([n] * (LENGTH - 1))) for n in numbers)
            rows = pack(documents, "concat", LENGTH, 999, np.ones(1000, dtype=np.int32))
            write_shard(tmp_path / "train" / source / f"part-{number:05d}.parquet", info, rows)
    return tmp_path


def names(rows) -> list[tuple[str, int]]:
    return [(row["source"], int(row["input_ids"][0])) for row in rows]


ALL = sorted((source, n) for source, total in ROWS.items() for n in range(total))


@pytest.fixture(params=[1000, 16, 1], ids=lambda rows: f"blocks of {rows}", autouse=True)
def block_rows(request, monkeypatch):
    """Everything holds for any size of the blocks in which rows are handed out."""
    monkeypatch.setattr(rows_module, "BLOCK_TOKENS", request.param * LENGTH)
    return request.param


@pytest.mark.parametrize("world", [1, 2, 3, 8])
def test_without_mixture_each_row_comes_once_over_all_ranks(tokens_dir, world):
    parts = [names(ShardReader(tokens_dir, rank=rank, world=world)) for rank in range(world)]
    assert sorted(one for part in parts for one in part) == ALL
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_ranks_interleave_to_the_order_of_one_reader(tokens_dir):
    alone = names(ShardReader(tokens_dir))
    parts = [names(ShardReader(tokens_dir, rank=rank, world=3)) for rank in range(3)]
    assert [parts[g % 3][g // 3] for g in range(len(alone))] == alone


def test_row_holds_arrays_of_the_stored_types(tokens_dir):
    row = next(iter(ShardReader(tokens_dir)))
    assert {name: value.dtype for name, value in row.items() if isinstance(value, np.ndarray)} == {
        "input_ids": np.int32,
        "doc_lengths": np.int32,
        "doc_ids": np.int64,
        "doc_starts": np.int32,
        "doc_bytes": np.int64,
    }
    found = [row[name].tolist() for name in ("doc_lengths", "doc_ids", "doc_starts", "doc_bytes")]
    assert found == [[LENGTH], [row["input_ids"][0]], [0], [LENGTH]]
    assert (row["source"], row["phase"]) == ("web", "")


def mixture_of(**epochs: float) -> dict:
    return {"sources": {name: {"epochs": times} for name, times in epochs.items()}}


def test_mixture_repeats_and_thins_sources_by_their_epochs(tokens_dir):
    found = names(ShardReader(tokens_dir, mixture_of(web=0.5, wiki=3.0)))
    counts = Counter(found)
    assert Counter(source for source, _ in found) == {"web": 20, "wiki": 30}
    assert set(counts.values()) == {1, 3}
    assert all(count == (3 if source == "wiki" else 1) for (source, _), count in counts.items())


def test_each_epoch_of_a_source_is_complete_before_the_next_and_in_another_order(tokens_dir):
    found = [n for _, n in names(ShardReader(tokens_dir, mixture_of(wiki=3.0)))]
    passes = [found[i : i + 10] for i in (0, 10, 20)]
    assert all(sorted(one) == list(range(10)) for one in passes)
    assert len({tuple(one) for one in passes}) == 3


def test_shares_hold_in_each_stretch_of_the_run(tokens_dir):
    found = [source for source, _ in names(ShardReader(tokens_dir, mixture_of(web=1.0, wiki=2.0)))]
    for start in range(0, 60, 6):
        assert 3 <= found[start : start + 6].count("web") <= 5  # 4 of 6 by the mixture


def test_mixture_file_is_read(tokens_dir):
    path = tokens_dir / "mixture.json"
    path.write_text(json.dumps(mixture_of(code=1.0)))
    assert sorted(names(ShardReader(tokens_dir, path))) == [one for one in ALL if one[0] == "code"]


def test_seed_changes_the_order_and_nothing_else(tokens_dir):
    one, same, other = (names(ShardReader(tokens_dir, seed=seed)) for seed in (1, 1, 2))
    assert one == same != other
    assert sorted(one) == sorted(other)


@pytest.mark.parametrize("done", [0, 1, 13, 37])
def test_resume_goes_on_with_the_next_row(tokens_dir, done):
    whole = names(ShardReader(tokens_dir, mixture_of(web=1.0, wiki=2.5), rank=1, world=2, seed=3))
    reader = ShardReader(tokens_dir, mixture_of(web=1.0, wiki=2.5), rank=1, world=2, seed=3)
    head = names(islice(reader, done)) if done else []
    state = json.loads(json.dumps(reader.state_dict()))
    again = ShardReader(tokens_dir, mixture_of(web=1.0, wiki=2.5), rank=1, world=2, seed=3)
    again.load_state_dict(state)
    assert head + names(again) == whole
    assert names(reader) == whole[done:]


def test_resume_with_another_number_of_ranks_loses_and_repeats_nothing(tokens_dir):
    readers = [ShardReader(tokens_dir, rank=rank, world=4) for rank in range(4)]
    seen = [one for reader in readers for one in names(islice(reader, 7))]
    states = [reader.state_dict() for reader in readers]
    assert all(state == states[0] for state in states)
    for rank in range(3):
        reader = ShardReader(tokens_dir, rank=rank, world=3)
        reader.load_state_dict(states[0])
        seen += names(reader)
    assert sorted(seen) == ALL


def test_state_ahead_is_the_state_after_so_many_rows(tokens_dir):
    reader, other = (ShardReader(tokens_dir, rank=1, world=2) for _ in range(2))
    names(islice(reader, 6))
    assert other.state_dict(ahead=6) == reader.state_dict()


@pytest.mark.parametrize(("batch", "parts"), [(1, 2), (4, 3), (5, 1), (100, 2)])
def test_parts_take_turns_by_batches(tokens_dir, batch, parts):
    reader = ShardReader(tokens_dir, rank=1, world=2)
    reader.skip(3)
    whole = names(reader.rows())
    expected = [[], *[[] for _ in range(parts - 1)]]
    for number, first in enumerate(range(0, len(whole), batch)):
        expected[number % parts] += whole[first : first + batch]
    assert [names(reader.rows(batch, part, parts)) for part in range(parts)] == expected


def test_skip_passes_over_rows(tokens_dir):
    whole = names(ShardReader(tokens_dir, rank=1, world=2))
    reader = ShardReader(tokens_dir, rank=1, world=2)
    reader.skip(5)
    first = names(islice(reader, 2))
    reader.skip(3)
    assert first + names(reader) == whole[5:7] + whole[10:]


def test_position_may_be_moved_in_the_middle_of_a_loop(tokens_dir):
    whole = names(ShardReader(tokens_dir))
    reader, seen, start = ShardReader(tokens_dir), [], ShardReader(tokens_dir).state_dict()
    for row in reader:
        seen += names([row])
        if len(seen) == 3:
            reader.skip(10)
        if len(seen) == 8:
            reader.load_state_dict(start)
    assert seen == whole[:3] + whole[13:18] + whole


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_file_that_is_no_mixture_is_refused(tokens_dir, content):
    path = tokens_dir / "mixture.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(MixtureError, match="mixture.json"):
        ShardReader(tokens_dir, path)


@pytest.mark.parametrize("change", [{"seed": 9}, {"mixture": mixture_of(web=1.0)}], ids=["seed", "mixture"])
def test_state_of_other_data_is_refused(tokens_dir, change):
    state = ShardReader(tokens_dir).state_dict()
    with pytest.raises(ResumeError, match="saved state"):
        ShardReader(tokens_dir, **change).load_state_dict(state)


def test_mixture_with_an_unknown_source_is_refused(tokens_dir):
    with pytest.raises(MixtureError, match="'wikki' .did you mean 'wiki'"):
        ShardReader(tokens_dir, mixture_of(wikki=1.0))


def test_folder_without_shards_is_refused(tmp_path):
    with pytest.raises(MixtureError, match="no token shards"):
        ShardReader(tmp_path)


def test_reader_needs_only_pyarrow_and_numpy():
    heavy = "('pyspark', 'gigatoken', 'tokenizers', 'numba', 'torch')"
    code = f"import curation.reader, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
