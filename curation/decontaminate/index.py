"""The index: benchmark items cut into n-grams (or paragraphs), their hashes, and the way back to item and place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.decontaminate.items import Items
from curation.decontaminate.scan import GramSet, all_grams, gram_set, grams_in
from curation.dedup.columns import matrix
from curation.dedup.form import form_words, spanned_words
from curation.dedup.kernel import exact_keys


class Hit(NamedTuple):
    """One n-gram of the index on a page: code points start:end of its text, from its first word to its last."""

    gram: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Index:
    """N-grams of all parts. `grams` uint64, sorted, each once; n-gram i stands at the postings first[i]:first[i + 1].

    A posting is a part (row of the items' table) and a place (number of the n-gram's first word in the part).
    An n-gram is `ngram` words; with `whole` it is a whole line of at least `ngram` words, at place 0 of a part.
    """

    items: Items
    ngram: int
    whole: bool
    parts: pa.Table  # as the items' table; with `whole`, a row for each line
    grams: np.ndarray
    first: np.ndarray
    posted_part: np.ndarray
    posted_place: np.ndarray
    words: np.ndarray  # int64 [parts]: words of each part
    item_of: np.ndarray  # int64 [parts]: number of the item
    place_of: np.ndarray  # int64 [parts]: words of the item before the part

    @cached_property
    def set(self) -> GramSet:
        return gram_set(self.grams)

    @cached_property
    def checkable(self) -> np.ndarray:
        """Words of each item that stand in parts of at least `ngram` words (int64 [items]); 0: it cannot be checked."""
        long_enough = np.where(self.words >= self.ngram, self.words, 0)
        return np.bincount(self.item_of, weights=long_enough, minlength=1).astype(np.int64)

    @cached_property
    def item_names(self) -> list[tuple[str, str]]:
        """(benchmark, item) of each item, by its number."""
        first = np.unique(self.item_of, return_index=True)[1]
        names = self.parts.select(["benchmark", "item"]).take(first)
        return list(zip(names["benchmark"].to_pylist(), names["item"].to_pylist(), strict=True))

    def postings(self, gram: int) -> tuple[np.ndarray, np.ndarray]:
        """(parts, places) of an n-gram by its hash (as the uint64 or int64 that tables hold)."""
        number = int(np.searchsorted(self.grams, np.uint64(gram % 2**64)))
        where = slice(self.first[number], self.first[number + 1])
        return self.posted_part[where], self.posted_place[where]

    def gram_words(self, gram: int) -> list[str]:
        """The words of an n-gram in comparison form."""
        (part, *_), (place, *_) = self.postings(gram)
        words = _words_of(self.parts["text"][int(part)].as_py())
        return words if self.whole else words[place : place + self.ngram]


@lru_cache(maxsize=4)
def build_index(items: Items, ngram: int, whole: bool = False) -> Index:
    """The index of all items. Kept per process: about 1 s and 100 MB for a million n-grams.

    With `whole`, parts are split at newlines and each line is one n-gram.
    """
    table = _lines_of(items.table) if whole else items.table
    texts = table["text"].combine_chunks()
    found = all_grams(texts, ngram)
    if whole:
        long_enough = np.flatnonzero(found.words >= ngram)
        rows, places, hashes = long_enough, np.zeros(len(long_enough), np.int64), _line_keys(texts)[long_enough]
    else:
        rows, places, hashes = found.rows, found.places, found.grams
    order = np.argsort(hashes, kind="stable")
    grams, first = np.unique(hashes[order], return_index=True)
    item_of = _item_numbers(table)
    before = np.cumsum(found.words) - found.words
    start_of_item = np.minimum.reduceat(before, np.unique(item_of, return_index=True)[1])
    return Index(
        items, ngram, whole, table, grams, np.append(first, len(order)), rows[order], places[order],
        found.words, item_of, before - start_of_item[item_of],
    )  # fmt: skip


def hits(texts: pa.Array, index: Index) -> list[list[Hit]]:
    """The hits of each text, in order. Each is compared word by word: no hash can accuse a page.

    Cost: the scan (about 100 MB/s) for all texts, and the words with their places (3 MB/s) where something was found.
    """
    if index.whole:
        return _line_hits(texts, index)
    found = grams_in(texts, index.ngram, index.set)
    result: list[list[Hit]] = [[] for _ in range(len(texts))]
    edges = np.flatnonzero(np.diff(found.rows, prepend=-1))
    for low, high in zip(edges, np.append(edges, len(found.rows))[1:], strict=True):
        row = int(found.rows[low])
        words, starts, ends = spanned_words(texts[row].as_py())
        for place, gram in zip(found.places[low:high].tolist(), found.grams[low:high].tolist(), strict=True):
            if words[place : place + index.ngram] == index.gram_words(gram):
                result[row].append(Hit(gram, starts[place], ends[place + index.ngram - 1]))
    return result


def _line_hits(texts: pa.Array, index: Index) -> list[list[Hit]]:
    lines = pc.split_pattern(texts, "\n")
    keys, rows = _line_keys(lines.flatten()), pc.list_parent_indices(lines).to_numpy()
    known = np.isin(keys, index.grams)
    result: list[list[Hit]] = [[] for _ in range(len(texts))]
    for row in np.unique(rows[known]).tolist():
        at, first = 0, int(np.searchsorted(rows, row))
        for number, line in enumerate(texts[row].as_py().split("\n"), start=first):
            if known[number]:
                words, starts, ends = spanned_words(line)
                if words == index.gram_words(gram := int(keys[number])):
                    result[row].append(Hit(gram, at + starts[0], at + ends[-1]))
            at += len(line) + 1
    return result


def _line_keys(texts: pa.Array) -> np.ndarray:
    """uint64 [texts]: half of each text's exact key; 0 for a text without words."""
    keys = matrix(exact_keys(texts).fill_null(bytes(16)), "<u8")
    return keys[:, 0].copy() if len(texts) else np.zeros(0, dtype=np.uint64)


def _lines_of(table: pa.Table) -> pa.Table:
    lines = pc.split_pattern(table["text"].combine_chunks(), "\n")
    parents = pc.list_parent_indices(lines)
    split = table.drop_columns("text").take(parents)
    return split.append_column("text", lines.flatten())


def _item_numbers(table: pa.Table) -> np.ndarray:
    """int64 [parts]: items numbered in order; a new one starts where benchmark or item changes."""
    names = [*zip(table["benchmark"].to_pylist(), table["item"].to_pylist(), strict=True)]
    starts = [place == 0 or name != names[place - 1] for place, name in enumerate(names)]
    return np.cumsum(starts) - 1


@lru_cache(maxsize=4096)
def _words_of(text: str) -> list[str]:
    return form_words(text)
