"""Every error a user can meet, in one tree.

    CurationError                 catch this to catch all of them
    +-- RecipeError               a recipe, paths or cluster file is wrong; lists every mistake found
    +-- InputError                an input cannot be listed or is not what it claims to be
    +-- StoreError                a file cannot be had from a remote store: missing, forbidden, changed meanwhile
    |   +-- UnavailableError      a remote store did not answer after all tries; later it may
    +-- ModelError                a model file is missing or of the wrong kind
    +-- ResumeError               the run folder holds something else than this run would write
    +-- StorageError              the disk of the run folder is full
    +-- SetUpError                a worker lacks something that every page needs
    +-- StageError                a stage broke on more pages than a run may lose
    +-- ConservationError         the books of a run do not balance
    +-- TokenizerError            a tokenizer is missing, or not the one the shards were written with
    +-- DecontaminationError      a benchmark item that was planted to be found was not found
    +-- MixtureError              a mixture cannot be reached with the tokens that exist

Each message names the thing, its value, and what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


class CurationError(Exception):
    """Base of all errors that are the user's to act on."""


class RecipeError(CurationError):
    """A configuration file is wrong. `mistakes` holds one sentence for each mistake found."""

    def __init__(self, where: str, mistakes: Sequence[str]):
        self.where = where
        self.mistakes = list(mistakes)
        count = len(self.mistakes)
        head = f"{where}: {count} mistake{'' if count == 1 else 's'}"
        super().__init__("\n".join([head, *(f"  - {m}" for m in self.mistakes)]))

    def __reduce__(self):
        return RecipeError, (self.where, self.mistakes)


class InputError(CurationError):
    """An input cannot be listed, or is not what it claims to be."""


class StoreError(CurationError, OSError):
    """A file cannot be had from a remote store. An OSError too: reading treats it like a disk that fails."""


class UnavailableError(StoreError):
    """A remote store did not answer after all tries; later it may."""


class ModelError(CurationError):
    """A model file is missing or of the wrong kind."""


class ResumeError(CurationError):
    """The run folder holds something else than this run would write."""


class StorageError(CurationError):
    """The disk of the run folder is full."""


class SetUpError(CurationError):
    """A worker lacks something that every page needs: no page's fault, so it fails the task and not the page."""


class StageError(CurationError):
    """A stage broke on more pages than a run may lose."""


class ConservationError(CurationError):
    """Pages or characters went in that did not come out under any fate."""


class TokenizerError(CurationError):
    """A tokenizer is missing, or is not the one the shards were written with."""


class DecontaminationError(CurationError):
    """A benchmark item that was planted to be found was not found: nothing it says of other items can be trusted."""


class MixtureError(CurationError):
    """A mixture cannot be reached with the tokens that exist."""


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """A sentence with the closest known name, or the known names when none is close.

    >>> did_you_mean("langauge", ["language", "url"])
    "did you mean 'language'?"
    """
    known = sorted(known)
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"known: {', '.join(known)}" if known else "none is known"
