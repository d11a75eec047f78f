"""Quality by transformers, from a local folder: a sequence classifier, or a linear head on sentence embeddings.

Needs the extra `hf` (torch and transformers). Nothing is downloaded: the folder is one that `save_pretrained` wrote or
that was fetched from a hub beforehand. Cost: a model of 110 M parameters on 512 tokens takes about 0.1 s a page and
core, some thousand times fastText; score the pages that the cheaper stages left.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from curation.errors import ModelError, did_you_mean
from curation.models import find_model, model_digest
from curation.page import Page
from curation.score.ratings import round_rating

Pooling = Literal["cls", "mean"]


def huggingface(
    pages: list[Page],
    *,
    model: str,
    label: str | None = None,
    max_tokens: int = 512,
    rounded: bool = False,
    batch: int = 1,
    device: str = "cpu",
) -> list[tuple[float]]:
    """What a sequence classifier says of each page: its one output, or the probability of `label` where it has several.

    Source: FineWeb-Edu's classifier (arXiv 2406.17557): one output, 512 tokens; `rounded` to a whole rating, 0 to 5.
    Reading: a text longer than `max_tokens` is scored by its beginning. A page without text scores 0.
    Differs: `batch` is 1, so that no padding is needed and a score never depends on the pages beside it; a GPU wants
        more, and then the last digits of a score depend on how pages fall into batches.
    """
    tokenizer, network, torch = _load(str(find_model(model)), "AutoModelForSequenceClassification", device)
    column = _output(network.config, label, model)

    def score(texts: list[str]) -> list[float]:
        with torch.inference_mode():
            logits = network(**_tokens(tokenizer, texts, max_tokens, device)).logits.float()
        shares = logits[:, 0] if network.config.num_labels == 1 else torch.softmax(logits, dim=1)[:, column]
        return shares.cpu().tolist()

    return _each(pages, score, rounded, batch)


def linear(
    pages: list[Page], *, model: str, head: str, rounded: bool = False, batch: int = 1, device: str = "cpu"
) -> list[tuple[float]]:
    """Weights x sentence embedding + bias, with the head that `curate train-quality --embeddings` wrote.

    Source: FineWeb-Edu (arXiv 2406.17557): one linear output on the frozen embeddings of a pretrained encoder.
    Reading: pooling and number of tokens are those of the training, kept in the head. A page without text scores 0.
    Raises ModelError where the head was trained on other embeddings than `model` gives.
    """
    path = str(find_model(model))
    trained = _head(found := find_model(head), found.stat().st_mtime_ns, path)
    weights, bias = np.array(trained["weights"]), trained["bias"]

    def score(texts: list[str]) -> list[float]:
        return (embed(texts, path, trained["pooling"], trained["max_tokens"], device) @ weights + bias).tolist()

    return _each(pages, score, rounded, batch)


def embed(texts: list[str], path: str, pooling: Pooling, max_tokens: int, device: str = "cpu") -> np.ndarray:
    """Sentence embeddings (float64 [texts, width], unit length) by the encoder in the folder `path`.

    `cls` takes the first token's state (Snowflake's arctic-embed, FineWeb-Edu), `mean` the mean over the text's tokens.
    """
    tokenizer, network, torch = _load(path, "AutoModel", device)
    tokens = _tokens(tokenizer, texts, max_tokens, device)
    with torch.inference_mode():
        states = network(**tokens).last_hidden_state.float()
    if pooling == "cls":
        pooled = states[:, 0]
    else:
        mask = tokens["attention_mask"].unsqueeze(-1)
        pooled = (states * mask).sum(dim=1) / mask.sum(dim=1)
    return torch.nn.functional.normalize(pooled, dim=1).cpu().numpy().astype(np.float64)


@cache
def _load(path: str, kind: str, device: str) -> tuple[Any, Any, Any]:
    """(tokenizer, network, torch), once per worker process."""
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ModelError(
            f"{error.name} is not installed; quality by transformers needs: pip install 'curation[hf]'"
        ) from error
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)  # Spark runs a task per core; and sums in one order give one result
    try:
        local = {"local_files_only": True, "trust_remote_code": False}  # by default it asks whether to run its code
        tokenizer = transformers.AutoTokenizer.from_pretrained(path, **local)
        network = getattr(transformers, kind).from_pretrained(path, **local)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} is no model that {kind} can load: {error}") from error
    return tokenizer, network.eval().to(device), torch


def _tokens(tokenizer: Any, texts: list[str], max_tokens: int, device: str) -> Any:
    longest = min(max_tokens, tokenizer.model_max_length)
    return tokenizer(texts, truncation=True, max_length=longest, padding=len(texts) > 1, return_tensors="pt").to(device)


def _output(config: Any, label: str | None, model: str) -> int:
    """Which output of a classifier is the score. ModelError where that is not clear."""
    labels = {str(name): int(number) for number, name in config.id2label.items()}
    if config.num_labels == 1 and label is None:
        return 0
    if label not in labels:
        hint = did_you_mean(label, list(labels)) if label else f"set label to one of {', '.join(labels)}"
        raise ModelError(f"model '{model}' has {config.num_labels} outputs and label is {label!r}; {hint}")
    return labels[label]


def _each(
    pages: list[Page], score: Callable[[list[str]], list[float]], rounded: bool, batch: int
) -> list[tuple[float]]:
    told = [i for i, page in enumerate(pages) if page.text.strip()]
    scores = [0.0] * len(pages)
    for start in range(0, len(told), batch):
        group = told[start : start + batch]
        for i, value in zip(group, score([pages[i].text for i in group]), strict=True):
            scores[i] = round_rating(value) if rounded else value
    return [(value,) for value in scores]


@cache
def _head(head: Path, changed: int, path: str) -> dict[str, Any]:
    """A trained head, once it is clear that its weights belong to the embeddings of the folder `path`.

    `changed` is the file's time: a head trained anew is another one.
    """
    needed = {"weights", "bias", "pooling", "max_tokens", "embeddings"}
    try:
        trained = json.loads(head.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelError(f"{head} is no head of `curate train-quality --embeddings`: {error}") from error
    if not isinstance(trained, dict) or not needed <= set(trained):
        raise ModelError(
            f"{head} is no head of `curate train-quality --embeddings`: it needs {', '.join(sorted(needed))}"
        )
    if (found := model_digest(Path(path))) != trained["embeddings"]:
        raise ModelError(
            f"{head} was trained on a model with sha256 {trained['embeddings'][:12]}, {path} has {found[:12]}; "
            "name the folder it was trained on, or train the head again"
        )
    return trained
