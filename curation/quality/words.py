"""The words that decide: what each word of the held-out texts adds to fastText's score, on the mean page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curation.score.loading import LABEL, fasttext_model, one_line
from curation.score.quality import GOOD, label_weights

SHOWN = 30
FEWEST_PAGES = 3  # a word of one page says something about that page only


def deciding_words(path: Path, texts: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """{"for": [...], "against": [...]}: word, pages that have it, and its mean effect on the score before the softmax.

    fastText's score is linear in the mean of the vectors of words and n-grams, so a word adds (its share of the page) x
    (its vector . the direction of the score). Left out: n-grams, which share hashed vectors, and words with anything
    but letters, which can be somebody's address or number.
    """
    model = fasttext_model(str(path))
    names = [label.removeprefix(LABEL) for label in model.get_labels()]
    weights = np.array([label_weights(names, GOOD, str(path))[name] for name in names])
    direction = (weights - weights.mean()) @ model.get_output_matrix()
    shares: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    for text in texts:
        words = one_line(text).split(" ")
        counts = Counter(word for word in words if word.isalpha())
        pages.update(counts.keys())
        for word, count in counts.items():
            shares[word] += count / len(words)
    rows = [
        {
            "word": word,
            "pages": count,
            "effect": float(model.get_word_vector(word) @ direction) * shares[word] / len(texts),
        }
        for word, count in pages.items()
        if count >= FEWEST_PAGES
    ]
    rows.sort(key=lambda row: (-row["effect"], row["word"]))
    return {
        "for": [row for row in rows[:SHOWN] if row["effect"] > 0],
        "against": [row for row in rows[: -SHOWN - 1 : -1] if row["effect"] < 0],
    }
