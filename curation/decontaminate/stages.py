"""The corpus stages of the verb `decontaminate`: gpt3, ngram_drop, coverage and paragraph.

All four find n-grams (or paragraphs) of benchmark items on the page side, where the text is at hand, and write one row
for each hit. The table side sees the hits of the whole corpus: only there can it be known which n-grams are frequent,
and how much of an item is in the corpus. It answers with removals, or with spans to cut, and with the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.decontaminate.index import Index, build_index, hits
from curation.decontaminate.items import Items
from curation.decontaminate.judge import Interval, pieces_left
from curation.dedup.stages import Decision, LocalDecision
from curation.page import Drop, Page

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Mode = Literal["gpt3", "ngram_drop", "coverage", "paragraph"]
Fields = Mapping[str, tuple[str, ...]]

HITS = pa.schema(
    [
        pa.field("doc_id", pa.int64()),
        pa.field("unit", pa.string()),
        pa.field("gram", pa.int64()),  # hash of the n-gram
        pa.field("start", pa.int64()),  # code points of the page's text, from the first word of the n-gram ...
        pa.field("end", pa.int64()),  # ... to the end of its last
    ]
)
BETWEEN_PIECES = "\n\n"  # what is left of a page on both sides of a cut does not belong together


@dataclass(frozen=True, kw_only=True)
class Decontamination:
    """Made by the functions below, which check the settings; `with_items` adds what to look for."""

    name: str
    mode: Mode
    benchmarks: Fields
    ngram: int
    max_documents: int | None
    around: int = 0
    shortest_piece: int = 0
    most_pieces: int = 0
    max_coverage: float = 0.0
    items: Items | None = None

    @property
    def rule(self) -> str:
        """A removed page has the fate <name>.<rule>; one of which too little is left has another, see `cut`."""
        return self.mode

    @property
    def cuts_text(self) -> bool:
        return self.mode == "gpt3"

    def with_items(self, items: Items) -> Decontamination:
        return replace(self, items=items)

    def index(self) -> Index:
        assert self.items is not None, f"stage {self.name} was started without its benchmark items"
        return build_index(self.items, self.ngram, whole=self.mode == "paragraph")

    def key_schema(self) -> pa.Schema:
        return HITS

    def keys(self, batch: pa.RecordBatch, unit: str) -> pa.RecordBatch:
        batch = batch.filter(pc.is_null(batch["dropped_by"]))
        return self.hit_rows(batch["doc_id"], batch["text"], unit)

    def hit_rows(self, doc_ids: pa.Array, texts: pa.Array, unit: str) -> pa.RecordBatch:
        """A row of HITS for each n-gram of an item in each text."""
        found = hits(texts, self.index())
        ids = np.repeat(doc_ids.to_numpy(), [len(one) for one in found])
        grams, starts, ends = np.array([hit for one in found for hit in one], dtype=object).reshape(-1, 3).T
        signed = grams.astype(np.uint64).view(np.int64)
        units = pa.repeat(pa.scalar(unit, pa.string()), len(ids))
        return pa.record_batch([ids, units, signed, starts.astype(np.int64), ends.astype(np.int64)], schema=HITS)

    def removals(self, keys: DataFrame) -> Decision:
        from curation.decontaminate import tables

        return tables.decide(self, keys)

    def local_removals(self, keys: pa.Table) -> LocalDecision:
        from curation.decontaminate import local

        return local.decide(self, keys)

    def cut(self, text: str, ranges: Sequence[Interval]) -> str | Drop:
        """The text without the ranges and what is around them; see `pieces_left`."""
        pieces = pieces_left(
            ranges,
            len(text),
            around=self.around,
            shortest_piece=self.shortest_piece,
            most_pieces=self.most_pieces,
        )
        if isinstance(pieces, Drop):
            return pieces
        left = BETWEEN_PIECES.join(filter(None, (text[begin:end].strip() for begin, end in pieces)))
        return left or Drop("nothing_left", 0)

    def deciding_value(self, page: Page, kept_id: int | None) -> None:
        """None: what was found in a page, of which items, is many rows; they are in the evidence of the run."""


def gpt3(
    *,
    name: str,
    benchmarks: Fields,
    ngram: int = 13,
    max_documents: int | None = 10,
    around: int = 200,
    shortest_piece: int = 201,
    most_pieces: int = 10,
) -> Decontamination:
    """Cuts every n-gram of an item out of every page, with `around` characters on both sides.

    A page that falls into more than `most_pieces` pieces is dropped (too_many_pieces); pieces shorter than
    `shortest_piece` characters go, and with the last of them the page (nothing_left). N-grams that more than
    `max_documents` documents hold are ignored (null: none is).

    Source: GPT-3 (arXiv 2005.14165), appendix C: 13 words, 200 characters, 10 pieces, 10 documents; Janitor of
    lm-evaluation-harness for "longer than 200".
    Reading: pieces are counted before short ones are discarded, and as pieces; frequent means distinct documents that
    reach this stage, so stand it after deduplication.
    Differs: Janitor drops a document at its 11th matching n-gram, so a single overlap of 23 words drops it; here
    overlapping n-grams are one cut. Words are those of the comparison form, there ASCII letters between white space.
    What is left of a page stays one document, its pieces parted by a blank line.
    """
    _check_numbers(ngram=(ngram, 1), max_documents=(max_documents, 1), around=(around, 0),
                   shortest_piece=(shortest_piece, 1), most_pieces=(most_pieces, 1))  # fmt: skip
    return Decontamination(
        name=name, mode="gpt3", benchmarks=_checked(benchmarks), ngram=ngram, max_documents=max_documents,
        around=around, shortest_piece=shortest_piece, most_pieces=most_pieces,
    )  # fmt: skip


def ngram_drop(*, name: str, benchmarks: Fields, ngram: int = 13, max_documents: int | None = None) -> Decontamination:
    """Drops every page that holds an n-gram of an item.

    Source: GPT-3's first attempt (13 words); datatrove's decontamination (12 words, any hit).
    Differs: datatrove joins query and label, so that its n-grams reach from one into the other; here fields stay apart.
    """
    _check_numbers(ngram=(ngram, 1), max_documents=(max_documents, 1))
    return Decontamination(
        name=name, mode="ngram_drop", benchmarks=_checked(benchmarks), ngram=ngram, max_documents=max_documents
    )


def coverage(
    *, name: str, benchmarks: Fields, max_coverage: float, ngram: int = 8, max_documents: int | None = 10
) -> Decontamination:
    """Removes the pages that give an item away: those without which less than `max_coverage` of it is in the corpus.

    The coverage of an item is the share of its words that lie in n-grams which the corpus holds anywhere. Where it
    reaches `max_coverage`, pages go in order of what they hold of the item on their own, until the rest is below.

    Source: Llama 3 (arXiv 2407.21783, 5.1.4) and Singh et al. (arXiv 2411.03923) for the measure: 8-grams, with a bound
    chosen for each benchmark. There it labels test items; removing pages by it is ours.
    Differs: words of the comparison form, not tokens of a model; words in fields of fewer than `ngram` words count on
    neither side; n-grams in more than `max_documents` documents do not cover (there all count).
    """
    _check_numbers(ngram=(ngram, 1), max_documents=(max_documents, 1))
    if not 0 < max_coverage <= 1:
        raise ValueError(f"max_coverage is {max_coverage!r}; it must be a share above 0 and at most 1")
    return Decontamination(
        name=name, mode="coverage", benchmarks=_checked(benchmarks), ngram=ngram, max_documents=max_documents,
        max_coverage=max_coverage,
    )  # fmt: skip


def paragraph(
    *, name: str, benchmarks: Fields, min_words: int = 13, max_documents: int | None = None
) -> Decontamination:
    """Drops every page with a line that equals a line of an item of at least `min_words` words, in comparison form.

    Source: Dolma (arXiv 2402.00159) and Paloma: paragraphs of 13 words or more, a document with one of them goes.
    Differs: an exact set instead of a Bloom filter; comparison form instead of the text as it is.
    """
    _check_numbers(min_words=(min_words, 1), max_documents=(max_documents, 1))
    return Decontamination(
        name=name, mode="paragraph", benchmarks=_checked(benchmarks), ngram=min_words, max_documents=max_documents
    )


def _checked(benchmarks: Fields) -> Fields:
    without = [name for name, fields in benchmarks.items() if not fields]
    if without or not benchmarks:
        raise ValueError(
            f"benchmarks names no field{' of ' + ', '.join(without) if without else ''}; "
            "write it as {gsm8k: [question, answer]}"
        )
    return dict(benchmarks)


def _check_numbers(**settings: tuple[int | None, int]) -> None:
    for name, (value, least) in settings.items():
        if value is not None and value < least:
            raise ValueError(f"{name} is {value}; it must be at least {least}")
