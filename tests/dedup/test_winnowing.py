"""Winnowing: its promise, against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.dedup.placed_words import placed_words
from curation.dedup.winnowing import fingerprints, windows_with


def placed(words: list[str]):
    return placed_words(np.frombuffer(" ".join(words).encode(), dtype=np.uint8))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=60), st.lists(st.sampled_from("abc"), max_size=60), st.integers(2, 9))
def test_every_window_that_repeats_has_a_shared_fingerprint_and_equal_hashes_mean_equal_words(one, other, length):
    texts = [one, other]
    found = [fingerprints(placed(words), length) for words in texts]
    count = Counter(np.concatenate(found).tolist())
    shared = np.array(sorted(value for value, copies in count.items() if copies > 1), dtype=np.int64)
    by_content: dict[tuple, set] = {}
    for words in texts:
        windows = windows_with(placed(words), length, shared)
        hashed = dict(zip(windows.number.tolist(), zip(windows.high, windows.low, strict=True), strict=True))
        for number in range(len(words) - length + 1):
            by_content.setdefault(tuple(words[number : number + length]), set()).add(hashed.get(number))
    occurrences = Counter(tuple(w[i : i + length]) for w in texts for i in range(len(w) - length + 1))
    for content, copies in occurrences.items():
        if copies > 1:
            assert len(by_content[content]) == 1 and None not in by_content[content]
    seen = [hashes for hashes in (next(iter(found)) for found in by_content.values()) if hashes is not None]
    assert len(seen) == len(set(seen))


def test_a_fingerprint_is_listed_at_most_twice_and_short_texts_have_none():
    assert len(fingerprints(placed(["a"] * 1000), 50)) == 2
    assert len(fingerprints(placed(["a"] * 50), 50)) == 1
    assert len(fingerprints(placed(["a"] * 49), 50)) == 0
    assert len(windows_with(placed(["a"] * 49), 50, np.array([1])).number) == 0


def test_about_two_fingerprints_fall_on_half_a_window(random):
    words = [str(number) for number in random.integers(0, 10**9, 50_000)]
    density = len(fingerprints(placed(words), 50)) / len(words)
    assert density == pytest.approx(2 / 27, rel=0.05)


def test_a_window_reaches_from_its_first_word_to_the_marks_behind_its_last():
    text = "Zero. One, two; three! Four"
    words = placed_words(np.frombuffer(text.encode(), dtype=np.uint8))
    windows = windows_with(words, 3, np.unique(fingerprints(words, 3)))
    pieces = [text[start:end] for start, end in zip(windows.start, windows.end, strict=True)]
    assert pieces == ["Zero. One, two; ", "One, two; three! ", "two; three! Four"]
    assert windows.number.tolist() == [0, 1, 2]
