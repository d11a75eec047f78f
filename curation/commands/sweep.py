"""`curate sweep`: what other shingle lengths, bands and rows would find and remove."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import typer
from rich.table import Table

from curation.commands.app import command, console
from curation.dedup.sweep import LOWEST, Outcome, parse_setting, sweep
from curation.dedup.sweep_chart import sweep_chart
from curation.dedup_rows.columns import Columns, find_columns
from curation.dedup_rows.rows import read_rows
from curation.errors import InputError
from curation.read.inputs import list_inputs
from curation.read.splits import plan_splits
from curation.report.tables import WIDE, compact_table
from curation.run.folder import RunFolder, write_json
from curation.run.stored import Texts, from_run, from_texts, sampled_pairs

DEFAULT = ("14x8", "9x13", "20x5", "28x4")  # FineWeb's; Gopher's; two of its 112 hashes that forgive more


@command("sweep")
def sweep_settings(
    where: Annotated[str, typer.Argument(metavar="RUN_OR_FILES", help="A run, or texts: .txt, JSON lines, Parquet.")],
    setting: Annotated[
        list[str], typer.Argument(metavar="SETTING", help="BANDSxROWS or NGRAM:BANDSxROWS, such as 14x8 13:9x13.")
    ] = [],  # noqa: B006
    stage: Annotated[str, typer.Option(help="With a run: the stage whose signatures to use.")] = "near_duplicates",
    text: Annotated[str | None, typer.Option(metavar="COLUMN", help="With files: the text column.")] = None,
    unit: Annotated[str, typer.Option(help="With files: what a shingle is made of, word or char.")] = "word",
    ngram: Annotated[int, typer.Option(help="Shingle length where a setting names none.", min=1)] = 5,
    similar_at: Annotated[float, typer.Option(help="Jaccard similarity from which a pair counts as similar.")] = 0.75,
    sample: Annotated[int, typer.Option(help="Documents compared with all others.", min=1)] = 1000,
    out: Annotated[Path, typer.Option(help="Folder for sweep.json and sweep.svg.")] = Path("sweep"),
) -> None:
    """Compare MinHash settings: pairs, clusters, what goes, precision and recall; a table, JSON and a picture."""
    if not LOWEST <= similar_at <= 1:
        raise InputError(f"--similar-at {similar_at}: give a similarity from {LOWEST} to 1")
    if unit not in ("word", "char"):
        raise InputError(f"--unit {unit}: choose word or char")
    is_run = (Path(where) / "plan.json").is_file()
    settings = [parse_setting(one, ngram) for one in setting or (DEFAULT[:1] + DEFAULT[2:] if is_run else DEFAULT)]
    if is_run:
        material = from_run(RunFolder(Path(where).absolute()), stage, settings)
    else:
        material = from_texts(_texts(where, text), settings, unit)
    outcomes = sweep(settings, material.signed, sampled_pairs(material, sample), similar_at)
    content = {"similar_at": similar_at, "sample": sample, "settings": [one.to_dict() for one in outcomes]}
    write_json(out / "sweep.json", content)
    (out / "sweep.svg").write_text(sweep_chart(outcomes, similar_at), encoding="utf-8")
    console.print(_table(outcomes, similar_at, console.width))
    console.print(f"picture: {out / 'sweep.svg'}\nfigures: {out / 'sweep.json'}", highlight=False, soft_wrap=True)


def _texts(where: str, column: str | None) -> Texts:
    """Texts of a file: the lines of a .txt, or a column of JSON lines or Parquet; ids count them in order."""
    if where.endswith(".txt"):
        try:
            lines = [line for line in Path(where).read_text(encoding="utf-8").split("\n") if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{where} cannot be read as UTF-8 text: {error}") from error
        return lambda: iter([(np.arange(len(lines)), pa.array(lines, pa.large_string()))])
    files = list_inputs(where)
    found = find_columns(files, Columns(text=column))

    def batches() -> Iterator[tuple[np.ndarray, pa.Array]]:
        first = 0
        for file, columns in zip(files, found, strict=True):
            for split in plan_splits([file], 1 << 62):
                for rows in read_rows(split, columns):
                    texts = [value if isinstance(value, str) else None for value in rows.values[columns.text]]
                    yield np.arange(first, first + len(texts)), pa.array(texts, pa.large_string())
                    first += len(texts)

    return batches


def _table(outcomes: list[Outcome], similar_at: float, width: int) -> Table:
    """A row a setting. Below 100 columns without threshold and clusters, which stand in sweep.json."""
    columns = {
        "setting": lambda one: one.setting,
        "threshold": lambda one: f"{one.threshold:.2f}",
        "pairs": lambda one: f"{one.pairs:,}",
        "clusters": lambda one: f"{one.clusters:,}",
        "largest": lambda one: f"{one.largest:,}",
        "removed": lambda one: f"{one.removed:,}",
        "of all": lambda one: f"{one.removed_share:.1%}",
        "precision": lambda one: _share(one.precision),
        "recall": lambda one: _share(one.recall),
        "expected": lambda one: _share(one.recall_expected),
    }
    title = f"pairs of Jaccard {similar_at:g} and more count as similar"
    table = compact_table(title)
    left_out = () if width >= WIDE else ("threshold", "clusters", "largest")
    shown = {name: tell for name, tell in columns.items() if name not in left_out}
    for name in shown:
        table.add_column(name, justify="left" if name == "setting" else "right", no_wrap=True)
    for one in outcomes:
        table.add_row(*(tell(one) for tell in shown.values()))
    return table


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
