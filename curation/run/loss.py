"""What a cascade cost: survivors among the pages given up, estimated from those that were extracted all the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.document import named_values
from curation.extract.cascade import NOTE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CONFIDENCE = 0.95  # of the upper bound


def count_cascade(documents: DataFrame) -> dict[str, Any]:
    """The loss of a run, from its documents (columns notes and dropped_by): one query, one row back."""
    from pyspark.sql import functions as F

    audited = F.expr(f"exists(notes, note -> note.key = '{NOTE}')")
    kept = F.col("dropped_by").isNull()
    row = documents.agg(
        F.count_if(F.col("dropped_by").contains(".cascade_")).alias("given_up"),
        F.count_if(audited).alias("audited"),
        F.count_if(audited & kept).alias("audited_kept"),
        F.count_if(kept).alias("kept"),
    ).first()
    return estimate_loss(row["given_up"], row["audited"], row["audited_kept"], row["kept"])


def count_cascade_of(files: Iterable[Path]) -> dict[str, Any]:
    """The same without Spark, from Parquet files."""
    counts = {"given_up": 0, "audited": 0, "audited_kept": 0, "kept": 0}
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["notes", "dropped_by"]):
                fates = batch["dropped_by"]
                kept, audited = pc.is_null(fates), pc.is_valid(named_values(batch["notes"], NOTE))
                for name, rows in (
                    ("given_up", pc.match_substring(fates, ".cascade_")),
                    ("audited", audited),
                    ("audited_kept", pc.and_(audited, kept)),
                    ("kept", kept),
                ):
                    counts[name] += pc.sum(rows).as_py() or 0
    return estimate_loss(**counts)


def estimate_loss(given_up: int, audited: int, audited_kept: int, kept: int) -> dict[str, Any]:
    """Counts of pages in; the same with `lost` pages and `loss`, the share of all survivors that they are.

    `given_up` pages were not extracted, `audited` would have been given up and were not; `audited_kept` of these
    survived and are among the `kept`. The audit is a random sample, so its share of survivors holds for the others.
    `loss_at_most` is the upper bound of a one-sided 95 % interval (Clopper and Pearson 1934). Estimates are None
    without an audited page.

    >>> found = estimate_loss(given_up=9_900, audited=100, audited_kept=0, kept=5_000)
    >>> found["loss"], round(found["loss_at_most"], 3)
    (0.0, 0.055)
    """
    from scipy.stats import beta

    def share(lost: float) -> float:
        return lost / (lost + kept) if lost else 0.0

    lost = at_most = None
    if audited:
        lost = given_up * audited_kept / audited
        rate = 1.0 if audited_kept == audited else float(beta.ppf(CONFIDENCE, audited_kept + 1, audited - audited_kept))
        at_most = given_up * rate
    return {
        "given_up": given_up,
        "audited": audited,
        "audited_kept": audited_kept,
        "lost": None if lost is None else round(lost, 1),
        "loss": None if lost is None else share(lost),
        "loss_at_most": None if at_most is None else share(at_most),
    }
