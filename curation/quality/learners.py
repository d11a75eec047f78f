"""What can be learned from examples: a fastText classifier, or a linear head on sentence embeddings.

Each learner is fitted to examples, writes its file, and from then on scores as the recipe's stage with that file does.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from curation.models import find_model, model_digest
from curation.page import Page
from curation.quality.examples import Example
from curation.score.loading import LABEL, one_line
from curation.score.quality import GOOD, OTHER
from curation.score.quality import fasttext as score_fasttext
from curation.score.transformer import Pooling, embed
from curation.score.transformer import linear as score_linear

MOST_BUCKETS = 2_000_000  # fastText's own default
RIDGE = 1e-3  # of the mean square of the embeddings: keeps the head finite where there are fewer texts than dimensions


class Learner(Protocol):
    """`file` is the name of the model in the output folder; `fit` writes it and returns facts for the report."""

    @property
    def file(self) -> str: ...

    def fit(self, examples: Sequence[Example], rated: bool, path: Path) -> dict[str, Any]: ...

    def score(self, texts: Sequence[str], path: Path) -> np.ndarray: ...

    def stage_line(self, path: Path, into: str) -> str:
        """The line of a recipe that scores with this model."""


@dataclass(frozen=True)
class FastText:
    """fastText on words and their n-grams. Defaults of DCLM's training script: rate 0.1, 5 epochs, 100 dimensions.

    `buckets` for n-grams: None takes as many as there are words in the training text, 2 million at most. With one
    thread the same examples give the same model; with more they do not.
    """

    ngrams: int = 2
    epochs: int = 5
    learning_rate: float = 0.1
    dimensions: int = 100
    buckets: int | None = None
    threads: int = 1
    seed: int = 1

    @property
    def file(self) -> str:
        return "model.bin"

    def fit(self, examples: Sequence[Example], rated: bool, path: Path) -> dict[str, Any]:
        import fasttext

        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            lines = Path(folder, "lines.txt")
            words = _write_lines(examples, rated, lines)
            buckets = min(MOST_BUCKETS, words) if self.buckets is None else self.buckets
            model = fasttext.train_supervised(
                input=str(lines), wordNgrams=self.ngrams, epoch=self.epochs, lr=self.learning_rate, minCount=1,
                dim=self.dimensions, bucket=buckets, thread=self.threads, seed=self.seed, verbose=0,
            )  # fmt: skip
        model.save_model(str(path))
        return {"kind": "fastText", "words": words, **asdict(self), "buckets": buckets}

    def score(self, texts: Sequence[str], path: Path) -> np.ndarray:
        return np.array([value for (value,) in score_fasttext([Page(text) for text in texts], model=str(path))])

    def stage_line(self, path: Path, into: str) -> str:
        return f"{{annotate: quality.fasttext, model: {path}, into: {into}}}"


def _write_lines(examples: Sequence[Example], rated: bool, path: Path) -> int:
    """One line an example, label first; returns the number of words."""
    words = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for example in examples:
            label = f"{round(example.target)}" if rated else GOOD if example.target else OTHER
            line = one_line(example.text).replace(LABEL, "label")  # a text must not name labels of its own
            words += len(line.split())
            file.write(f"{LABEL}{label} {line}\n")
    return words


@dataclass(frozen=True)
class LinearHead:
    """A linear head on the frozen embeddings of a local encoder, by least squares with a small ridge; no iterations."""

    embeddings: str
    pooling: Pooling = "cls"
    max_tokens: int = 512

    @property
    def file(self) -> str:
        return "head.json"

    def fit(self, examples: Sequence[Example], rated: bool, path: Path) -> dict[str, Any]:
        folder = find_model(self.embeddings)
        vectors = np.concatenate(
            [embed([example.text], str(folder), self.pooling, self.max_tokens) for example in examples]
        )
        weights, bias = ridge(vectors, np.array([example.target for example in examples]))
        head = {
            "weights": weights.tolist(),
            "bias": bias,
            "pooling": self.pooling,
            "max_tokens": self.max_tokens,
            "embeddings": model_digest(folder),
        }
        path.write_text(json.dumps(head) + "\n", encoding="utf-8")
        return {"kind": "linear head", **asdict(self), "width": vectors.shape[1]}

    def score(self, texts: Sequence[str], path: Path) -> np.ndarray:
        pages = [Page(text) for text in texts]
        return np.array([value for (value,) in score_linear(pages, model=self.embeddings, head=str(path))])

    def stage_line(self, path: Path, into: str) -> str:
        return f"{{annotate: quality.linear, model: {self.embeddings}, head: {path}, into: {into}}}"


def ridge(vectors: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias of least squares with a ridge penalty on the weights; the bias is free.

    >>> weights, bias = ridge(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
    >>> round(float(weights[0]), 2), round(bias, 2)
    (2.0, 1.0)
    """
    centre = vectors.mean(axis=0)
    centred = vectors - centre
    gram = centred.T @ centred
    penalty = RIDGE * np.trace(gram) / len(gram) + np.finfo(float).tiny
    weights = np.linalg.solve(gram + penalty * np.eye(len(gram)), centred.T @ (targets - targets.mean()))
    return weights, float(targets.mean() - centre @ weights)
