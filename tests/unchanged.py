"""Folders that many tests read: a test that writes into one would change what the others see."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    """Fails at the end of the block, with their names, where files of the folder came, went or became others."""
    before = _digests(folder)
    yield
    after = _digests(folder)
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    assert not changed, f"a test changed {folder}, which others read: {', '.join(changed[:20])}; give it a copy"


def _digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
