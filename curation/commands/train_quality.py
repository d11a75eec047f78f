"""`curate train-quality`: a quality classifier from examples, with a report on hosts it never saw."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curation.commands.app import command, console
from curation.errors import InputError
from curation.progress import ShowProgress
from curation.quality.examples import Labelled, read_classes
from curation.quality.learners import FastText, Learner, LinearHead
from curation.quality.rating_sample import read_ratings
from curation.quality.report import summary_table, write_report
from curation.quality.train import train
from curation.score.transformer import Pooling

Places = Annotated[list[str], typer.Option(metavar="WHERE", help="JSONL, Parquet, WET or .txt; folder, glob or run.")]


@command("train-quality")
def train_quality(
    out: Annotated[Path, typer.Option(help="Folder for the model, report.json and report.html.")],
    positive: Places = [],  # noqa: B006
    negative: Places = [],  # noqa: B006
    ratings: Annotated[Path | None, typer.Option(help="Rated lines of `rate-sample`, instead of two classes.")] = None,
    embeddings: Annotated[str | None, typer.Option(help="Linear head on this encoder (folder), not fastText.")] = None,
    pooling: Annotated[Pooling, typer.Option(help="Of the encoder's states: first token, or mean.")] = "cls",
    max_tokens: Annotated[int, typer.Option(help="Tokens of a text that the encoder reads.", min=8)] = 512,
    held_out: Annotated[float, typer.Option(help="Share of the hosts kept for the report.", min=0.01, max=0.9)] = 0.2,
    threshold: Annotated[float | None, typer.Option(help="Score for F1; default 0.5, or 3 for ratings.")] = None,
    per_class: Annotated[int, typer.Option(help="Most texts of a class; 200,000 as DCLM.", min=1)] = 200_000,
    ngrams: Annotated[int, typer.Option(help="fastText: longest n-gram of words.", min=1)] = 2,
    epochs: Annotated[int, typer.Option(help="fastText: passes over the texts.", min=1)] = 5,
    learning_rate: Annotated[float, typer.Option(help="fastText: learning rate.", min=0.0001)] = 0.1,
    dimensions: Annotated[int, typer.Option(help="fastText: size of a vector.", min=1)] = 100,
    buckets: Annotated[int | None, typer.Option(help="fastText: vectors for n-grams.", min=1)] = None,
    threads: Annotated[int, typer.Option(help="fastText: with 1 the model is the same each time.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="fastText: of the first vectors.")] = 1,
) -> None:
    """Train a quality classifier and report how it does on hosts it never saw."""
    learner: Learner = FastText(ngrams, epochs, learning_rate, dimensions, buckets, threads, seed)
    if embeddings is not None:
        learner = LinearHead(embeddings, pooling, max_tokens)
    with ShowProgress(console) as progress:
        progress("reading texts", 0, 1)
        labelled = _labelled(positive, negative, ratings, per_class)
        progress("reading texts", 1, 1)
        report = train(labelled, out, learner, held_out=held_out, threshold=threshold, progress=progress)
    page = write_report(report, out)
    console.print(summary_table(report))
    for what, count in report["left_out"].items():
        console.print(f"left out: {count} {what}", highlight=False)
    console.print(f"model   {out / learner.file}", highlight=False, soft_wrap=True)
    console.print(f"report  {page}", highlight=False, soft_wrap=True)
    console.print(f"stage   - quality: {report['stage']}", highlight=False, markup=False, soft_wrap=True)


def _labelled(positive: list[str], negative: list[str], ratings: Path | None, per_class: int) -> Labelled:
    if ratings is not None:
        if positive or negative:
            raise InputError("--ratings holds good and bad texts already; leave --positive and --negative out")
        return read_ratings(ratings)
    missing = [name for name, places in (("--positive", positive), ("--negative", negative)) if not places]
    if missing:
        raise InputError(f"{' and '.join(missing)} missing; give both classes, or rated lines with --ratings")
    return read_classes(positive, negative, per_class)
