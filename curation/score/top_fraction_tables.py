"""The Spark side of `top_fraction`: the exact cut by radix selection, without sorting and without moving rows.

(place, doc_id) is one number of 96 bits, the best page the smallest. The number at which the wanted count is reached is
found digit by digit, from the front: count the pages by the digit, see in which the cut lies, go on among its pages.
Each step moves at most 4,096 counts a group and task; after the second or third few pages are left, unless many scores
are equal. Cost: one pass over the keys for each step, 4 to 9 of them, and one over the removals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from curation.dedup.components import cut_lineage
from curation.dedup.stages import CLUSTERS, REMOVALS, Decision
from curation.score.top_fraction import PLACE_BITS, TopFraction, kept_count, score_at
from curation.spark import spark_schema

_STEPS = (("place", 20), ("place", 8), ("place", 0), *(("tie", shift) for shift in (52, 40, 28, 16, 4, 0)))
_TIE_BITS = 64
_LEAST = -(1 << 63)  # xor with it makes the order of signed numbers that of unsigned ones


@dataclass
class _Search:
    """Where the cut of one group is sought: among pages that begin with these digits, `wanted` of them stay."""

    wanted: int
    place: int = 0
    tie: int = 0

    def cut(self, column: str, shift: int) -> tuple[int, int]:
        """The last (place, doc_id) that stays, when all pages that begin with the digits so far do."""
        place = ((self.place + 1) << shift) - 1 if column == "place" else self.place
        tie = ((self.tie + 1) << shift) - 1 if column == "tie" else (1 << _TIE_BITS) - 1
        return place, tie + _LEAST


def decide(stage: TopFraction, keys: DataFrame) -> Decision:
    """Removals (kept_id, cluster and similarity null) and, as facts, pages, pages kept and threshold of each group."""
    keys = cut_lineage(keys)  # read once for each digit
    pages = {row["group"]: row["pages"] for row in keys.groupBy("group").agg(F.count("*").alias("pages")).collect()}
    wanted = {group: kept_count(count, stage.keep_fraction) for group, count in pages.items()}
    cuts = find_cuts(keys, {group: wanted[group] for group, count in pages.items() if 0 < wanted[group] < count})
    cuts |= {group: (-1, _LEAST) for group in pages if wanted[group] == 0}
    cuts |= {group: (1 << PLACE_BITS, _LEAST) for group in pages if wanted[group] == pages[group]}
    session = keys.sparkSession
    rows = [(group, *cut) for group, cut in cuts.items()]
    bounds = F.broadcast(session.createDataFrame(rows, "group string, cut_place long, cut_id long"))
    within = (F.col("place") < F.col("cut_place")) | (
        (F.col("place") == F.col("cut_place")) & (F.col("doc_id") <= F.col("cut_id"))
    )
    judged = keys.join(bounds, on="group", how="inner").withColumn("within", within)
    kept = judged.where("within").groupBy("group").agg(F.max("place").alias("last"), F.count("*").alias("kept"))
    last = {row["group"]: (row["last"], row["kept"]) for row in kept.collect()}
    facts = {"score": stage.score, "keep_fraction": stage.keep_fraction, "scope": stage.scope, "groups": {}}
    for group in sorted(pages):
        place, count = last.get(group, (None, 0))
        facts["groups"][group] = _group_facts(pages[group], count, place)
    return Decision(_removals(stage, judged.where("not within")), _no_clusters(keys), facts=facts)


def _group_facts(pages: int, kept: int, place: int | None) -> dict[str, Any]:
    return {"pages": pages, "kept": kept, "threshold": None if place is None else score_at(place)}


def find_cuts(keys: DataFrame, wanted: dict[str, int]) -> dict[str, tuple[int, int]]:
    """{group: (place, doc_id) of the last page that stays}, where `wanted[group]` pages stay, not all and not none."""
    open_groups = {group: _Search(count) for group, count in wanted.items()}
    cuts: dict[str, tuple[int, int]] = {}
    before = {"place": PLACE_BITS, "tie": _TIE_BITS}
    for column, shift in _STEPS:
        if not open_groups:
            break
        counts = _count_digits(keys, open_groups, column, before[column], shift)
        width = before[column] - shift
        for group, search in list(open_groups.items()):
            digit, passed, count = _digit_of_cut(counts[group], search.wanted)
            setattr(search, column, (getattr(search, column) << width) | digit)
            search.wanted -= passed
            if search.wanted == count:
                cuts[group] = open_groups.pop(group).cut(column, shift)
        before[column] = shift
    for group, search in open_groups.items():  # documents that share an id fare alike
        cuts[group] = search.cut("tie", 0)
    return cuts


def _count_digits(
    keys: DataFrame, searches: dict[str, _Search], column: str, before: int, shift: int
) -> dict[str, dict[int, int]]:
    """{group: {digit: pages}} of the pages that begin with the digits found so far."""
    rows = [
        (group, search.place, search.tie + (_LEAST if search.tie >> 63 else 0)) for group, search in searches.items()
    ]
    found = F.broadcast(keys.sparkSession.createDataFrame(rows, "group string, found_place long, found_tie long"))
    number = F.col("place") if column == "place" else F.col("doc_id").bitwiseXOR(F.lit(_LEAST))
    same = _begins(number, before, F.col(f"found_{column}"), PLACE_BITS if column == "place" else _TIE_BITS)
    if column == "tie":
        same = same & (F.col("place") == F.col("found_place"))
    digit = F.shiftrightunsigned(number, shift).bitwiseAND(F.lit((1 << (before - shift)) - 1))
    counted = keys.join(found, on="group", how="inner").where(same).groupBy("group", digit.alias("digit")).count()
    counts: dict[str, dict[int, int]] = {group: {} for group in searches}
    for row in counted.collect():
        counts[row["group"]][row["digit"]] = row["count"]
    return counts


def _begins(number: Column, shift: int, found: Column, bits: int) -> Column:
    return F.lit(True) if shift == bits else F.shiftrightunsigned(number, shift) == found


def _digit_of_cut(counts: dict[int, int], wanted: int) -> tuple[int, int, int]:
    """(digit in which the cut lies, pages of smaller digits, pages of this digit).

    >>> _digit_of_cut({3: 5, 1: 4}, 6)
    (3, 4, 5)
    """
    passed = 0
    for digit in sorted(counts):
        if passed + counts[digit] >= wanted:
            return digit, passed, counts[digit]
        passed += counts[digit]
    raise AssertionError(f"{wanted} pages wanted of {passed}")


def _removals(stage: TopFraction, gone: DataFrame) -> DataFrame:
    known = {"doc_id": F.col("doc_id"), "stage": F.lit(stage.name), "unit": F.col("unit")}
    kinds = {"int64": "long", "string": "string", "double": "double"}
    return gone.select(*(known.get(f.name, F.lit(None).cast(kinds[str(f.type)])).alias(f.name) for f in REMOVALS))


def _no_clusters(keys: DataFrame) -> DataFrame:
    return keys.sparkSession.createDataFrame([], spark_schema(CLUSTERS))
