"""Published mixtures: the figures that the presets are held against."""

from __future__ import annotations

# Touvron et al. 2023, https://arxiv.org/abs/2302.13971, table 1: share, epochs on 1.4 T tokens, size on disk in GB.
LLAMA1 = {
    "common_crawl": (0.67, 1.10, 3300),
    "c4": (0.15, 1.06, 783),
    "github": (0.045, 0.64, 328),
    "wikipedia": (0.045, 2.45, 83),
    "books": (0.045, 2.23, 85),
    "arxiv": (0.025, 1.06, 92),
    "stack_exchange": (0.02, 1.03, 78),
}
LLAMA1_TOKENS = 1_400_000_000_000

# Together 2023, RedPajama-Data-1T, a rebuilding of LLaMA 1's data: billions of tokens, by its data card
# (https://huggingface.co/datasets/togethercomputer/RedPajama-Data-1T), with another tokenizer.
REDPAJAMA = {
    "common_crawl": 878, "c4": 175, "github": 59, "wikipedia": 24, "books": 26, "arxiv": 28, "stack_exchange": 20,
}  # fmt: skip
