"""The one schema of documents: what each column means, in which unit, and which stage writes it."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from curation.page import Page
from curation.text import without_surrogates


def _column(name: str, kind: pa.DataType, meaning: str) -> pa.Field:
    return pa.field(name, kind, metadata={"meaning": meaning})


def _named(kind: pa.DataType) -> pa.DataType:
    """Named values. A list of pairs and not a map, because Hugging Face datasets cannot open maps."""
    return pa.list_(pa.struct([("key", pa.string()), ("value", kind)]))


NAMED = ("scores", "signals", "pii", "notes")
DOCUMENT = pa.schema(
    [
        _column("doc_id", pa.int64(), "identity: xxh3 of source, snapshot, file and record identity; written by read"),
        _column("source", pa.string(), "name of the source in the mixture, such as web or wiki; written by read"),
        _column("snapshot", pa.string(), "crawl snapshot, such as CC-MAIN-2024-10; empty for other sources; read"),
        _column("url", pa.string(), "address of the page, empty where a source has none; read"),
        _column("host", pa.string(), "host of the address, lower-case, without port; read"),
        _column("date", pa.string(), "time of capture, ISO 8601 UTC, empty where unknown; read"),
        _column("warc_file", pa.string(), "file, relative to the input root; read"),
        _column("warc_offset", pa.int64(), "bytes from the start of the file to the record, or row number; read"),
        _column("record_id", pa.string(), "WARC-Record-ID, or the id the source gives; read"),
        _column("text", pa.large_string(), "the text; of a dropped page only in the audit sample; extract, rewrite"),
        _column("chars", pa.int64(), "length of the text in code points, also where the text itself is left out"),
        _column("language", pa.string(), "ISO 639-1 or 639-3 label; score.language"),
        _column("language_score", pa.float32(), "probability of the label; can pass 1 by rounding; score.language"),
        _column("scores", _named(pa.float32()), "scores by models; score"),
        _column("signals", _named(pa.float64()), "annotate runs: every value; <stage>.cluster_size"),
        _column("pii", _named(pa.int32()), "masked items by kind; rewrite.pii"),
        _column("notes", _named(pa.string()), "how the page was read and extracted, what it reserves: charset, robots"),
        _column("dropped_by", pa.string(), "fate: null (kept) or <stage>.<rule>"),
        _column("dropped_value", pa.string(), "the value that decided the fate"),
        _column("error", pa.string(), "message, where a stage failed on this page"),
        _column("trail", pa.list_(pa.int64()), "code points after read and after each stage the page entered"),
    ]
)


def document_id(source: str, snapshot: str, file: str, offset: int, record_id: str) -> int:
    """64-bit identity of a document; depends on what it is, never on when or where it was read.

    `file` is relative to the input root, `offset` in bytes (or a row number); `record_id` may be empty.
    """
    identity = "\x1f".join((source, snapshot, file, str(offset), record_id))
    digest = xxhash.xxh3_64_intdigest(identity.encode("utf-8", "surrogatepass"))
    return digest - (1 << 64) if digest >= 1 << 63 else digest


def in_sample(doc_id: int, share: float, draw: int) -> bool:
    """Whether a document is in a sample of this share: by hash of its id, so the same ones in every run.

    Samples of different `draw` are independent.
    """
    return xxhash.xxh3_64_intdigest(doc_id.to_bytes(8, "little", signed=True), seed=draw) < share * 2**64


def to_batch(pages: Iterable[Page], keep_text: Iterable[bool] | None = None) -> pa.RecordBatch:
    """Pages as one Arrow batch of DOCUMENT. `keep_text[i]` false leaves the text of page i out (its length stays)."""
    pages = list(pages)
    keep = [True] * len(pages) if keep_text is None else list(keep_text)
    columns = {
        name: [getattr(page, name) for page in pages] for name in DOCUMENT.names if name not in ("text", "chars")
    }
    columns["text"] = [without_surrogates(page.text) if kept else None for page, kept in zip(pages, keep, strict=True)]
    columns["chars"] = [len(page.text) for page in pages]
    for name in ("dropped_value", "error"):  # they may quote what broke a page
        columns[name] = [value and without_surrogates(value) for value in columns[name]]
    columns["notes"] = [{k: without_surrogates(v) for k, v in notes.items()} for notes in columns["notes"]]
    for name in NAMED:
        columns[name] = [[{"key": k, "value": v} for k, v in mapping.items()] for mapping in columns[name]]
    return pa.record_batch([pa.array(columns[f.name], f.type) for f in DOCUMENT], schema=DOCUMENT)


def from_batch(batch: pa.RecordBatch) -> list[Page]:
    """Pages of an Arrow batch written by `to_batch`."""
    pages = []
    for row in batch.to_pylist():
        page = Page(row["text"] or "")
        for name, value in row.items():
            if name in NAMED:
                setattr(page, name, {pair["key"]: pair["value"] for pair in value})
            elif name not in ("text", "chars"):
                setattr(page, name, value)
        pages.append(page)
    return pages


def named_values(column: pa.Array, key: str) -> pa.Array:
    """For each row the value that stands under `key` in one of the NAMED columns; null where it has none.

    >>> named_values(to_batch([Page("a")])["scores"], "quality").to_pylist()
    [None]
    """
    pairs, rows = pc.list_flatten(column), pc.list_parent_indices(column)
    held = pc.equal(pc.struct_field(pairs, "key"), key)
    found, at = pc.struct_field(pairs, "value").filter(held), rows.filter(held)
    return found.take(pc.index_in(pa.array(range(len(column)), at.type), value_set=at))
