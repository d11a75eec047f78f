"""The compiled kernel against two oracles: the hashes again in plain Python, and datasketch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.duplicates import minhash
from curation.dedup.folding import AT_START, CHUNK, NO_NUMBER, fold
from curation.dedup.form import KIND_SHIFT, LETTER, MARK, SOLO, comparison_form, folding_tables, form_words
from curation.dedup.kernel import exact_keys, shingle_hashes, signatures
from curation.document import to_batch
from curation.page import Page
from curation.run.run import VALIDATION_CLUSTERS

WORD = (1 << 64) - 1
SEED, MULTIPLIER = 0x243F6A8885A308D3, 0x9E3779B97F4A7C15

some_scripts = st.text(
    alphabet=st.one_of(
        st.sampled_from("abcXYZ 019..,-'\n"),
        st.sampled_from(
            "\u00e9\u0301\u00ad\u200d\u6211\u7231\u30c7\u30fc\u0e20\u0e31\u1019\u103c\ud55c\ufdfa\u0903\u00bd"
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=80,
)


def mix64(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & WORD
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & WORD
    return value ^ value >> 33


def python_shingles(text: str, ngram: int, unit: str = "word") -> list[int]:
    """The shingle hashes by the letter of the docstrings, on Python strings and integers."""
    tables = folding_tables()

    def item(char: str) -> int:
        found = int(tables.entries[int(tables.pages[ord(char) >> 8]) * 256 + (ord(char) & 255)])
        if char == "0":
            return LETTER << KIND_SHIFT | ord("0")
        assert char == " " or found >> KIND_SHIFT in (LETTER, SOLO, MARK)
        return found

    hashes = []
    for word in form_words(text) if unit == "word" else comparison_form(text):
        value = SEED
        for char in word:
            value = (value ^ item(char)) * MULTIPLIER & WORD
        hashes.append(mix64(value))
    shingles = []
    for start in range(len(hashes) - ngram + 1):
        value = SEED
        for word_hash in hashes[start : start + ngram]:
            value = (value + word_hash) * MULTIPLIER & WORD
        shingles.append(mix64(value) >> 32)
    return shingles


def datasketch_signature(shingles: list[int], hashes: int, seed: int) -> np.ndarray:
    oracle = MinHash(num_perm=hashes, seed=seed, scheme="affine32", hashfunc=int)
    oracle.update_batch(shingles)
    return oracle.hashvalues


def folded(text: str) -> str:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    out = np.zeros(40 * (len(data) + 1), dtype=np.uint32)
    _, count, _, _ = fold(data, 0, len(data), NO_NUMBER, AT_START, folding_tables(), out)
    return "".join(chr(item & ((1 << KIND_SHIFT) - 1)) for item in out[:count])


@given(some_scripts)
@settings(max_examples=100, deadline=None)
def test_kernel_folds_to_the_comparison_form(text):
    assert folded(text) == comparison_form(text)


@given(st.text(alphabet="12...,x \u00ad\u0661\u00bd", max_size=30))
@settings(max_examples=100, deadline=None)
def test_kernel_folds_numbers_as_python_does(text):
    assert folded(text) == comparison_form(text)


def test_kernel_folds_every_code_point_as_python_does():
    for start in range(0, 0x110000, 0x1000):
        if not 0xD000 <= start < 0xE000:
            block = "x".join(map(chr, range(start, start + 0x1000)))
            assert folded(block) == comparison_form(block), hex(start)


@given(some_scripts, st.integers(1, 6), st.sampled_from(["word", "char"]))
@settings(max_examples=100, deadline=None)
def test_shingle_hashes_equal_those_in_plain_python(text, ngram, unit):
    assert shingle_hashes(text, ngram, unit).tolist() == python_shingles(text, ngram, unit)


@given(st.lists(st.one_of(st.none(), some_scripts), max_size=6), st.integers(1, 5), st.sampled_from(["word", "char"]))
@settings(max_examples=60, deadline=None)
def test_signatures_equal_datasketch(texts, ngram, unit):
    made = signatures(pa.array(texts, pa.string()), ngram=ngram, hashes=40, seed=7, unit=unit)
    for row, text in enumerate(texts):
        shingles = [] if text is None else python_shingles(text, ngram, unit)
        assert made.shingles[row] == len(shingles)
        assert np.array_equal(made.values[row], datasketch_signature(shingles, 40, 7))


@given(some_scripts.filter(len), st.integers(1, 3 * CHUNK), st.sampled_from(["word", "char"]))
@settings(max_examples=15, deadline=None)
def test_texts_longer_than_a_chunk_equal_datasketch(text, length, unit):
    long = (text * (length // len(text) + 1))[:length]
    made = signatures(pa.array([long]), hashes=8, unit=unit)
    shingles = python_shingles(long, 5, unit)
    assert made.shingles[0] == len(shingles)
    assert np.array_equal(made.values[0], datasketch_signature(shingles, 8, 1))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_slices_and_nulls_are_respected(kind):
    texts = ["a b c d e f", None, "", "g h i j k l m", "n o"]
    whole = pa.array(texts, kind)
    for start in range(len(texts)):
        for stop in range(start, len(texts) + 1):
            part = signatures(whole.slice(start, stop - start), hashes=8)
            alone = signatures(pa.array(texts[start:stop], kind), hashes=8)
            assert np.array_equal(part.values, alone.values)
            assert part.shingles.tolist() == [[2, 0, 0, 3, 0][row] for row in range(start, stop)]


def test_other_columns_than_text_are_refused_by_name():
    with pytest.raises(TypeError, match="got int64; cast the column"):
        signatures(pa.array([1, 2]))


def test_bytes_that_are_no_utf8_stay_within_their_text():
    def signature(data: bytes) -> np.ndarray:
        offsets = np.array([0, 12, len(data)], dtype=np.int32)
        texts = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
        return signatures(texts, ngram=1, hashes=16).values[0]

    cut_off = b"aa bb cc d\xe4\xbd"  # the third byte of a letter is missing, the next text would lend one
    assert np.array_equal(signature(cut_off + b"\xa0zz"), signature(cut_off + b"other"))


@given(some_scripts, some_scripts)
@settings(max_examples=100, deadline=None)
def test_exact_keys_are_equal_when_the_words_are_and_only_then(left, right):
    keys = exact_keys(pa.array([left, right, left.upper().lower()]))
    for row, text in enumerate([left, right]):
        assert keys[row].is_valid == bool(form_words(text))
    if keys[0].is_valid and keys[1].is_valid:
        assert (keys[0].as_py() == keys[1].as_py()) == (form_words(left) == form_words(right))


def test_exact_keys_tell_word_order_word_borders_and_long_texts_apart():
    long = "word " * (3 * CHUNK)
    texts = ["a b", "b a", "ab", "a b a", "a", long + "x", long + "y", long]
    keys = exact_keys(pa.array(texts)).to_pylist()
    assert len(set(keys)) == len(texts)
    assert all(key[:8] != key[8:] for key in keys), "the halves must be independent, or 128 bits are 64"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("The CAFE\u0301 opens!", "the caf\u00e9  opens", id="case-accent-punctuation"),
        pytest.param("\u6211\u7231\u4f60\u4eec", "\u6211\u7231\n\u4f60\u4eec", id="line-break-in-chinese"),
        pytest.param("on 12.5.2024 at 7.30", "on 1.5.2023 at 8.15", id="numbers"),
    ],
)
def test_exact_keys_ignore(left, right):
    keys = exact_keys(pa.array([left, right]))
    assert keys[0] == keys[1]


@settings(deadline=None)
@given(st.lists(some_scripts, max_size=6), st.integers(1, 6))
def test_short_texts_can_be_signed_by_all_their_words_and_long_ones_stay_as_they_are(texts, ngram):
    column = pa.array(texts, pa.large_string())
    plain = signatures(column, ngram=ngram, hashes=16)
    found = signatures(column, ngram=ngram, hashes=16, short_texts=True)
    for text, values, shingles, before, count in zip(texts, *found, *plain, strict=True):
        words = len(form_words(text))
        assert shingles == (count if words >= ngram else min(words, 1))
        wanted = before
        if 0 < words < ngram:
            one = MinHash(num_perm=16, seed=1, scheme="affine32", hashfunc=lambda value: value)
            one.update(python_shingles(text, words)[0])
            wanted = one.hashvalues
        assert (values == wanted).all()


def test_texts_shorter_than_a_shingle_are_told_to_be_copies_where_a_stage_asks_for_them():
    """Validation text of four words had its copies in training: without a shingle there was no cluster."""
    texts = ["Do not sell my", "do not SELL my!", "do not sell", "", "!", "five words make a shingle"]
    pages = [Page(text, doc_id=n, source="web") for n, text in enumerate(texts)]
    for stage, members in ((minhash(name="m"), []), (VALIDATION_CLUSTERS, [0, 1])):
        keys = pa.Table.from_batches([stage.keys(to_batch(pages), "unit")])
        assert stage.local_removals(keys).clusters["doc_id"].to_pylist() == members
