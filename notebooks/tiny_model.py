"""A language model small enough for a laptop's core, trained from token shards: for `tiny_language_model.ipynb`."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from curation.reader import bits_per_byte
from curation.reader.torch_rows import TorchRows

LEARNING_RATE, WARM_UP = 3e-3, 20  # of AdamW; steps


class TinyModel(nn.Module):
    """A decoder: learned positions, pre-norm blocks, output tied to the embedding. About 0.5 million parameters."""

    def __init__(self, vocabulary: int, length: int, width: int = 96, layers: int = 2, heads: int = 4):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for embedding in (self.tokens, self.places):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, input_ids: torch.Tensor, documents: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Logits [batch, length, vocabulary]. Token a attends to token b of the same document with b <= a."""
        length = input_ids.shape[1]
        mask = (documents[:, :, None] == documents[:, None, :]).tril()[:, None]
        assert mask.shape[-2:] == (length, length)
        hidden = self.tokens(input_ids) + self.places(positions)
        for block in self.blocks:
            hidden = block(hidden, mask)
        return self.norm(hidden) @ self.tokens.weight.T


class Block(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = hidden.shape
        parts = self.inward(self.before(hidden)).view(batch, length, 3, self.heads, width // self.heads)
        attended = F.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4), attn_mask=mask)
        hidden = hidden + self.outward(attended.transpose(1, 2).reshape(batch, length, width))
        return hidden + self.wide(self.between(hidden))


@dataclass
class Curve:
    """What was measured on the way. Losses are in bits per byte; `seen` counts tokens trained on."""

    seen: list[int] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    looked_at: list[int] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    seconds: float = 0.0


def nats_and_bytes(model: TinyModel, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, int, int]:
    """Sum of the cross entropy in nats, tokens that it is about, bytes of text that these tokens spell."""
    logits = model(batch["input_ids"], batch["documents"], batch["positions"])
    labels = batch["labels"]
    nats = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")
    return nats, int((labels >= 0).sum()), int(batch["bytes"].sum())


@torch.no_grad()
def validate(model: TinyModel, rows: TorchRows, batch_size: int = 16) -> float:
    """Bits per byte over all rows: the sums first, then one division."""
    model.eval()
    nats, size = 0.0, 0
    for batch in DataLoader(rows, batch_size=batch_size):
        more, _, spelled = nats_and_bytes(model, batch)
        nats, size = nats + more.item(), size + spelled
    model.train()
    return bits_per_byte(nats, size)


def train(
    model: TinyModel, rows: TorchRows, held_out: TorchRows, budget_tokens: int, batch_size: int = 8, looks: int = 4
) -> Curve:
    """Trains on `budget_tokens` tokens of `rows` and looks at `held_out` at the start and `looks` times evenly."""
    started, curve, seen = time.monotonic(), Curve(), 0
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=0.1)
    curve.looked_at.append(0)
    curve.validation.append(validate(model, held_out))
    for step, batch in enumerate(_until(DataLoader(rows, batch_size=batch_size), budget_tokens)):
        rate = min(1.0, (step + 1) / WARM_UP) * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * seen / budget_tokens)))
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * rate
        nats, tokens, size = nats_and_bytes(model, batch)
        optimizer.zero_grad(set_to_none=True)
        (nats / tokens).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen += tokens
        curve.seen.append(seen)
        curve.training.append(bits_per_byte(nats.item(), size))
        if seen >= budget_tokens * len(curve.looked_at) / looks or seen >= budget_tokens:
            curve.looked_at.append(seen)
            curve.validation.append(validate(model, held_out))
    curve.seconds = time.monotonic() - started
    return curve


def _until(batches: DataLoader, budget_tokens: int) -> Iterator[dict[str, torch.Tensor]]:
    """Batches up to the one that fills the budget. Raises ValueError where the rows end before."""
    left = budget_tokens
    for batch in batches:
        yield batch
        left -= int((batch["labels"] >= 0).sum())
        if left <= 0:
            return
    raise ValueError(f"the rows end {left:,} tokens before the budget of {budget_tokens:,}: ask for less")
