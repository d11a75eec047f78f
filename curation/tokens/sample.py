"""The sample a tokenizer is trained and judged on, drawn on Spark.

Each document has a draw, a hash of seed and id. The smallest draws of each source are held out: the tokenizer is judged
on them. The next ones are the sample, up to the bytes that the source's share asks for. Where a source is too small for
its share its pre-tokens count several times, as its text will in training. Nothing depends on partitions or order.

Memory: on the driver a histogram of draws (at most 6,000 rows a source), the held-out texts (JUDGED_BYTES) and the kept
pre-tokens; on a worker FLUSHED_PRETOKENS counts. Cost: the text column is read three times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from curation.errors import InputError, TokenizerError
from curation.mixture import MixtureSettings, shares_of_run
from curation.tokens.pretokens import count_pretokens
from curation.tokens.train import LARGEST_COUNT

JUDGED_BYTES = 8 * 2**20  # of all sources together; the reference encoder takes seconds for half of them
JUDGED_FRACTION = 0.05  # of a source at most, so that a small corpus is not spent on judging
JUDGED_CHARS = 2**20  # of one document
WEIGHT_ONE = 1024  # counts are in parts of this, so that a source can count 1.5 times
FLUSHED_PRETOKENS = 250_000  # different ones a worker holds, about 30 MB
MOST_LEVELS = 100_000  # counts that are told apart when the rarest pre-tokens are dropped


@dataclass(frozen=True)
class SourceSample:
    """What is taken of one source. Sizes are bytes of UTF-8.

    Documents with draws up to `judged_below` are for judging, those in (`after`, `below`] for training, each counting
    `weight` / WEIGHT_ONE times. `asked` is the share that the mixture gives, None without one.
    """

    held: int
    judged: int
    judged_below: int
    after: int
    below: int
    drawn: int
    weight: int
    asked: float | None

    @property
    def counted(self) -> float:
        """Bytes as they count in training."""
        return self.drawn * self.weight / WEIGHT_ONE


def draw(seed: int, purpose: str, column: str) -> Column:
    """A number below 2^53 from a 64-bit hash; each purpose draws on its own."""
    return F.shiftrightunsigned(F.xxhash64(F.lit(seed).cast("long"), F.lit(purpose), F.col(column)), 11)


def plan_sample(
    documents: DataFrame,
    seed: int,
    limit: int,
    mixture: MixtureSettings | None = None,
) -> dict[str, SourceSample]:
    """What to take of each source for a sample of at most `limit` bytes; `documents` has doc_id, source and text.

    The shares of `mixture`, over all its phases, say how much of the sample each source should be; without one it is as
    much as it is of the text. A source counts at most as often as its epochs may, so a very small one stays below its
    share.

    Raises InputError where there is no text, MixtureError where a share names a source without any, and TokenizerError
    where no document fits into the sample.
    """
    # Draws are rounded up to 8 significant bits: few, and fine enough near the smallest, where it matters.
    rounded = F.expr("draw | (shiftleft(1L, greatest(length(bin(draw)) - 8, 0)) - 1)")
    drawn = documents.select("source", _draw(seed), F.octet_length("text").cast("long").alias("bytes"))
    rows = drawn.groupBy("source", rounded.alias("upto")).agg(F.sum("bytes").alias("bytes")).collect()
    if not rows:
        raise InputError("there are no documents to draw a sample from: run the earlier stages first")
    if any(row["source"] is None for row in rows):
        raise InputError("documents without a source cannot be sampled: give each a source")
    sizes: dict[str, list[tuple[int, int]]] = {}
    for row in sorted(rows):
        sizes.setdefault(row["source"], []).append((row["upto"], row["bytes"] or 0))
    return share_out(sizes, limit, mixture)


def share_out(
    sizes: Mapping[str, list[tuple[int, int]]], limit: int, mixture: MixtureSettings | None
) -> dict[str, SourceSample]:
    """`plan_sample` on the histogram: for each source (draws up to, bytes), by rising draw."""
    held = {source: sum(size for _, size in found) for source, found in sizes.items()}
    judged = {source: _held_out(sizes[source], held[source], sum(held.values())) for source in held}
    free = {source: held[source] - (judged[source][1] if judged[source][2] else 0) for source in held}
    if not any(free.values()):
        raise InputError("the documents hold no text to draw a sample from: run the earlier stages first")
    asked = shares_of_run(free, mixture or MixtureSettings())
    pool = min(limit, sum(free[source] for source in asked))
    plan: dict[str, SourceSample] = {}
    for source in sorted(held):
        share = asked.get(source, 0.0)
        below, size, spared = judged[source]
        after = below if spared else -1
        upto, drawn = _first(sizes[source], round(pool * share), after)
        times = max(1.0, min(mixture.epochs_cap(source), pool * share / drawn)) if mixture and drawn else 1.0
        told = share if mixture else None
        plan[source] = SourceSample(held[source], size, below, after, upto, drawn, round(times * WEIGHT_ONE), told)
    if sum(one.drawn * one.weight for one in plan.values()) > LARGEST_COUNT:
        raise TokenizerError(f"counts of a sample of {limit:,} bytes overflow: lower sample_bytes or max_epochs")
    none = [source for source in asked if not plan[source].drawn]
    if none and (mixture or len(none) == len(asked)):
        raise TokenizerError(
            f"no document of {', '.join(none)} fits into its part of a sample of {limit:,} bytes: raise sample_bytes"
        )
    return plan


def held_out_texts(documents: DataFrame, plan: Mapping[str, SourceSample], seed: int) -> list[tuple[str, str, str]]:
    """(source, language, text) of the documents to judge on, by source and doc_id; language `und` where it has none.

    Sources that were too small to hold a document out are judged on only where all are (`judged_sources`).
    """
    chosen = [
        (F.col("source") == name) & (F.col("draw") <= plan[name].judged_below) for name in judged_sources(plan)[0]
    ]
    language = F.when(F.length("language") > 0, F.col("language")).otherwise("und").alias("language")
    found = (
        documents.select("doc_id", "source", "language", "text", _draw(seed))
        .where(reduce(or_, chosen))
        .dropna(subset=["text"])
    )
    rows = found.select("source", "doc_id", language, F.substring("text", 1, JUDGED_CHARS).alias("text")).collect()
    return [(row["source"], row["language"], row["text"]) for row in sorted(rows)]


def judged_sources(plan: Mapping[str, SourceSample]) -> tuple[list[str], bool]:
    """(sources to judge on, whether their documents were held out from training)."""
    spared = [name for name, one in plan.items() if one.after >= 0]
    return (spared, True) if spared else (list(plan), False)


def write_counts(documents: DataFrame, plan: Mapping[str, SourceSample], seed: int, pattern: str, folder: Path) -> None:
    """Write how often each pre-token occurs in the sample, times WEIGHT_ONE, as Parquet (pretoken, count)."""
    weight = F.lit(None).cast("long")
    for source, one in plan.items():
        inside = (F.col("source") == source) & (F.col("draw") > one.after) & (F.col("draw") <= one.below)
        weight = F.when(inside, F.lit(one.weight).cast("long")).otherwise(weight)
    chosen = documents.select("source", "text", _draw(seed)).select("text", weight.alias("weight")).dropna()

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return count_batches(batches, pattern)

    counted = chosen.mapInArrow(count, "pretoken string, count long")
    counted.groupBy("pretoken").agg(F.sum("count").alias("count")).write.parquet(str(folder))


def count_batches(batches: Iterable[pa.RecordBatch], pattern: str) -> Iterator[pa.RecordBatch]:
    """Batches of (pretoken, count) from batches of (text, weight); a pre-token may come several times."""
    counts: Counter[str] = Counter()
    for batch in batches:
        for text, weight in zip(batch.column("text"), batch.column("weight").to_pylist(), strict=True):
            for pretoken, count in count_pretokens([text.as_py()], pattern).items():
                counts[pretoken] += count * weight
            if len(counts) >= FLUSHED_PRETOKENS:
                yield _batch(counts)
                counts.clear()
    yield _batch(counts)


def keep_commonest(counts: DataFrame, most: int) -> tuple[int, dict[str, int]]:
    """(least count that stays, facts) so that at most `most` pre-tokens stay: all of one frequency, or none.

    Facts: `pretokens` and `occurrences` before, `kept` and `kept_occurrences` after, `rarest_kept` in occurrences.
    """
    level = F.least(F.floor(F.col("count") / WEIGHT_ONE).cast("long"), F.lit(MOST_LEVELS).cast("long"))
    levels = counts.groupBy(level.alias("level")).agg(F.count("*").alias("words"), F.sum("count").alias("sum"))
    found = sorted(levels.collect(), reverse=True)
    kept, total, least = 0, 0, MOST_LEVELS + 1
    for row in found:
        if kept + row["words"] > most:
            break
        kept, total, least = kept + row["words"], total + row["sum"], row["level"]
    if found and not kept:
        raise TokenizerError(f"more than {most:,} pre-tokens are equally common: raise max_pretokens")
    return least * WEIGHT_ONE, {
        "pretokens": sum(row["words"] for row in found),
        "occurrences": sum(row["sum"] for row in found) // WEIGHT_ONE,
        "kept": kept,
        "kept_occurrences": total // WEIGHT_ONE,
        "rarest_kept": least,
    }


def read_counts(folder: Path, least: int) -> list[tuple[str, int]]:
    """(pretoken, count) of all with a count of `least` or more."""
    kept = ds.dataset(folder, format="parquet").to_table(filter=ds.field("count") >= least)
    return list(zip(kept["pretoken"].to_pylist(), kept["count"].to_pylist(), strict=True))


def _draw(seed: int) -> Column:
    return draw(seed, "tokenizer sample", "doc_id").alias("draw")


def _held_out(found: list[tuple[int, int]], held: int, total: int) -> tuple[int, int, bool]:
    """(draws up to, bytes, whether these documents are spared from training) for judging.

    A source too small to spare a document has the first ones of what it is trained on.
    """
    below, size = _first(found, min(JUDGED_BYTES * held / max(1, total), held * JUDGED_FRACTION), -1)
    return (below, size, True) if size else (*found[0], False)


def _first(found: list[tuple[int, int]], limit: float, after: int) -> tuple[int, int]:
    """(draws up to, bytes) of the first documents after the draw `after` that hold at most `limit` bytes."""
    upto, size = after, 0
    for bound, more in found:
        if bound > after:
            if size + more > limit:
                break
            upto, size = bound, size + more
    return upto, size


def _batch(counts: Counter[str]) -> pa.RecordBatch:
    words, numbers = pa.array(list(counts), pa.string()), pa.array(list(counts.values()), pa.int64())
    return pa.RecordBatch.from_pydict({"pretoken": words, "count": numbers})
