"""Environments for the packages that benchmarks compare with; none of them is a dependency of curation."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from curation.conf import cache_folder

# With what each of its parts that a benchmark runs asks for. Its filter for contaminated text refuses xxhash 4.
DATATROVE = (
    "datatrove==0.10.1", "spacy==3.8.18", "regex==2026.11.19", "xxhash<4", "tokenizers", "orjson", "pyarrow",
    "tldextract", "nltk", "fasteners", "pyahocorasick", "trafilatura==2.3.1", "lxml_html_clean", "warcio",
    "faust-cchardet", "python-magic", "fasttext-numpy2-wheel",
)  # fmt: skip


def peer_python(*requirements: str) -> Path:
    """The interpreter of an environment that holds the requirements, made on first use (a minute or two)."""
    name = hashlib.sha256("\n".join([sys.version, *requirements]).encode()).hexdigest()[:12]
    folder = cache_folder() / "peers" / name
    python = folder / "bin" / "python"
    if not (folder / "ready").is_file():
        print(f"making an environment for {requirements[0]} in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *requirements]
        subprocess.run(pip, check=True, env=_environment(), stdout=sys.stderr)
        (folder / "ready").touch()
    return python


def run_peer(python: Path, script: Path, *arguments: str | Path, timeout: float = 3600) -> dict[str, Any]:
    """Runs a script with the peer's interpreter and without our package; what it prints last is one JSON object."""
    command = [python, script, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=timeout, env=_environment())
    return json.loads(done.stdout.strip().splitlines()[-1])


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
