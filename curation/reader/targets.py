"""From a packed row to what a model is trained on, and from its loss to bits per byte."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from curation.errors import InputError

IGNORED = -100  # the label that PyTorch's cross entropy leaves out


def targets(row: Mapping[str, Any], length: int, eos_id: int) -> dict[str, np.ndarray]:
    """Arrays of `length` tokens: `input_ids`, `labels`, `documents`, `positions` (int64).

    Each piece of a document is begun with the end token in place of what came before, so every token of the row is a
    label once, and the bytes of the row's text are the bytes that its loss is about. `documents` numbers the pieces of
    the row from 0: token a may attend to token b where b <= a and both numbers are equal. `positions` count within the
    piece (`doc_starts` says where it stands in its document). Padding is the end token with label IGNORED and document
    -1. Raises InputError for a row that is longer.

    >>> row = {"input_ids": np.array([5, 0, 6, 0]), "doc_lengths": np.array([2, 2])}
    >>> for name, array in targets(row, length=5, eos_id=0).items():
    ...     print(name, array.tolist())
    input_ids [0, 5, 0, 6, 0]
    labels [5, 0, 6, 0, -100]
    documents [0, 0, 1, 1, -1]
    positions [0, 1, 0, 1, 0]
    """
    ids, lengths = row["input_ids"], row["doc_lengths"]
    if len(ids) > length:
        raise InputError(f"a row of {len(ids)} tokens is longer than {length}: ask the reader for this sequence_length")
    arrays = {"input_ids": eos_id, "labels": IGNORED, "documents": -1, "positions": 0}
    arrays = {name: np.full(length, value, dtype=np.int64) for name, value in arrays.items()}
    firsts = np.cumsum(lengths) - lengths
    arrays["input_ids"][1 : len(ids)] = ids[:-1]
    arrays["input_ids"][firsts] = eos_id
    arrays["labels"][: len(ids)] = ids
    arrays["documents"][: len(ids)] = np.repeat(np.arange(len(lengths)), lengths)
    arrays["positions"][: len(ids)] = np.arange(len(ids)) - np.repeat(firsts, lengths)
    return arrays


def bits_per_byte(total_nats: float, total_bytes: int) -> float:
    """Bits of loss for each byte of text: a loss that can be compared between tokenizers.

    `total_nats` is the sum (not the mean) of the cross entropy, in nats, over all tokens of some pieces of documents,
    end tokens included; `total_bytes` the sum of the `doc_bytes` of these pieces. Raises InputError without bytes.

    >>> round(bits_per_byte(total_nats=8 * math.log(2), total_bytes=8), 6)
    1.0
    """
    if total_bytes <= 0:
        raise InputError(f"a loss over {total_bytes} bytes of text has no bits per byte: give pieces that hold text")
    return total_nats / math.log(2) / total_bytes
