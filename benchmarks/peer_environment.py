"""An environment of its own for each peer, so that its packages never mix with ours; kept in the cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from curation.conf import cache_folder

DATATROVE = ("datatrove==0.10.1", "spacy==3.8.18", "regex", "tldextract", "nltk", "fasteners", "xxhash")


def peer_python(packages: Sequence[str]) -> Path:
    """Path of a Python that can import `packages` (requirements as pip takes them); makes the environment if needed."""
    key = hashlib.sha256("\n".join([sys.version, *packages]).encode()).hexdigest()[:12]
    folder = cache_folder() / "peers" / f"{packages[0]}-{key}"
    if not folder.is_dir():
        fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
        print(f"making an environment for {packages[0]} in {folder}", file=sys.stderr)
        try:
            subprocess.run([sys.executable, "-m", "venv", fresh], check=True)
            _install(fresh, packages)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder / "bin" / "python"


def _install(folder: Path, packages: Sequence[str]) -> None:
    pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "-q", "install", *packages]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(pip, check=True, env=environment, stdout=sys.stderr)


def run_peer(packages: Sequence[str], script: Path, *arguments: str | Path) -> None:
    """Runs a script of this folder with the peer's Python, without our package on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([peer_python(packages), script, *arguments], check=True, env=environment)
