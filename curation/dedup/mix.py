"""Integer mixers."""

from __future__ import annotations

import numpy as np

from curation.compiled import compiled

# Finalisers of MurmurHash3 (Appleby, public domain): bijections in which every input bit moves every output bit.
_MIX32_A, _MIX32_B = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)
_MIX64_A, _MIX64_B = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_S13, _S16, _S33 = np.uint32(13), np.uint32(16), np.uint64(33)


@compiled
def mix32(value: np.uint32) -> np.uint32:
    value = np.uint32(value)
    value = np.uint32((value ^ (value >> _S16)) * _MIX32_A)
    value = np.uint32((value ^ (value >> _S13)) * _MIX32_B)
    return np.uint32(value ^ (value >> _S16))


@compiled
def mix64(value: np.uint64) -> np.uint64:
    value = np.uint64(value)  # a Python int would be typed as signed
    value = (value ^ (value >> _S33)) * _MIX64_A
    value = (value ^ (value >> _S33)) * _MIX64_B
    return value ^ (value >> _S33)
