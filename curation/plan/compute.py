"""Compute, time, memory and checkpoints of a training run."""

from __future__ import annotations

import math

TRAIN_BYTES = 16  # a parameter: 16-bit weight and gradient, 32-bit master weight, Adam's two averages (2+2+4+4+4)
TOKENS_PER_PARAMETER = 20  # Chinchilla's rule of thumb, Hoffmann et al. 2022, arXiv 2203.15556
DAY = 86_400  # seconds


def training_flops(parameters: float, tokens: float) -> float:
    """6 N D: two for the forward pass and four for the backward pass, per parameter and token.

    Source: Kaplan et al. 2020, arXiv 2001.08361; attention over the context is not in it.

    >>> f"{training_flops(405e9, 15.6e12):.2e}"
    '3.79e+25'
    """
    return 6 * parameters * tokens


def attention_flops(layers: int, width: int, context: int, tokens: float) -> float:
    """What 6 N D leaves out: 12 L d T a token for attention over a context of T (a causal mask needs half).

    Source: Chowdhery et al. 2022, arXiv 2204.02311, appendix B.

    >>> share = attention_flops(126, 16_384, 8_192, 15.6e12) / training_flops(405e9, 15.6e12)
    >>> round(share, 3)
    0.084
    """
    return 12 * layers * width * context * tokens


def utilisation(flops: float, device_hours: float, peak_flops: float) -> float:
    """Model FLOPs utilisation that a run achieved.

    DeepSeek-V3: 37 B active parameters, 14.8 T tokens, 2.664 M hours of H800 (arXiv 2412.19437):

    >>> round(utilisation(training_flops(37e9, 14.8e12), 2.664e6, 989e12), 2)
    0.35
    """
    return flops / (device_hours * 3600 * peak_flops)


def training_days(flops: float, devices: int, peak_flops: float, mfu: float) -> float:
    """Days of uninterrupted training at a model FLOPs utilisation `mfu` of `peak_flops` FLOP/s a device.

    >>> round(training_days(3.79e25, 16384, 989e12, 400 / 989), 0)
    67.0
    """
    return flops / (devices * peak_flops * mfu) / DAY


def optimal_size(flops: float) -> tuple[float, float]:
    """(parameters, tokens) that spend `flops` at 20 tokens a parameter.

    >>> n, d = optimal_size(training_flops(70e9, 1.4e12))
    >>> round(n / 1e9), round(d / 1e12, 1)
    (70, 1.4)
    """
    parameters = math.sqrt(flops / (6 * TOKENS_PER_PARAMETER))
    return parameters, TOKENS_PER_PARAMETER * parameters


def training_memory(parameters: float, devices: int = 1, stage: int = 0) -> float:
    """Bytes a device for weights, gradients and optimizer state under a ZeRO stage; activations come on top.

    Stage 1 shards the optimizer state (12 of 16 bytes), 2 the gradients too, 3 the weights too.
    Source: Rajbhandari et al. 2020, arXiv 1910.02054.

    >>> training_memory(405e9) / 1e12, training_memory(7.5e9, 64, 1) / 1e9
    (6.48, 31.40625)
    """
    sharded = {0: 0, 1: 12, 2: 14, 3: 16}[stage]
    return parameters * (TRAIN_BYTES - sharded + sharded / devices)


def activation_memory(
    layers: int, width: int, heads: int, sequence: int, batch: int = 1, recompute: str = "nothing"
) -> float:
    """Bytes of 16-bit activations that `batch` sequences keep for the backward pass, all layers together.

    `recompute`: "nothing", "attention" (scores and softmax) or "everything" (only the input of each layer is kept).
    Source: Korthikanti et al. 2022, arXiv 2205.05198, equations 1, 2 and 6 without tensor parallelism.

    >>> [round(activation_memory(32, 4096, 32, 4096, recompute=r) / 1e9, 1) for r in ("nothing", "attention")]
    [104.2, 18.3]
    """
    each = {"nothing": 34 + 5 * heads * sequence / width, "attention": 34, "everything": 2}[recompute]
    return sequence * batch * width * layers * each


def serving_memory(
    parameters: float, layers: int, kv_heads: int, head_size: int, context: int, batch: int = 1, bytes_each: float = 2
) -> tuple[float, float]:
    """(bytes of weights, bytes of the key-value cache) for `batch` sequences of `context` tokens.

    `bytes_each` is that of a weight: 2 in 16 bits, 1 in 8, 0.5 in 4. The cache holds a key and a value of 16 bits a
    layer, key-value head and token. A server needs about a fifth more for buffers and fragmentation.

    >>> weights, cache = serving_memory(405e9, layers=126, kv_heads=8, head_size=128, context=8192)
    >>> round(weights / 1e9), round(cache / 1e9, 2)
    (810, 4.23)
    """
    return parameters * bytes_each, 2 * layers * kv_heads * head_size * context * batch * 2


def checkpoint_interval(stall_seconds: float, between_failures_seconds: float) -> tuple[float, float]:
    """(seconds between checkpoints, share of time lost to checkpoints and rework) at the optimum.

    Source: Young 1974, interval sqrt(2 d M) and loss about sqrt(2 d / M).

    >>> seconds, lost = checkpoint_interval(60, 54 * DAY / 419)
    >>> round(seconds / 60), round(lost, 2)
    (19, 0.1)
    """
    product = 2 * stall_seconds * between_failures_seconds
    return math.sqrt(product), math.sqrt(2 * stall_seconds / between_failures_seconds)
