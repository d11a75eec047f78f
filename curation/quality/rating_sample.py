"""A sample of a run for rating by people or a language model, and the way back from rated lines to examples.

Strata, so that rare languages and rare scores are seen: every stratum gives the same number of pages where it has them.
`weight` says for how many pages of the run a line stands, so that shares of the corpus can be told from the sample.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from curation.conf import conf_folder
from curation.document import named_values
from curation.errors import InputError, did_you_mean
from curation.quality.examples import Example, Labelled
from curation.read.address import host_of
from curation.report.counts import SmallestHash, scramble
from curation.score.ratings import parse_rating

SCORE_BINS = 10  # of equal numbers of pages
_BATCH_ROWS = 4096


def write_sample(run: Path, out: Path, pages: int, by: str, instruction: str, max_chars: int) -> dict[str, int]:
    """Writes about `pages` lines to `out`; returns lines by stratum. `by`: language, snapshot, source or scores.NAME.

    A line: doc_id, url, language, stratum, weight, instruction, text (its first `max_chars` code points), rating
    (null). Raises InputError on a run without curated text or without that score.
    """
    documents = _curated(run)
    edges = _score_edges(documents, by.removeprefix("scores.")) if by.startswith("scores.") else None
    if edges is None and by not in ("language", "snapshot", "source"):
        hint = did_you_mean(by, ["language", "snapshot", "source", "scores.NAME"])
        raise InputError(f"pages cannot be sampled by '{by}'; {hint}")
    sizes: Counter[str] = Counter()
    for batch in documents.to_batches(columns=_columns(by), batch_size=_BATCH_ROWS):
        sizes.update(_strata(batch, by, edges))
    each = max(1, pages // max(1, len(sizes)))
    chosen = SmallestHash(each)
    for batch in documents.to_batches(columns=["doc_id", *_columns(by)], batch_size=_BATCH_ROWS):
        ids = batch["doc_id"].to_numpy()
        for stratum, mixed, doc_id in zip(_strata(batch, by, edges), scramble(ids).tolist(), ids.tolist(), strict=True):
            chosen.offer(stratum, [(mixed, doc_id)])
    stratum_of = {doc_id: stratum for stratum, rows in chosen.items() for _, doc_id in rows}
    taken = Counter(stratum_of.values())
    text = _instruction(instruction)
    with out.open("w", encoding="utf-8") as file:
        for row in _rows(documents, stratum_of):
            stratum = stratum_of[row["doc_id"]]
            line = {
                "doc_id": row["doc_id"],
                "url": row["url"],
                "language": row["language"],
                "stratum": stratum,
                "weight": sizes[stratum] / taken[stratum],
                "instruction": text,
                "text": row["text"][:max_chars],
                "rating": None,
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return dict(sorted(taken.items()))


def read_ratings(path: Path) -> Labelled:
    """Rated lines as examples. `rating` is a number or a rater's answer that ends in `Rating: N`; null is left out.

    Raises InputError that names the line of a wrong rating, a line without text, or a file without any rating.
    """
    examples, left_out = [], Counter()
    for number, row in _lines(path):
        try:
            rating = parse_rating(row.get("rating"))
        except ValueError as error:
            raise InputError(f"{path} line {number}: {error}") from error
        if not isinstance(row.get("text"), str) or not row["text"].strip():
            raise InputError(f"{path} line {number} has no text; its keys: {', '.join(row)}")
        if rating is None:
            left_out["lines without a rating"] += 1
        else:
            examples.append(Example(row["text"], host_of(row.get("url") or ""), rating))
    if not examples:
        raise InputError(f"{path} holds no rating; put a number from 0 to 5, or the rater's answer, under 'rating'")
    ordered = sorted(set(examples), key=lambda example: (example.rank, example.target))
    return Labelled(tuple(ordered), rated=True, left_out=dict(left_out))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 JSON lines: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path} line {number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise InputError(f"{path} line {number} is no object: {line[:60]}")
        yield number, row


def _curated(run: Path) -> ds.Dataset:
    if not list((run / "curated").glob("*.parquet")):
        raise InputError(f"{run} holds no curated/*.parquet; give the folder of a finished run")
    return ds.dataset(run / "curated", format="parquet")


def _columns(by: str) -> list[str]:
    return ["scores"] if by.startswith("scores.") else [by]


def _strata(batch: pa.RecordBatch, by: str, edges: np.ndarray | None) -> list[str]:
    if edges is None:
        return [f"{by} {value or 'unknown'}" for value in batch[by].to_pylist()]
    values = named_values(batch["scores"], by.removeprefix("scores.")).to_numpy(zero_copy_only=False)
    bins = np.searchsorted(edges, values, side="right")
    return [f"{by} tenth {number + 1}" for number in bins.tolist()]


def _score_edges(documents: ds.Dataset, score: str) -> np.ndarray:
    """The inner borders of SCORE_BINS bins of equal numbers of pages: 4 bytes a page in memory."""
    parts = [
        named_values(batch["scores"], score).to_numpy(zero_copy_only=False)
        for batch in documents.to_batches(columns=["scores"], batch_size=_BATCH_ROWS)
    ]
    values = np.concatenate(parts) if parts else np.zeros(0)
    if len(values) == 0 or np.isnan(values.astype(np.float64)).any():
        raise InputError(f"pages of this run have no score '{score}'; name one that its recipe writes with annotate")
    return np.unique(np.quantile(values.astype(np.float64), np.arange(1, SCORE_BINS) / SCORE_BINS))


def _rows(documents: ds.Dataset, wanted: dict[int, str]) -> Iterator[dict[str, Any]]:
    found = documents.to_table(
        columns=["doc_id", "url", "language", "text"], filter=ds.field("doc_id").isin(list(wanted))
    )
    yield from sorted(found.to_pylist(), key=lambda row: row["doc_id"])


def _instruction(name: str) -> str:
    path = Path(name)
    shipped = conf_folder() / "instructions" / f"{name}.txt"
    source = path if path.suffix == ".txt" else shipped
    if not source.is_file():
        known = sorted(file.stem for file in (conf_folder() / "instructions").glob("*.txt"))
        raise InputError(f"no instruction '{name}'; {did_you_mean(name, known)} Or give a .txt file of your own")
    return source.read_text(encoding="utf-8").strip()
