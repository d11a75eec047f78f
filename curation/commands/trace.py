"""`curate trace`: the page behind a token of a shard, or behind a doc_id."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from curation.commands.app import command, console
from curation.errors import InputError
from curation.report.tables import compact_table
from curation.run.folder import RunFolder
from curation.run.lookup import rows_of_url
from curation.run.trace import Token, Trace, trace_document, trace_token

SHOWN_ROWS = 5


@command("trace")
def trace(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    shard: Annotated[
        str | None, typer.Option(metavar="FILE", help="A token shard, as in train/web/part-00000.parquet.")
    ] = None,
    row: Annotated[int | None, typer.Option(help="Row of the shard, from 0.")] = None,
    pos: Annotated[int, typer.Option(help="Token of the row, from 0.")] = 0,
    doc_id: Annotated[int | None, typer.Option(help="Instead of a token: a document.")] = None,
    url: Annotated[str | None, typer.Option(help="Instead of a token: the document of an address.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, with the text.")] = False,
) -> None:
    """Print which page a token comes from, where that was crawled, and its way through the stages."""
    folder = RunFolder(run.absolute())
    if [shard, doc_id, url].count(None) != 2 or (shard is not None and row is None):
        raise InputError("give --shard with --row and --pos, or --doc-id, or --url")
    if shard is not None:
        found = trace_token(folder, shard, row, pos)
    else:
        found = trace_document(folder, doc_id if doc_id is not None else _only_id(folder, url))
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
        return
    show(found)


def _only_id(folder: RunFolder, url: str) -> int:
    rows = rows_of_url(folder, url)
    if len(rows) > 1:
        captures = ", ".join(f"{row['doc_id']} ({row['snapshot'] or 'no snapshot'})" for row in rows)
        raise InputError(f"{len(rows)} documents have the address {url}; name one with --doc-id: {captures}")
    return rows[0]["doc_id"]


def show(found: Trace) -> None:
    """The document, the token in its text, and the way, as text and a table."""
    document = found.document
    for name in ("doc_id", "url", "source", "snapshot", "date", "language"):
        if document[name] not in ("", None):
            _say(name, document[name])
    if document["warc_file"]:
        _say("crawl file", f"{document['warc_file']} at {document['warc_offset']}")
        _say("record", document["record_id"] or "(none)")
    for name in ("scores", "pii", "notes"):
        if document[name]:
            _say(name, ", ".join(f"{one['key']} {one['value']}" for one in document[name]))
    _say("fate", found.fate)
    if found.rows:
        more = len(found.rows) - SHOWN_ROWS
        rows = ", ".join(f"{shard} row {row}" for shard, row in found.rows[:SHOWN_ROWS])
        _say("in shards", f"{rows} and {more} more" if more > 0 else rows)
    if found.token is not None:
        _show_token(found.token)
    way = compact_table("way through the stages")
    way.add_column("stage")
    way.add_column("characters after", justify="right", no_wrap=True)
    way.add_column("what happened")
    for step in found.way:
        way.add_row(step.stage, "" if step.chars is None else f"{step.chars:,}", Text(step.happened))
    console.print(way)


def _say(name: str, value: object) -> None:
    console.print(Text(f"{name:12}{value}"), soft_wrap=True)


def _show_token(token: Token) -> None:
    place = f"number {token.number} of the document, characters {token.start} to {token.end} of its text"
    console.print(f"\ntoken {token.id}, {place}:", highlight=False)
    text = Text(token.before)
    text.append(f">>{token.spelled or 'END'}<<", "bold reverse")  # marks, because a log has no colours
    text.append(token.after)
    console.print(text, "\n", highlight=False)
