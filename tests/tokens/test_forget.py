"""Shards without some documents: what is left is what was there, in its rows and row groups."""

from itertools import islice

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import ResumeError
from curation.reader import ShardReader
from curation.tokens.forget import rewrite_without, tokens_held
from curation.tokens.pack import PACKINGS, pack
from curation.tokens.shards import ShardInfo, open_shard, read_documents, read_groups, read_rows, write_groups

EOS, VOCABULARY, LENGTH = 9, 10, 8
TOKEN_BYTES = np.array([1, 1, 2, 3, 1, 1, 1, 4, 2, 0])


def write(path, documents, packing, group=3):
    """A shard of (doc_id, ids), `group` rows a row group."""
    info = ShardInfo("f" * 64, VOCABULARY, LENGTH, EOS, packing, "web", "train")
    rows = list(pack(documents, packing, LENGTH, EOS, TOKEN_BYTES))
    return write_groups(path, info, [rows[at : at + group] for at in range(0, len(rows), group)])


def pieces_of(rows):
    """(row number among those that have it, doc_id, start, tokens, bytes) of every piece."""
    found = []
    for number, row in enumerate(rows):
        ids = np.split(row.input_ids, np.cumsum(row.doc_lengths)[:-1])
        columns = (row.doc_ids.tolist(), row.doc_starts.tolist(), row.doc_bytes.tolist(), ids)
        found += [(number, doc, at, one.tolist(), size) for doc, at, size, one in zip(*columns, strict=True)]
    return found


token_lists = st.lists(st.integers(0, EOS - 1), max_size=20).map(lambda ids: np.array(ids, dtype=np.int32))


@pytest.mark.parametrize("packing", PACKINGS)
@settings(max_examples=25)
@given(lists=st.lists(token_lists, min_size=1, max_size=12), draw=st.data())
def test_other_documents_keep_their_tokens_rows_and_order(tmp_path_factory, packing, lists, draw):
    path = tmp_path_factory.mktemp("shard") / "part-00000.parquet"
    documents = [(number * 1_000_003 - 5, ids) for number, ids in enumerate(lists)]
    before = write(path, documents, packing)
    rows = list(read_rows(path))
    gone = set(draw.draw(st.lists(st.sampled_from([one for one, _ in documents]), unique=True)))
    left = {one: ids.tolist() for one, ids in documents if one not in gone}
    assert tokens_held(path, gone) == sum(len(ids) + 1 for one, ids in documents if one in gone)
    after = rewrite_without(path, gone)
    if not left:
        assert after is None and not path.exists()
        return
    assert {one: ids.tolist() for one, ids in read_documents(path)} == left
    emptied = [number for number, row in enumerate(rows) if set(row.doc_ids.tolist()) <= gone]
    expected = [(n - sum(e < n for e in emptied), *rest) for n, *rest in pieces_of(rows) if rest[0] not in gone]
    assert pieces_of(read_rows(path)) == expected
    lost_bytes = sum(int(TOKEN_BYTES[ids].sum()) for one, ids in documents if one in gone)
    assert after.counts.documents == len(left) and after.counts.rows == before.counts.rows - len(emptied)
    assert after.counts.bytes == before.counts.bytes - lost_bytes
    assert open_shard(path) == after
    assert tokens_held(path, gone) == 0


def test_row_groups_stay_apart_so_that_readers_draw_the_same_order(tmp_path):
    path = tmp_path / "part-00000.parquet"
    documents = [(number, np.full(3, number % EOS, dtype=np.int32)) for number in range(24)]
    write(path, documents, "best_fit", group=2)
    sizes = [len(group) for group in read_groups(path)]
    assert len(sizes) > 3
    rewrite_without(path, {0, 7})
    assert [len(group) for group in read_groups(path)] == sizes


def test_row_group_of_which_nothing_is_left_goes(tmp_path):
    path = tmp_path / "part-00000.parquet"
    write(path, [(number, np.zeros(2, dtype=np.int32)) for number in range(6)], "none", group=2)
    rewrite_without(path, {2, 3})
    assert pq.read_metadata(path).num_row_groups == 2
    assert [one for one, _ in read_documents(path)] == [0, 1, 4, 5]


def test_shard_appears_whole_or_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "part-00000.parquet"
    write(path, [(1, np.zeros(2, dtype=np.int32)), (2, np.zeros(2, dtype=np.int32))], "none")
    before = path.read_bytes()
    monkeypatch.setattr("curation.tokens.forget._without", lambda rows, wanted: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rewrite_without(path, {1})
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_reader_goes_on_from_a_saved_position_unless_a_row_went(tmp_path):
    path = tmp_path / "train" / "web" / "part-00000.parquet"
    path.parent.mkdir(parents=True)
    documents = [(number, np.full(1 + number % 3, number % EOS, dtype=np.int32)) for number in range(60)]
    write(path, documents, "concat", group=2)
    reader = ShardReader(tmp_path, seed=4)
    before = [row["doc_ids"].tolist() for row in islice(reader, 9)]
    state = reader.state_dict()
    before += [row["doc_ids"].tolist() for row in reader]
    gone = {next(doc for doc in ids if sum(doc in row for row in before) == 1) for ids in before[7:12]}
    rewrite_without(path, gone)
    again = ShardReader(tmp_path, seed=4)
    again.load_state_dict(state)
    assert [row["doc_ids"].tolist() for row in again] == [[doc for doc in ids if doc not in gone] for ids in before[9:]]
    rewrite_without(path, set(before[0]))
    with pytest.raises(ResumeError, match="the saved state has"):
        ShardReader(tmp_path, seed=4).load_state_dict(state)
