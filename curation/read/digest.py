"""WARC-Block-Digest: the only proof a plain WARC has that a record is as it was written (gzip has its own)."""

from __future__ import annotations

import base64
import hashlib

_ALGORITHMS = {"sha1": "sha1", "sha-1": "sha1", "sha256": "sha256", "sha-256": "sha256", "md5": "md5"}


def digest_differs(block: bytes, label: str) -> bool:
    """Whether a block contradicts its label, `algorithm:value` in base32 or hex; an unknown label proves nothing.

    >>> digest_differs(b"", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"), digest_differs(b"x", "blake3:00")
    (False, False)
    """
    name, _, value = label.strip().partition(":")
    algorithm = _ALGORITHMS.get(name.lower())
    if algorithm is None or not value:
        return False
    found = hashlib.new(algorithm, block, usedforsecurity=False).digest()
    written = (base64.b32encode(found).decode().rstrip("="), found.hex().upper())
    return value.rstrip("=").upper() not in written
