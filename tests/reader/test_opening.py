"""Opening a reader costs no footer of each shard, and what does not belong together is still noticed."""

import pytest
from made_shards import write_source, write_summary

from curation.errors import InputError, TokenizerError
from curation.reader import ShardReader
from curation.tokens import shards as shard_module

DOCUMENTS = [(n, 1 + n % 15) for n in range(60)]


def test_counts_come_from_the_summary_and_are_compared_when_a_shard_is_opened(tmp_path, monkeypatch):
    written = write_source(tmp_path, "web", DOCUMENTS, "best_fit", 16, shards=3)
    write_summary(tmp_path, written)
    opened = []
    original = shard_module.pq.read_metadata
    monkeypatch.setattr(shard_module.pq, "read_metadata", lambda path: (opened.append(path), original(path))[1])
    reader = ShardReader(tmp_path)
    assert len(opened) == 1  # the first of the source
    assert reader.total_rows == sum(counts.rows for counts in written.values())
    assert sum(len(row["input_ids"]) for row in reader) == sum(size + 1 for _, size in DOCUMENTS)
    name, counts = list(written.items())[1]
    write_summary(tmp_path, {**written, name: counts._replace(rows=counts.rows + 1)})
    with pytest.raises(InputError, match="part-00001.parquet holds .* summary.json says"):
        list(ShardReader(tmp_path))


def test_shards_beside_an_older_summary_are_read_by_their_footers(tmp_path):
    (tmp_path / "summary.json").write_text('{"tokens": {}}')
    written = write_source(tmp_path, "web", DOCUMENTS, "best_fit", 16, shards=3)
    assert ShardReader(tmp_path).total_rows == sum(counts.rows for counts in written.values())


def test_shard_that_the_summary_names_and_that_is_gone_is_missed_at_once(tmp_path):
    written = write_source(tmp_path, "web", DOCUMENTS, "best_fit", 16, shards=2)
    write_summary(tmp_path, written)
    (tmp_path / "train/web/part-00001.parquet").unlink()
    with pytest.raises(InputError, match="names train/web/part-00001.parquet"):
        ShardReader(tmp_path)


def test_shards_of_another_packing_are_refused(tmp_path):
    write_source(tmp_path, "web", DOCUMENTS, "best_fit", 16, shards=2)
    write_source(tmp_path, "web", DOCUMENTS, "concat", 16)
    with pytest.raises(TokenizerError, match="part-00001.parquet holds ShardInfo.*packing='best_fit'"):
        list(ShardReader(tmp_path))


def test_shards_of_another_tokenizer_than_the_one_beside_them_are_refused(tmp_path):
    write_source(tmp_path, "web", DOCUMENTS, "best_fit", 16)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(TokenizerError, match="not written with one tokenizer"):
        ShardReader(tmp_path)
