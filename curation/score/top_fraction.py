"""The corpus stage `top_fraction`: of all pages (or of each snapshot, or language) keep the share with the best scores.

The page side writes a place of each page: its score as a whole number, 0 for the best. The table side finds the cut at
which exactly the wanted number of pages stays; pages of equal score are told apart by doc_id, the smaller one stays. So
the same pages stay whatever the partitioning. Two documents with one doc_id (a collision) fare alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.stages import CLUSTERS, REMOVALS, Decision, LocalDecision
from curation.document import named_values
from curation.page import Page

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Scope = Literal["global", "snapshot", "language"]
PLACE_BITS, SIGN = 32, np.uint32(1 << 31)
KEYS = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),
        pa.field("group", pa.string()),  # what the share is taken of
        pa.field("place", pa.int64()),  # 0 to 2^32 - 1, falling with the score; a missing score is last
    ]
)


@dataclass(frozen=True, kw_only=True)
class TopFraction:
    """Made by `top_fraction`, which checks the settings."""

    name: str
    score: str
    keep_fraction: float
    scope: Scope
    cuts_text: ClassVar[bool] = False
    rule: ClassVar[str] = "below_threshold"

    def key_schema(self) -> pa.Schema:
        return KEYS

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = batch.filter(pc.is_null(batch["dropped_by"]))
        units = pa.repeat(pa.scalar(unit, pa.string()), batch.num_rows)
        places = places_of(named_values(batch["scores"], self.score))
        return pa.record_batch([batch["doc_id"], units, self._groups(batch), places], schema=KEYS)

    def _groups(self, batch: pa.RecordBatch) -> pa.Array:
        if self.scope == "snapshot":
            return pc.binary_join_element_wise(batch["source"], batch["snapshot"], "/")
        if self.scope == "language":
            return pc.fill_null(batch["language"], "")
        return pa.repeat(pa.scalar("all", pa.string()), batch.num_rows)

    def removals(self, keys: DataFrame) -> Decision:
        from curation.score import top_fraction_tables

        return top_fraction_tables.decide(self, keys)

    def local_removals(self, keys: pa.Table) -> LocalDecision:
        ranked = keys.sort_by([("group", "ascending"), ("place", "ascending"), ("doc_id", "ascending")])
        _, first, size = np.unique(ranked["group"].to_numpy(), return_index=True, return_counts=True)
        kept = np.array([kept_count(int(pages), self.keep_fraction) for pages in size], dtype=np.int64)
        beyond = np.arange(len(ranked)) - np.repeat(first, size) >= np.repeat(kept, size)
        beyond = beyond[_first_of_twins(ranked)]
        gone = ranked.filter(pa.array(beyond)).sort_by("doc_id")
        names = pa.repeat(pa.scalar(self.name, pa.string()), len(gone))
        columns = {"doc_id": gone["doc_id"], "stage": names, "unit": gone["unit"]}
        removals = [columns.get(field.name, pa.nulls(len(gone), field.type)) for field in REMOVALS]
        return LocalDecision(pa.table(removals, schema=REMOVALS), CLUSTERS.empty_table())

    def deciding_value(self, page: Page, kept_id: int | None) -> str:
        """The score that was too low, as a fate shows it."""
        return f"{page.scores.get(self.score, float('nan')):.6g}"


def top_fraction(*, name: str, score: str, keep_fraction: float, scope: Scope = "global") -> TopFraction:
    """Keeps the best `keep_fraction` of the pages that reach this stage, by the score of this name.

    `scope`: one share of the whole run, of each source and snapshot, or of each language. A group of n pages keeps
    n x keep_fraction, rounded to the nearest whole number, halves up. DCLM (arXiv 2406.11794) keeps 0.1 of all.
    Raises ValueError on a setting out of its range.
    """
    if scope not in get_args(Scope):
        raise ValueError(f"scope is {scope!r}; choose one of {', '.join(get_args(Scope))}")
    if isinstance(keep_fraction, bool) or not 0 < keep_fraction <= 1:
        raise ValueError(f"keep_fraction is {keep_fraction!r}; it must be above 0 and at most 1, such as 0.1")
    return TopFraction(name=name, score=score, keep_fraction=float(keep_fraction), scope=scope)


def kept_count(pages: int, fraction: float) -> int:
    """Pages that stay of a group; in whole numbers, as 0.1 has no exact float.

    >>> kept_count(15, 0.1), kept_count(14, 0.1), kept_count(10**15, 0.1)
    (2, 1, 100000000000000)
    """
    return int(Fraction(str(fraction)) * pages + Fraction(1, 2))


def _first_of_twins(ranked: pa.Table) -> np.ndarray:
    """For each row of a sorted table the first row of its group with the same place and doc_id."""
    rows = np.arange(len(ranked))
    same = np.ones(max(0, len(ranked) - 1), dtype=bool)
    for name in ("group", "place", "doc_id"):
        values = ranked[name].to_numpy()
        same &= values[1:] == values[:-1]
    return np.maximum.accumulate(np.where(np.concatenate([[False], same])[: len(ranked)], 0, rows))


def places_of(scores: pa.Array) -> pa.Array:
    """float32 scores as whole numbers that fall as the score grows; null and NaN last.

    >>> places_of(pa.array([1.0, 0.5, -2.0, None], pa.float32())).to_pylist() == sorted(
    ...     places_of(pa.array([None, -2.0, 0.5, 1.0], pa.float32())).to_pylist())
    True
    """
    values = pc.fill_null(scores, float("nan")).to_numpy(zero_copy_only=False).astype(np.float32)
    bits = (values + np.float32(0)).view(np.uint32)  # -0.0 becomes 0.0
    rising = np.where(bits & SIGN, ~bits, bits | SIGN)
    rising[np.isnan(values)] = 0
    return pa.array(2**PLACE_BITS - 1 - rising.astype(np.int64))


def score_at(place: int) -> float:
    """The score that stands at a place: the way back from `places_of`.

    >>> score_at(places_of(pa.array([0.25], pa.float32()))[0].as_py())
    0.25
    """
    rising = np.uint32(2**PLACE_BITS - 1 - place)
    bits = rising & ~SIGN if rising & SIGN else ~rising
    return float(np.array(bits, np.uint32).view(np.float32))
