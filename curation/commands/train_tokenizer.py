"""`curate train-tokenizer`: a tokenizer from texts or an existing one, proven, with a report on its compression."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.errors import InputError, RecipeError, ResumeError
from curation.mixture import MixtureSettings
from curation.progress import ShowProgress
from curation.report.numbers import fixed
from curation.report.tokenizer import judged_sentences, rates_by, rungs, training_sentences, warnings
from curation.spark import start_session
from curation.tokens.settings import RANKS_SUFFIX, TokenizerSettings
from curation.tokens.tiktoken_file import read_tokenizer
from curation.tokens.tokenizer import FrozenTokenizer

SHOWN_LANGUAGES = 15


@command("train-tokenizer")
def train_tokenizer(
    where: Annotated[
        list[str], typer.Argument(metavar="TEXTS", help="A run, or Parquet or JSON lines; NAME=PLACE names the source.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to create: tokenizer.json and tokenizer_report.json.")],
    vocab_size: Annotated[int, typer.Option(help="Bytes, special and reserved tokens included.")] = 32_000,
    split_digits: Annotated[bool, typer.Option(help="Each digit a token, or groups of up to three.")] = True,
    pattern: Annotated[str | None, typer.Option(help="How text is cut: gpt2, llama3, o200k, qwen2, qwen35.")] = None,
    special: Annotated[list[str], typer.Option(help="Special token; the first ends documents.")] = ["<|endoftext|>"],  # noqa: B006
    reserved: Annotated[int, typer.Option(help="Special tokens kept free for later.", min=0)] = 0,
    share: Annotated[
        list[str], typer.Option(metavar="NAME=SHARE", help="Share of a source in the sample, such as wiki=0.2.")
    ] = [],  # noqa: B006
    sample_bytes: Annotated[int, typer.Option(help="Bytes of text to train on at most.", min=1)] = 2**30,
    max_pretokens: Annotated[int, typer.Option(help="Different pre-tokens to train on at most.", min=1)] = 2_000_000,
    file: Annotated[
        str | None, typer.Option(metavar="FILE", help="Take this tokenizer.json or .tiktoken file, do not train.")
    ] = None,
    compare: Annotated[
        list[str], typer.Option(metavar="FILE", help="Another tokenizer.json for the report; may be given again.")
    ] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Chooses the sample.")] = 1,
    cores: Annotated[str, typer.Option(help="Cores of local mode.")] = "*",
) -> None:
    """Train a tokenizer on a weighted sample, or import one; prove its ids; report characters and bytes per token."""
    settings = _settings(file, vocab_size, split_digits, pattern, special, reserved, sample_bytes, max_pretokens)
    mixture = _mixture(share)
    if settings.file is not None:
        read_tokenizer(settings)  # what is wrong with it is said before Spark starts
    beside = {Path(one).parent.name + "/" + Path(one).name: FrozenTokenizer.load(one) for one in compare}
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ResumeError(f"{out} holds something already: remove it, or name another folder")
    report, left_out = _make(where, out.absolute(), settings, mixture, beside, seed, cores)
    _show(report)
    for reason, count in left_out.items():
        console.print(f"left out: {count} {reason}", highlight=False, markup=False)
    console.print(f"tokenizer  {out / 'tokenizer.json'}", highlight=False, soft_wrap=True)
    console.print(f"report     {out / 'tokenizer_report.json'}", highlight=False, soft_wrap=True)


def _settings(
    file: str | None,
    vocab_size: int,
    split_digits: bool,
    pattern: str | None,
    special: list[str],
    reserved: int,
    sample_bytes: int,
    max_pretokens: int,
) -> TokenizerSettings:
    if file is not None:
        ranks = {"pattern": pattern, "special_tokens": special} if file.endswith(RANKS_SUFFIX) else {}
        raw: dict[str, Any] = {"file": file, **ranks}
    else:
        raw = {
            "train": {
                "vocab_size": vocab_size,
                "split_digits": split_digits,
                "pattern": pattern,
                "special_tokens": special,
                "reserved_tokens": reserved,
                "sample_bytes": sample_bytes,
                "max_pretokens": max_pretokens,
            }
        }
    try:
        return TokenizerSettings.model_validate(raw)
    except ValidationError as error:
        raise RecipeError(
            "options", [f"{'.'.join(map(str, one['loc'][1:]))} {one['msg']}".strip() for one in error.errors()]
        ) from error


def _mixture(given: list[str]) -> MixtureSettings | None:
    shares: dict[str, float] = {}
    for one in given:
        name, _, number = one.partition("=")
        try:
            shares[name] = float(number)
        except ValueError:
            raise InputError(f"--share {one}: write NAME=SHARE, such as wiki=0.2") from None
        if not 0 < shares[name] <= 1:
            raise InputError(f"--share {one}: a share is above 0 and at most 1")
    try:
        return MixtureSettings(sources=shares) if shares else None
    except ValidationError as error:
        raise RecipeError("options", [f"--share: {one['msg']}" for one in error.errors()]) from error


def _make(
    where: list[str],
    out: Path,
    settings: TokenizerSettings,
    mixture: MixtureSettings | None,
    beside: dict[str, FrozenTokenizer],
    seed: int,
    cores: str,
) -> tuple[dict[str, Any], dict[str, int]]:
    """Everything in `<out>.building`, which becomes `out` at the end."""
    spark = start_session(cores)
    from curation.tokens.make import REPORT, make_tokenizer
    from curation.tokens.texts import open_texts

    building = out.with_name(out.name + ".building")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    try:
        with ShowProgress(console) as progress:
            progress("reading texts", 0, 1)
            documents, left_out = open_texts(spark, where)
            progress("reading texts", 1, 1)
            progress("tokenizer", 0, 1)
            make_tokenizer(documents, settings, building, seed=seed, mixture=mixture, beside=beside)
            progress("tokenizer", 1, 1)
        report = json.loads((building / REPORT).read_text(encoding="utf-8"))
        building.replace(out)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return report, left_out


def _show(report: dict[str, Any]) -> None:
    found = rungs(report)
    sizes = Table("vocabulary", "", "characters per token", "bytes per token", box=None)
    for rung in found:
        told = Text(rung.told, overflow="ellipsis", no_wrap=True)
        sizes.add_row(f"{rung.vocab_size:,}", told, f"{rung.chars_per_token:.2f}", f"{rung.bytes_per_token:.2f}")
    for column in (sizes.columns[0], *sizes.columns[2:]):
        column.justify, column.no_wrap = "right", True
    console.print(sizes)
    table = Table("characters per token", *(f"{rung.vocab_size:,}" for rung in found), "share of bytes", box=None)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for row in rates_by(report, "language")[:SHOWN_LANGUAGES]:
        table.add_row(Text(row["name"]), *map(fixed, row["rates"]), f"{row['share']:.1%}")
    console.print(table)
    for sentence in (*judged_sentences(report), *training_sentences(report)):
        console.print(sentence, highlight=False, markup=False)
    for sentence in warnings(report):
        console.print(sentence, style="yellow", highlight=False, markup=False)
