"""Orders that follow from numbers alone: the same on every machine, under every version of numpy."""

from __future__ import annotations

import numpy as np


def order_of(count: int, *key: int) -> np.ndarray:
    """A permutation of range(count) by a hash of `key`.

    >>> sorted(order_of(5, 1, 2).tolist()), (order_of(50, 1, 2) == order_of(50, 1, 3)).all()
    ([0, 1, 2, 3, 4], np.False_)
    """
    return np.argsort(mix(np.uint64(fold(*key)) + np.arange(count, dtype=np.uint64)), kind="stable")


def fold(*key: int) -> int:
    """One number of 64 bits from several."""
    state = np.zeros(1, dtype=np.uint64)
    for part in key:
        state = mix(state + np.uint64(part & (2**64 - 1)))
    return int(state[0])


def mix(values: np.ndarray) -> np.ndarray:
    """splitmix64 (Steele, Lea, Flood 2014, https://doi.org/10.1145/2660193.2660195), one step on each value."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def reversed_bits(values: np.ndarray, bits: int) -> np.ndarray:
    """The lowest `bits` bits of each value, the other way round.

    >>> reversed_bits(np.array([0, 1, 2, 3, 4]), 3).tolist()
    [0, 4, 2, 6, 1]
    """
    turned = np.zeros_like(values)
    for bit in range(bits):
        turned |= ((values >> bit) & 1) << (bits - 1 - bit)
    return turned
