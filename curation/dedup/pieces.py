"""Lines, paragraphs and spans of sentences of a text: where each lies, and a 128-bit key that equal ones share.

A piece reaches from its first character to the next piece where only blanks part them. Where a line break parts them,
a piece that begins a line takes its break along, and the blank lines behind it if there were some before it too; so a
text from which pieces are cut keeps its line breaks, and does not fill with blank lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import xxhash

from curation import text as cut
from curation.dedup.columns import matrix
from curation.dedup.kernel import exact_keys

Of = Literal["line", "paragraph", "sentence"]
Compare = Literal["form", "exact"]

CUTTERS = {"line": cut.lines, "paragraph": cut.paragraphs, "sentence": cut.sentences}
PIECE = pa.struct(
    [
        pa.field("high", pa.int64()),  # the key's halves
        pa.field("low", pa.int64()),
        pa.field("number", pa.int32()),  # of its line, paragraph or first sentence in the text
        pa.field("start", pa.int32()),  # code points
        pa.field("end", pa.int32()),
        pa.field("again", pa.bool_()),  # an equal piece stands earlier in the same text
    ]
)


class Place(NamedTuple):
    """Code points: `start` to `stop` is what is compared, `start` to `end` what a cut takes."""

    start: int
    stop: int
    end: int


def places(text: str, of: Of, span: int = 1) -> list[Place]:
    """Every run of `span` neighbouring pieces of a text, in order.

    >>> text = "Home\\n\\nA story. It ends.\\nBye"
    >>> [text[place.start : place.end] for place in places(text, "line")]
    ['Home\\n\\n', 'A story. It ends.\\n', 'Bye']
    >>> [text[place.start : place.end] for place in places(text, "sentence", 2)]
    ['Home\\n\\nA story. ', 'A story. It ends.', 'It ends.\\nBye']
    """
    bounds = _bounds(text, CUTTERS[of](text))
    gaps = [text[a:b] for a, b in zip([0, *(s for _, s in bounds)], [*(s for s, _ in bounds), len(text)], strict=True)]
    ends = []
    for number, (_, stop) in enumerate(bounds):
        before, behind = gaps[number], gaps[number + 1]
        if "\n" not in behind:
            taken = len(behind)
        elif number and "\n" not in before:
            taken = 0  # the end of a line that began with another piece
        elif number and before.count("\n") < 2:
            taken = behind.index("\n") + 1
        else:
            taken = len(behind)
        ends.append(stop + taken)
    return [
        Place(bounds[first][0], bounds[first + span - 1][1], ends[first + span - 1])
        for first in range(len(bounds) - span + 1)
    ]


def pieces(texts: Sequence[str], of: Of, span: int, compare: Compare) -> pa.ListArray:
    """For each text the list of its PIECEs. `form` compares the words of the comparison form, and leaves out a piece

    without any; `exact` compares what is written, white space at both ends aside.
    """
    found = [places(text, of, span) for text in texts]
    compared = [text[p.start : p.stop].strip() for text, each in zip(texts, found, strict=True) for p in each]
    keys, known = _form_keys(compared) if compare == "form" else _exact_keys(compared)
    text_number = np.repeat(np.arange(len(texts)), [len(each) for each in found])[known]
    flat = np.array([(n, p.start, p.end) for each in found for n, p in enumerate(each)], np.int32).reshape(-1, 3)[known]
    columns = {
        "high": keys[:, 0],
        "low": keys[:, 1],
        "number": flat[:, 0],
        "start": flat[:, 1],
        "end": flat[:, 2],
        "again": _again(text_number, keys),
    }
    offsets = np.searchsorted(text_number, np.arange(len(texts) + 1)).astype(np.int32)
    structs = pa.StructArray.from_arrays([pa.array(columns[f.name], f.type) for f in PIECE], fields=list(PIECE))
    return pa.ListArray.from_arrays(pa.array(offsets), structs)


def _bounds(text: str, parts: list[str]) -> list[tuple[int, int]]:
    """Where each part lies. Only white space stands between parts, so each is met first at its own place."""
    bounds, at = [], 0
    for part in parts:
        start = text.index(part, at)
        at = start + len(part)
        bounds.append((start, at))
    return bounds


def _form_keys(compared: list[str]) -> tuple[np.ndarray, np.ndarray]:
    keys = exact_keys(pa.array(compared, pa.large_string()))
    known = keys.is_valid().to_numpy(zero_copy_only=False)
    return matrix(keys.drop_null(), "<i8").reshape(-1, 2), known


def _exact_keys(compared: list[str]) -> tuple[np.ndarray, np.ndarray]:
    digests = b"".join(xxhash.xxh3_128_digest(piece.encode()) for piece in compared)
    return np.frombuffer(digests, dtype="<i8").reshape(-1, 2), np.ones(len(compared), dtype=bool)


def _again(text_number: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Whether the same text (they ascend) holds an equal key earlier."""
    order = np.lexsort((keys[:, 1], keys[:, 0], text_number))  # stable: equal pieces stay in order
    sorted_keys, sorted_texts = keys[order], text_number[order]
    again = np.zeros(len(keys), dtype=bool)
    same = (sorted_texts[1:] == sorted_texts[:-1]) & np.all(sorted_keys[1:] == sorted_keys[:-1], axis=1)
    again[order[1:][same]] = True
    return again
