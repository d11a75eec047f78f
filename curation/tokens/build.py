"""The token stage on Spark: curated documents in, a tokenizer and shards of packed tokens out.

    curated -> sample -> counts -> tokenizer.json         counts of pre-tokens and a few held-out texts reach the driver
            -> encode, in place                           text is not shuffled; ids go to a staging folder
            -> shuffle of ids by hash -> pack -> shards   written by the workers
            -> summary.json                               from the footers of what was written

A document's place follows from hash(seed, doc_id) and the totals alone, so the bytes of the shards do not depend on
partitions, workers or the order of the input. Where a source has few documents, a shard number may have no file.
Everything is built in `<out>.building`, which becomes `out` at the end. `out` must be a folder that every worker
reaches: local, or a shared mount.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from curation.errors import ConservationError, InputError, MixtureError, ResumeError
from curation.mixture import MixtureSettings
from curation.tokens.make import make_tokenizer
from curation.tokens.sample import draw
from curation.tokens.settings import TokenSettings
from curation.tokens.shards import summary_counts
from curation.tokens.tokenizer import FrozenTokenizer, per_token
from curation.tokens.worker import ENCODED_DDL, KEPT, WRITTEN_DDL, encode_batches, write_batches

HASH_STEPS = 2**53


class TokenSummary(TypedDict):
    """What was written: counts (see `Counts`) by source and split, tokens with end tokens; `files`: path of each shard
    within the folder -> its Counts, in their order; compression by language, without end tokens.
    """

    tokens: dict[str, dict[str, int]]
    documents: dict[str, dict[str, int]]
    rows: dict[str, dict[str, int]]
    bytes: dict[str, dict[str, int]]
    cut: dict[str, dict[str, int]]
    cut_fitting: dict[str, dict[str, int]]
    padding_share: dict[str, dict[str, float]]
    truncation_share: dict[str, dict[str, float]]
    shards: dict[str, dict[str, int]]
    sha256: str
    vocab_size: int
    eos_id: int
    engine: str
    sequence_length: int
    packing: str
    files: dict[str, list[int]]
    compression: dict[str, dict[str, float]]
    compression_by_source: dict[str, dict[str, float]]


def build_tokens(
    spark: SparkSession,
    curated: Path | str,
    out: Path | str,
    settings: TokenSettings,
    *,
    clusters: DataFrame | None = None,
    mixture: MixtureSettings | None = None,
) -> TokenSummary:
    """Write `out/<split>/<source>/part-*.parquet`, `out/summary.json` and what `make_tokenizer` does; return it.

    `curated` is Parquet with doc_id, source, language, text and chars. `clusters` (doc_id, cluster_id) are duplicate
    clusters: all their documents go to the same split. The shares of `mixture` weight the sources of the sample that a
    tokenizer is trained on (see `tokens.sample`); one that names a source without text is left aside, and the report
    says so.

    Raises InputError for unusable documents, ResumeError where `out` holds something, TokenizerError for a tokenizer
    that is not exact, ConservationError where documents or tokens are not all in the shards.
    """
    building = _empty_folder(out)
    documents = _read(spark, curated)
    total = documents.count()
    if not total:
        raise InputError(f"{curated} holds no documents: run the earlier stages first")
    try:
        tokenizer = make_tokenizer(documents, settings.tokenizer, building, seed=settings.seed, mixture=mixture)
    except MixtureError as error:  # said again, as an error, when the mixture is solved
        notes = [f"sample not weighted: {error}"]
        tokenizer = make_tokenizer(documents, settings.tokenizer, building, seed=settings.seed, notes=notes)
    staged = _encode(_with_split(documents, clusters, settings), tokenizer, settings.seed, building / "encoded")
    groups = _groups(staged)
    _write_shards(staged, groups, tokenizer, settings, building)
    summary = _summary(groups, tokenizer, settings, building)
    _check_books(total, groups, summary)
    (building / "summary.json").write_text(json.dumps(summary, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    shutil.rmtree(building / "encoded")
    building.replace(out)
    return summary


def _empty_folder(out: Path | str) -> Path:
    if "://" in str(out):
        raise InputError(f"token shards cannot be written to {out}: name a folder that every worker reaches as a path")
    out = Path(out).absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ResumeError(f"{out} holds something already: remove it, or name another folder for the tokens")
    building = out.with_name(out.name + ".building")
    if building.exists():
        shutil.rmtree(building)  # what a run that broke off left
    building.mkdir(parents=True)
    return building


def _read(spark: SparkSession, curated: Path | str) -> DataFrame:
    try:
        return spark.read.parquet(str(curated)).select("doc_id", "source", "language", "text", "chars")
    except AnalysisException as error:
        reason = str(error).split("\n")[0]
        raise InputError(f"{curated} cannot be read as curated documents ({reason}): name a curated/ folder") from error


def _with_split(documents: DataFrame, clusters: DataFrame | None, settings: TokenSettings) -> DataFrame:
    """Adds `split`, by the hash of the duplicate cluster, or of the document where it is in none.

    Only the few documents whose cluster decides otherwise than their own id would are joined (about twice the
    validation fraction of the clustered ones), so the join is a broadcast and text stays where it is.
    """
    bound = int(settings.validation * HASH_STEPS)

    def held_out(column: str) -> Column:
        return draw(settings.seed, "validation", column) < bound

    chosen = held_out("doc_id")
    if clusters is not None:
        decided = clusters.groupBy("doc_id").agg(F.min("cluster_id").alias("cluster_id"))
        moved = decided.where(held_out("cluster_id") != held_out("doc_id"))
        moved = moved.select("doc_id", held_out("cluster_id").alias("moved"))
        documents = documents.join(F.broadcast(moved), on="doc_id", how="left")
        chosen = F.coalesce(F.col("moved"), chosen)
    return documents.withColumn("split", F.when(chosen, "validation").otherwise("train"))


def _encode(documents: DataFrame, tokenizer: FrozenTokenizer, seed: int, folder: Path) -> DataFrame:
    """Encode once and keep the ids: their totals decide how many shards there will be."""

    def encode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return encode_batches(batches, tokenizer)

    keyed = documents.withColumn("key", F.xxhash64(F.lit(seed).cast("long"), F.lit("order"), F.col("doc_id")))
    encoded = keyed.select(*KEPT, "text").mapInArrow(encode, ENCODED_DDL)
    encoded.write.parquet(str(folder))
    return documents.sparkSession.read.schema(ENCODED_DDL).parquet(str(folder))


def _groups(staged: DataFrame) -> list[Row]:
    """One row for each (source, split, language): documents, chars, bytes, tokens without end tokens."""
    named = F.when(F.length("language") > 0, F.col("language")).otherwise("und")
    return (
        staged.groupBy("source", "split", named.alias("language"))
        .agg(
            F.count("*").alias("documents"),
            F.sum("chars").alias("chars"),
            F.sum("bytes").alias("bytes"),
            F.sum(F.size("input_ids")).alias("tokens"),
        )
        .collect()
    )


def _sums(groups: Sequence[Row], by: Sequence[str], of: Sequence[str]) -> list[tuple[tuple[str, ...], list[int]]]:
    """(values of `by`, sums of `of`), in order."""
    found: dict[tuple[str, ...], list[int]] = {}
    for row in groups:
        sums = found.setdefault(tuple(row[name] for name in by), [0] * len(of))
        sums[:] = [sum_ + row[name] for sum_, name in zip(sums, of, strict=True)]
    return sorted(found.items())


def _write_shards(
    staged: DataFrame, groups: Sequence[Row], tokenizer: FrozenTokenizer, settings: TokenSettings, folder: Path
) -> None:
    plan, first = [], 0
    for (source, split), (documents, tokens) in _sums(groups, ("source", "split"), ("documents", "tokens")):
        if not re.fullmatch(r"\w[\w.-]*", source or ""):
            raise InputError(f"source {source!r} cannot name a folder: use letters, digits, '_', '-' and '.'")
        shards = -(-(tokens + documents) // settings.shard_tokens)  # each document has an end token
        plan.append((source, split, first, shards))
        first += shards
    planned = staged.sparkSession.createDataFrame(plan, "source string, split string, first long, shards long")
    # The upper 32 bits of the key, as a part of 2^32, choose the shard.
    number = F.shiftright(F.shiftrightunsigned("key", 32) * F.col("shards"), 32)
    placed = staged.join(F.broadcast(planned), on=["source", "split"], how="inner").withColumn("number", number)
    placed = placed.withColumn("shard", F.col("first") + F.col("number"))
    ordered = placed.repartition(first, "shard").sortWithinPartitions("shard", "key", "doc_id")
    frozen = {"tokenizer_sha256": tokenizer.sha256, "vocab_size": tokenizer.vocab_size, "eos_id": tokenizer.eos_id}
    packing, sequence_length, token_bytes = settings.pack, settings.sequence_length, tokenizer.token_bytes

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return write_batches(batches, folder, packing, sequence_length, frozen, token_bytes)

    ordered.select("source", "split", "number", "doc_id", "input_ids").mapInArrow(write, WRITTEN_DDL).collect()


def _summary(groups: Sequence[Row], tokenizer: FrozenTokenizer, settings: TokenSettings, folder: Path) -> TokenSummary:
    by_language, by_source = (_sums(groups, [name], ("chars", "bytes", "tokens")) for name in ("language", "source"))
    return TokenSummary(
        **summary_counts(folder),
        sha256=tokenizer.sha256,
        vocab_size=tokenizer.vocab_size,
        eos_id=tokenizer.eos_id,
        engine=tokenizer.engine,
        sequence_length=settings.sequence_length,
        packing=settings.pack,
        compression={language: per_token(*sizes) for (language,), sizes in by_language},
        compression_by_source={source: per_token(*sizes) for (source,), sizes in by_source},
    )


def _check_books(documents: int, groups: Sequence[Row], summary: TokenSummary) -> None:
    encoded, tokens, size = (sum(row[name] for row in groups) for name in ("documents", "tokens", "bytes"))
    expected = {"documents": documents, "tokens": tokens + encoded, "bytes": size}
    written = {name: sum(sum(one.values()) for one in summary[name].values()) for name in expected}
    if written != expected:
        raise ConservationError(f"shards hold {written}, but {expected} went in: run the token stage again")
