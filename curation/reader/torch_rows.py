"""The reader as a PyTorch dataset. Needs torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from curation.reader.rows import ShardReader
from curation.reader.targets import targets


class TorchRows(IterableDataset):
    """Rows of `reader` as tensors (see `targets`) of `length` tokens, and `bytes`: the bytes of text of the row.

    Give `batch_size` as to the DataLoader: each of its workers then reads every so many-th batch, so the loader gives
    the same batches in the same order with any number of workers, and no row twice. `seen` rows having come out of the
    loader since `reader` was opened or set back, `state_dict(seen)` resumes after them, whatever was read ahead.
    """

    def __init__(self, reader: ShardReader, length: int, eos_id: int, batch_size: int = 1):
        self.reader, self.length, self.eos_id, self.batch_size = reader, length, eos_id, batch_size

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        part, parts = (worker.id, worker.num_workers) if worker else (0, 1)
        for row in self.reader.rows(self.batch_size, part, parts):
            arrays = targets(row, self.length, self.eos_id)
            tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
            yield {**tensors, "bytes": torch.tensor(int(np.sum(row["doc_bytes"])))}

    def state_dict(self, seen: int) -> dict[str, Any]:
        return self.reader.state_dict(ahead=seen)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.reader.load_state_dict(state)
