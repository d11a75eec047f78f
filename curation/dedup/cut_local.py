"""The table side of the cutting stages on an Arrow table of keys, without Spark: everything is sorted in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.cutting import DOCUMENT_KEY, FINGERPRINTED, PLACED, Cutting, Substrings
from curation.dedup.local import without_shared_ids
from curation.dedup.pieces import PIECE
from curation.dedup.stages import CLUSTERS, CUTS, REMOVALS, LocalDecision

_GROUP = ("within", "bucket", "high", "low")
_ORDER = ("captured", "doc_id", "number")


def decide(stage: Cutting, keys: pa.Table) -> LocalDecision:
    """Cuts in all documents of `keys` (rows of the stage's `key_schema`), sorted by unit, doc_id and start."""
    keys = without_shared_ids(keys)
    placed = _shared_windows(stage, keys) if isinstance(stage, Substrings) else _unfolded(keys, stage.bucket)
    cuts = merged(_repeats(stage, placed), stage.name)
    return LocalDecision(REMOVALS.empty_table(), CLUSTERS.empty_table(), cuts)


def _unfolded(keys: pa.Table, bucket: int | None) -> pa.Table:
    """One row of PLACED per piece."""
    within, ids = keys["within"].to_numpy(), keys["doc_id"].to_numpy()
    _, group, documents = np.unique(within, return_inverse=True, return_counts=True)
    buckets = np.ones(len(documents), dtype=np.int64) if bucket is None else -(-documents // bucket)
    keys = keys.append_column("bucket", pa.array(ids % buckets[group], pa.int64()))
    lists = keys["pieces"].combine_chunks()
    rows = keys.select([*DOCUMENT_KEY.names, "bucket"]).take(pc.list_parent_indices(lists))
    pieces = lists.flatten()
    for field in PIECE:
        rows = rows.append_column(field, pieces.field(field.name))
    return rows.cast(PLACED)


def _shared_windows(stage: Substrings, keys: pa.Table) -> pa.Table:
    """The windows that bear a fingerprint met at two places."""
    lists = keys["fingerprints"].combine_chunks()
    rows = keys.select(DOCUMENT_KEY.names).take(pc.list_parent_indices(lists))
    rows = rows.append_column("fingerprint", lists.flatten()).cast(FINGERPRINTED)
    value = np.column_stack([rows["within"].to_numpy(), rows["fingerprint"].to_numpy()])
    _, place, count = np.unique(value, axis=0, return_inverse=True, return_counts=True)
    shared = rows.filter(pa.array(count[place.ravel()] > 1))
    batches = [
        batch
        for unit in shared["unit"].unique()
        for batch in stage.windows(shared.filter(pc.equal(shared["unit"], unit)))
    ]
    return pa.Table.from_batches(batches, PLACED)


def _repeats(stage: Cutting, placed: pa.Table) -> pa.Table:
    """The rows of PLACED that are cut, with kept_id and copies."""
    placed = placed.sort_by([(name, "ascending") for name in (*_GROUP, *_ORDER)])
    keys = np.column_stack([placed[name].to_numpy() for name in _GROUP])
    starts = np.flatnonzero(np.concatenate([[True], np.any(keys[1:] != keys[:-1], axis=1)])[: len(keys)])
    copies = np.diff([*starts, len(keys)])
    first = np.repeat(starts, copies)  # of each row the first of its copies
    copies = np.repeat(copies, copies)
    ids, numbers = placed["doc_id"].to_numpy(), placed["number"].to_numpy()
    again = placed["again"].to_numpy()
    kept = np.ones(len(ids), dtype=bool)  # whether a copy is kept
    if stage.remove == "frequent":
        cut, kept = copies > stage.more_than, ~kept
    elif stage.remove == "seen_elsewhere":
        elsewhere = np.repeat(np.add.reduceat(~again, starts, dtype=np.int64) > 1, np.diff([*starts, len(keys)]))
        cut, kept = elsewhere | again, ~elsewhere
    else:
        overlapping = (ids == ids[first]) & (numbers < numbers[first] + stage.span)
        cut = (copies > 1) & ~overlapping
    kept_id = pa.array(ids[first], pa.int64(), mask=~kept)
    placed = placed.append_column("kept_id", kept_id).append_column("copies", pa.array(copies, pa.int64()))
    return placed.filter(pa.array(cut))


def merged(rows: pa.Table, stage: str) -> pa.Table:
    """CUTS: ranges of one document that touch or overlap become one. A later piece of a text never ends earlier."""
    rows = rows.sort_by([(name, "ascending") for name in ("unit", "doc_id", "start")])
    ids, start, end = (rows[name].to_numpy() for name in ("doc_id", "start", "end"))
    if not len(ids):
        return CUTS.empty_table()
    fresh = (ids[1:] != ids[:-1]) | (start[1:] > end[:-1])
    first = np.flatnonzero(np.concatenate([[True], fresh]))
    columns = {
        "doc_id": ids[first],
        "unit": rows["unit"].take(pa.array(first)),
        "start": start[first].astype(np.int64),
        "end": np.maximum.reduceat(end, first).astype(np.int64),
        "stage": pa.repeat(pa.scalar(stage, pa.string()), len(first)),
        "kept_id": rows["kept_id"].take(pa.array(first)),
        "copies": np.maximum.reduceat(rows["copies"].to_numpy(), first),
    }
    return pa.table(columns, schema=CUTS)
