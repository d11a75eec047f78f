"""Environments for the packages that benchmarks compare with; none of them is a dependency of curation."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from curation.conf import cache_folder


def peer_python(*requirements: str) -> Path:
    """The interpreter of an environment that holds the requirements, made on first use (a minute or two)."""
    name = hashlib.sha256("\n".join([sys.version, *requirements]).encode()).hexdigest()[:12]
    folder = cache_folder() / "peers" / name
    python = folder / "bin" / "python"
    if not (folder / "ready").is_file():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        (folder / "ready").touch()
    return python


def run_peer(python: Path, script: Path, *arguments: str, timeout: float = 3600) -> dict[str, Any]:
    """Runs a script with the peer's interpreter; the last line it prints is one JSON object."""
    done = subprocess.run([python, script, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=timeout)
    return json.loads(done.stdout.strip().splitlines()[-1])
