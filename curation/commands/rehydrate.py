"""`curate rehydrate`: how often each survivor of a run is repeated, by the size of its cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pyarrow.parquet as pq
import typer

from curation.commands.app import command, console
from curation.run.folder import RunFolder
from curation.run.rehydrate import rehydrate


@command("rehydrate")
def rehydrate_run(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    stage: Annotated[str, typer.Option(help="Corpus stage whose clusters count.")] = "near_duplicates",
    by: Annotated[str, typer.Option(help="size: FineWeb2's table; removal: what later stages removed.")] = "size",
    most: Annotated[int, typer.Option(help="Copies at most, with --by removal.", min=1)] = 10,
) -> None:
    """Write doc_id, cluster_size and copies of every curated document, FineWeb2's upsampling by cluster size."""
    target = rehydrate(RunFolder(run.absolute()), stage, by=by, most=most)
    copies = pq.read_table(target, columns=["copies"])["copies"].to_numpy()
    console.print(f"{len(copies):,} documents make {int(copies.sum()):,} copies: {target}", highlight=False)
