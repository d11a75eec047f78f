"""The decorator that all kernels are compiled with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled by numba: releases the GIL, and keeps the machine code on disk where a folder can be written.

    Code inside a zip (`--py-files`) on a read-only worker has no such folder: then each process compiles anew
    (seconds).
    """
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba's "no locator available"
        return numba.njit(nogil=True)(function)
