"""Loads fastText models, once per worker process, and cuts a text to the one line that fastText reads."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from curation.errors import ModelError
from curation.score.fasttext_file import check_model_file

if TYPE_CHECKING:
    from fasttext.FastText import _FastText

LABEL = "__label__"


def fasttext_model(path: str) -> _FastText:
    """The model of a file, kept for the life of the process: its size in memory is about its size on disk."""
    facts = Path(path).stat()
    return _read(path, facts.st_size, facts.st_mtime_ns)  # a model trained anew is another one


@cache
def _read(path: str, size: int, changed: int) -> _FastText:
    import fasttext

    if size == 0:
        raise ModelError(f"model file {path} is empty; write or fetch it again")
    try:
        check_model_file(Path(path))
        return fasttext.load_model(path)
    except (ValueError, RuntimeError, MemoryError) as error:
        raise ModelError(f"model file {path} is no fastText model: {error}") from error


def one_line(text: str) -> str:
    """The text as training and scoring give it to fastText: lines joined by a space, ends stripped.

    fastText reads one line, and a newline at its end would change the answer. As DCLM's scorer cuts it.

    >>> one_line(" a\\nb\\r\\n")
    'a b'
    """
    return " ".join(text.strip().splitlines())
