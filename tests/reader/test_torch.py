"""The dataset for PyTorch: the same batches with any number of workers, no row twice, exact resume."""

import numpy as np
import pytest
from made_shards import BYTES, END, write_source

from curation.reader import ShardReader, targets
from curation.tokens import shards as shard_module

torch = pytest.importorskip("torch")

LENGTH, BATCH = 16, 3


@pytest.fixture
def tokens_dir(tmp_path, monkeypatch):
    monkeypatch.setattr(shard_module, "ROW_GROUP_TOKENS", 4 * LENGTH)
    for name, documents in (("web", 60), ("wiki", 20)):
        write_source(tmp_path, name, [(n, 1 + n * 7 % 20) for n in range(documents)], "best_fit", LENGTH)
    return tmp_path


def dataset_of(tokens_dir, rank=0, world=1):
    from curation.reader.torch_rows import TorchRows

    return TorchRows(ShardReader(tokens_dir, rank=rank, world=world), LENGTH, END, batch_size=BATCH)


def batches(dataset, workers=0) -> list[list[list[int]]]:
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers)
    return [batch["labels"].tolist() for batch in loader]


def test_tensors_are_the_targets_of_the_rows(tokens_dir):
    rows = list(ShardReader(tokens_dir))
    for row, found in zip(rows, dataset_of(tokens_dir), strict=True):
        expected = targets(row, LENGTH, END)
        assert {name: tensor.tolist() for name, tensor in found.items() if name != "bytes"} == {
            name: array.tolist() for name, array in expected.items()
        }
        assert found["bytes"] == BYTES[row["input_ids"]].sum() == row["doc_bytes"].sum()


@pytest.mark.parametrize("world", [1, 2])
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_give_the_batches_of_a_single_process(tokens_dir, world, workers):
    for rank in range(world):
        assert batches(dataset_of(tokens_dir, rank, world), workers) == batches(dataset_of(tokens_dir, rank, world))


def test_rows_of_all_ranks_and_workers_are_the_rows_of_the_shards(tokens_dir):
    expected = sorted(targets(row, LENGTH, END)["labels"].tolist() for row in ShardReader(tokens_dir))
    found = [row for rank in range(2) for batch in batches(dataset_of(tokens_dir, rank, 2), 2) for row in batch]
    assert sorted(found) == expected


@pytest.mark.parametrize("workers", [0, 2])
def test_resume_after_the_batches_that_came_out_whatever_was_read_ahead(tokens_dir, workers):
    whole = batches(dataset_of(tokens_dir))
    dataset = dataset_of(tokens_dir)
    loader = iter(torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers))
    head = [next(loader)["labels"].tolist() for _ in range(4)]
    again = dataset_of(tokens_dir)
    again.load_state_dict(dataset.state_dict(seen=4 * BATCH))
    assert head + batches(again, workers) == whole


def test_mask_from_documents_lets_no_document_see_another(tokens_dir):
    """With attention by `documents`, the output at a document does not move when the others change."""
    row = next(row for row in dataset_of(tokens_dir) if row["documents"].max() >= 2)
    same = row["documents"][:, None] == row["documents"][None, :]
    mask = same & torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    embedded = torch.nn.Embedding(END + 1, 8)(row["input_ids"])
    other = embedded.clone()
    other[row["documents"] != 1] += 1.0
    attend = torch.nn.functional.scaled_dot_product_attention
    here = row["documents"] == 1
    one, two = (attend(*[x[None]] * 3, attn_mask=mask[None])[0] for x in (embedded, other))
    assert torch.equal(one[here], two[here])
    assert not torch.allclose(one[~here], two[~here])
    assert np.array_equal(mask.sum(1)[here].numpy(), np.arange(1, int(here.sum()) + 1))
