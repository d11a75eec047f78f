"""From an Arrow column of texts to MinHash signatures and exact keys, in one compiled pass over its buffers.

Per text: fold (`form`), cut words, hash each to 64 bits, mix `ngram` neighbours in order to one 32-bit shingle hash,
premix it and permute it `hashes` times, keep the least of each. No Python object per word; the buffers of one call
are reused for all its texts, so memory does not grow with their length.

The permutations are those of datasketch 2, scheme "affine32" (its `minhash.py`): a*x + b mod 2^32 with a odd, over the
MurmurHash3-finalised shingle hash, a and b from numpy's RandomState(seed). A signature here equals that of
`datasketch.MinHash(num_perm=hashes, seed=seed, scheme="affine32")` fed with `shingle_hashes`.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from curation.compiled import compiled
from curation.dedup.columns import fixed_binary, text_buffers
from curation.dedup.folding import AT_START, CHUNK, NO_NUMBER, NO_WORD, ROOM, cut_chars, cut_words, fold
from curation.dedup.form import FoldingTables, folding_tables
from curation.dedup.mix import mix32, mix64

Unit = Literal["word", "char"]

EMPTY = np.uint32(0xFFFFFFFF)  # the signature of no shingle, as in datasketch

# Start value and odd multiplier of a word hash: 2^64 / golden ratio (Knuth, TAOCP 3, 6.4), whose multiples by a small
# number lie far apart; the second pair serves the other half of exact keys.
_SEED_A, _MULTIPLIER_A = np.uint64(0x243F6A8885A308D3), np.uint64(0x9E3779B97F4A7C15)
_SEED_B, _MULTIPLIER_B = np.uint64(0x13198A2E03707344), np.uint64(0xD6E8FEB86659FD93)
_HIGH_HALF = np.uint64(32)


class Signatures(NamedTuple):
    """`values` uint32 [texts, hashes]; `shingles` int64 [texts], repeats counted, 0 for a null or too short text.

    A text without a shingle has a row of 0xFFFFFFFF, which must not be compared: `shingles` tells.
    """

    values: np.ndarray
    shingles: np.ndarray


def signatures(
    texts: pa.Array,
    *,
    ngram: int = 5,
    hashes: int = 112,
    seed: int = 1,
    unit: Unit = "word",
    short_texts: bool = False,
) -> Signatures:
    """MinHash signatures of an Arrow array of string or large_string; slices and nulls are fine.

    `ngram` words (or code points of the form, with unit="char") make a shingle. Texts with fewer have none, or, with
    `short_texts`, one of all their words.

    >>> made = signatures(pa.array(["one two three four five six", "too short", None]), hashes=16)
    >>> made.values.shape, made.shingles.tolist()
    ((3, 16), [2, 0, 0])
    """
    values = np.empty((len(texts), hashes), dtype=np.uint32)
    shingles = np.empty(len(texts), dtype=np.int64)
    a, b = permutations(hashes, seed)
    _sign(*text_buffers(texts), folding_tables(), ngram, unit == "char", short_texts, a, b, values, shingles)
    return Signatures(values, shingles)


def exact_keys(texts: pa.Array) -> pa.Array:
    """128-bit keys (binary(16)) of the words of the comparison form; null for a null text and for one without any word.

    Over words rather than over the form as a string, so that line breaks inside Chinese text, which has no spaces, do
    not tell copies apart. Two independent 64-bit hashes: among 20 G distinct texts 6e-19 collisions are expected.

    >>> keys = exact_keys(pa.array(["The Caf\\u00e9!", "the cafe", "\\u2014"]))
    >>> keys[0] == keys[1], keys[2].is_valid
    (True, False)
    """
    keys = np.empty((len(texts), 2), dtype=np.uint64)
    words = np.empty(len(texts), dtype=np.int64)
    buffers, tables = text_buffers(texts), folding_tables()
    _digest(*buffers, tables, _SEED_A, _MULTIPLIER_A, keys[:, 0], words)
    _digest(*buffers, tables, _SEED_B, _MULTIPLIER_B, keys[:, 1], words)
    return fixed_binary(keys, words > 0)


@cache
def permutations(hashes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers (odd) and summands, uint32 [hashes] each, drawn as datasketch 2 draws those of scheme "affine32"."""
    random = np.random.RandomState(seed)
    a = random.randint(0, 1 << 31, hashes, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return a, random.randint(0, 1 << 32, hashes, dtype=np.uint32)


def shingle_hashes(text: str, ngram: int = 5, unit: Unit = "word") -> np.ndarray:
    """The 32-bit hashes (uint32) of all shingles of one text, in order, repeats included; as the kernel makes them."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    items = np.empty(ROOM * (len(data) + 1), dtype=np.uint32)
    _, count, _, _ = fold(data, 0, len(data), NO_NUMBER, AT_START, folding_tables(), items)
    words = np.empty(count + 1, dtype=np.uint64)
    if unit == "char":
        n = cut_chars(items, count, _SEED_A, _MULTIPLIER_A, words)
    else:
        n, word, state = cut_words(items, count, _SEED_A, NO_WORD, _SEED_A, _MULTIPLIER_A, words)
        if state != NO_WORD:
            words[n] = mix64(np.uint64(word))
            n += 1
    found = np.empty(max(n - ngram + 1, 0), dtype=np.uint32)
    _shingle(words, len(found), ngram, found)
    return found


@compiled
def _sign(
    data: np.ndarray, offsets: np.ndarray, valid: np.ndarray, tables: FoldingTables, ngram: int, by_char: bool,
    short_texts: bool, a: np.ndarray, b: np.ndarray, values: np.ndarray, shingles: np.ndarray,
) -> None:  # fmt: skip
    items = np.empty(CHUNK, dtype=np.uint32)
    words = np.empty(CHUNK + ngram, dtype=np.uint64)
    block = np.empty(CHUNK + ngram, dtype=np.uint32)
    for row in range(len(values)):
        values[row] = EMPTY
        shingles[row] = 0
        if not valid[row]:
            continue
        at, stop = offsets[row], offsets[row + 1]
        number, space, word, state, carried = NO_NUMBER, AT_START, _SEED_A, NO_WORD, 0
        while at < stop:
            at, count, number, space = fold(data, at, stop, number, space, tables, items)
            if by_char:
                n = carried + cut_chars(items, count, _SEED_A, _MULTIPLIER_A, words[carried:])
            else:
                cut, word, state = cut_words(items, count, word, state, _SEED_A, _MULTIPLIER_A, words[carried:])
                n = carried + cut
                if at >= stop and state != NO_WORD:
                    words[n] = mix64(word)
                    n += 1
            whole = n - ngram + 1
            if whole > 0:
                _shingle(words, whole, ngram, block)
                _least(block, whole, a, b, values[row])
                shingles[row] += whole
                for k in range(ngram - 1):
                    words[k] = words[whole + k]
                n = ngram - 1
            carried = n
        if short_texts and shingles[row] == 0 and carried > 0:
            _shingle(words, 1, carried, block)
            _least(block, 1, a, b, values[row])
            shingles[row] = 1


@compiled
def _shingle(words: np.ndarray, count: int, ngram: int, out: np.ndarray) -> None:
    """Hash of words[k : k + ngram] for each k < count: a polynomial in the multiplier m, so order counts.

    The polynomial (seed + w1) m^n + w2 m^(n-1) + ... + wn m rolls on from one k to the next: a long ngram is no dearer.
    """
    power, seeded, rolling = np.uint64(1), _SEED_A, np.uint64(0)
    for k in range(ngram - 1):
        rolling = (rolling + words[k]) * _MULTIPLIER_A
    for _ in range(ngram):
        power *= _MULTIPLIER_A
        seeded *= _MULTIPLIER_A
    for k in range(count):
        rolling = (rolling + words[k + ngram - 1]) * _MULTIPLIER_A
        out[k] = np.uint32(mix64(rolling + seeded) >> _HIGH_HALF)
        rolling -= words[k] * power


@compiled
def _least(block: np.ndarray, count: int, a: np.ndarray, b: np.ndarray, least: np.ndarray) -> None:
    """Lowers `least` to the least permuted value of block[:count], which is premixed in place.

    One permutation over the whole block at a time: the block (16 KiB) stays in the first-level cache, and the minimum
    in a vector register; LLVM makes 8 or 16 lanes of the inner loop.
    """
    for k in range(count):
        block[k] = mix32(block[k])
    for p in range(len(a)):
        factor, summand, low = a[p], b[p], least[p]
        for k in range(count):
            low = min(low, np.uint32(factor * block[k] + summand))
        least[p] = low


@compiled
def _digest(
    data: np.ndarray, offsets: np.ndarray, valid: np.ndarray, tables: FoldingTables,
    seed: np.uint64, multiplier: np.uint64, keys: np.ndarray, words: np.ndarray,
) -> None:  # fmt: skip
    """64-bit hash of each text's word sequence, and how many words it has."""
    items = np.empty(CHUNK, dtype=np.uint32)
    hashes = np.empty(CHUNK + 1, dtype=np.uint64)
    for row in range(len(words)):
        digest = seed
        words[row] = 0
        at, stop = offsets[row], offsets[row + 1] if valid[row] else offsets[row]
        number, space, word, state = NO_NUMBER, AT_START, seed, NO_WORD
        while at < stop:
            at, count, number, space = fold(data, at, stop, number, space, tables, items)
            n, word, state = cut_words(items, count, word, state, seed, multiplier, hashes)
            if at >= stop and state != NO_WORD:
                hashes[n] = mix64(word)
                n += 1
            for k in range(n):
                digest = (digest ^ hashes[k]) * multiplier
            words[row] += n
        keys[row] = mix64(digest)
