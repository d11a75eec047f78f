"""What a recipe names to cut repeated text: `lines`, `paragraphs`, `sentence_spans` and `substrings`.

A page of which nothing, or less than `min_chars` characters, is left once it was cut is dropped by the stage itself
(nothing_left, too_little_left). `scope`: snapshot (copies within one source and snapshot) or global. All raise
ValueError on a setting out of its range.
"""

from __future__ import annotations

from curation.dedup.cutting import Edges, Pieces, Remove, Substrings
from curation.dedup.pieces import Compare
from curation.dedup.settings import check_choices, check_ranges
from curation.dedup.stages import Scope

FREQUENT = 6  # Llama 3: a line seen more often than this goes
MOST = 2**62


def lines(
    *,
    name: str,
    remove: Remove = "frequent",
    more_than: int | None = None,
    bucket: int | None = 30_000_000,
    scope: Scope = "global",
    compare: Compare = "exact",
    min_chars: int = 1,
) -> Pieces:
    """Cuts lines that repeat: navigation, banners, footers. Blank lines are none.

    `remove`: frequent (all copies of a line with more than `more_than` copies, 6 unless given, in its bucket),
    seen_elsewhere (all copies of a line that another document has too; of one that repeats within its document alone
    the first stays) or all_but_first.
    `bucket`: documents among which copies are counted, about; documents are dealt out by their id, so that the bucket
    of a document does not depend on the order of inputs. null: all.
    `compare`: exact (as it is written, white space at both ends aside) or form (case, digits and marks do not count).

    Source: frequent: Llama 3 (arXiv 2407.21783, section 3.1.1), buckets of 30 million documents. seen_elsewhere:
        CCNet (arXiv 1911.00359), there over groups of shards with `compare: form`.
    Reading: Llama 3 does not say how lines are compared, nor how documents come into buckets.
    Differs: CCNet keeps accents apart, and does not admit documents of fewer than 300 characters.
    """
    if remove != "frequent" and more_than is not None:
        raise ValueError(f"more_than is {more_than} and remove is {remove!r}; it belongs to remove: frequent")
    most = (FREQUENT if more_than is None else more_than) if remove == "frequent" else 1
    _check(scope=scope, compare=compare, remove=remove, bucket=bucket, more_than=most, span=1, min_chars=min_chars)
    return Pieces(
        name=name, of="line", span=1, compare=compare, scope=scope, remove=remove, more_than=most, bucket=bucket,
        min_chars=min_chars,
    )  # fmt: skip


def paragraphs(*, name: str, scope: Scope = "global", compare: Compare = "form", min_chars: int = 1) -> Pieces:
    """Cuts all but the first copy of each paragraph (parted by blank lines) of the corpus. Settings as in `lines`.

    Source: Dolma (arXiv 2402.00159) removes repeated paragraphs, by Bloom filter; this is exact.
    """
    _check(scope=scope, compare=compare, span=1, min_chars=min_chars)
    return Pieces(
        name=name, of="paragraph", span=1, compare=compare, scope=scope, remove="all_but_first", more_than=1,
        bucket=None, min_chars=min_chars,
    )  # fmt: skip


def sentence_spans(
    *, name: str, sentences: int = 3, scope: Scope = "global", compare: Compare = "form", min_chars: int = 1
) -> Pieces:
    """Cuts all but the first copy of each run of `sentences` neighbouring sentences. A shorter text has none.

    Settings as in `lines`. Each sentence of a repeated run goes, also where the run beside it does not repeat.

    Source: C4 (arXiv 1910.10683, section 2.2): all but one of any three-sentence span that occurs more than once.
    Differs: TensorFlow Datasets, which made C4, removes single lines instead, stripped and in lower case, and then
        asks for three sentences again.
    """
    _check(scope=scope, compare=compare, span=sentences, min_chars=min_chars)
    return Pieces(
        name=name, of="sentence", span=sentences, compare=compare, scope=scope, remove="all_but_first", more_than=1,
        bucket=None, min_chars=min_chars,
    )  # fmt: skip


def substrings(
    *, name: str, length: int = 50, edges: Edges = "sentence", scope: Scope = "global", min_chars: int = 1
) -> Substrings:
    """Cuts every window of `length` words that also stands earlier: the first copy stays whole, others go.

    Compared are the words of `curation.text` as they are written; the marks and white space between them may differ.
    Windows that overlap are cut as one, so a repeat of any length goes as a whole, and one of length - 1 words stays.
    A window that repeats within itself is not cut below `length` words.

    `edges`: word (the cut is as long as the repeat) or sentence (it is narrowed to the sentences that repeat as a
    whole, where these make up half of it).

    Source: Lee et al. 2021 (arXiv 2107.06499), at least 50 tokens.
    Differs: their tokens are byte-pair ones, of which English has about 4 for 3 words, so `length: 38` comes nearest
        to their 50; in scripts without spaces a word is one letter. Their tool cuts at `edges: word`, and every copy
        that it reports. RefinedWeb drops pages with fewer than 20 characters left: `min_chars: 20`.
    """
    check_choices(scope=(scope, Scope), edges=(edges, Edges))
    check_ranges(length=(length, 8, 100_000), min_chars=(min_chars, 1, MOST))
    return Substrings(
        name=name, edges=edges, scope=scope, span=length, remove="all_but_first", more_than=1, bucket=None,
        min_chars=min_chars,
    )  # fmt: skip


def _check(
    *, scope: str, compare: str, span: int, min_chars: int,
    remove: str = "frequent", more_than: int = 1, bucket: int | None = None,
) -> None:  # fmt: skip
    check_choices(scope=(scope, Scope), compare=(compare, Compare), remove=(remove, Remove))
    check_ranges(sentences=(span, 1, 1000), min_chars=(min_chars, 1, MOST), more_than=(more_than, 1, MOST))
    check_ranges(bucket=(1 if bucket is None else bucket, 1, MOST))
