"""What a worker does, without Spark."""

import numpy as np
import pyarrow as pa
import pytest

from curation.errors import InputError
from curation.tokens.shards import read_documents
from curation.tokens.worker import KEPT, encode_batches, write_batches


def batch_of(texts) -> pa.RecordBatch:
    count = len(texts)
    values = {"doc_id": range(10, 10 + count), "key": range(count), "chars": [len(text or "") for text in texts]}
    words = {name: ["x"] * count for name, kind in KEPT.items() if kind == "string"}
    columns = {name: pa.array(list(column), pa.int64()) for name, column in values.items()}
    return pa.RecordBatch.from_pydict({**columns, **words, "text": pa.array(texts, pa.large_string())})


def test_encoded_batch_keeps_ids_sizes_and_columns(tokenizer, texts):
    found = next(encode_batches([batch_of([*texts[:3], "", "\u4e2d"])], tokenizer))
    assert found["input_ids"].to_pylist() == [tokenizer.encode(text).tolist() for text in [*texts[:3], "", "\u4e2d"]]
    assert found["bytes"].to_pylist()[-2:] == [0, 3]
    assert found["doc_id"].to_pylist() == [10, 11, 12, 13, 14]


def test_empty_batch_is_encoded(tokenizer):
    assert next(encode_batches([batch_of([])], tokenizer)).num_rows == 0


def test_document_without_text_is_refused_by_its_id(tokenizer):
    with pytest.raises(InputError, match="document 11 has no text"):
        list(encode_batches([batch_of(["a", None])], tokenizer))


@pytest.mark.parametrize("size", [1, 2, 100])
def test_shards_do_not_depend_on_the_size_of_batches(tokenizer, tmp_path, size):
    places = [("web", "train", 0)] * 3 + [("web", "train", 1)] * 2 + [("wiki", "validation", 0)]
    table = pa.table(
        {
            "source": [place[0] for place in places],
            "split": [place[1] for place in places],
            "number": [place[2] for place in places],
            "doc_id": list(range(6)),
            "input_ids": pa.array([[n] * n for n in range(6)], pa.list_(pa.int32())),
        }
    )
    frozen = {"tokenizer_sha256": tokenizer.sha256, "vocab_size": tokenizer.vocab_size, "eos_id": tokenizer.eos_id}
    batches = table.to_batches(max_chunksize=size)
    written = pa.Table.from_batches(
        write_batches(batches, tmp_path, "concat", 4, frozen, tokenizer.token_bytes)
    ).to_pylist()
    assert [row["path"].removeprefix(f"{tmp_path}/") for row in written] == [
        "train/web/part-00000.parquet",
        "train/web/part-00001.parquet",
        "validation/wiki/part-00000.parquet",
    ]
    assert [row["documents"] for row in written] == [3, 2, 1]
    found = [one for row in written for one in read_documents(row["path"], tokenizer)]
    assert all((np.array([n] * n) == ids).all() and n == doc_id for n, (doc_id, ids) in enumerate(found))
    assert len(found) == 6
