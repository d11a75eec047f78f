"""A small tokenizer and texts of several scripts, shared by the token tests."""

import json
import random

import pytest

from curation.tokens.engines import byte_of_character
from curation.tokens.tokenizer import FrozenTokenizer
from curation.tokens.train import train_tokenizer

ALPHABETS = (
    "abcdefghijklmnop",
    "\u0430\u0431\u0432\u0433\u0434\u0435",
    "\u0915\u093e\u0924\u093f\u0928",
    "\u4e2d\u6587\u5b57",
)


def make_texts(count: int, seed: int = 0, words: int = 60) -> list[str]:
    """Texts of words that repeat, with digits, punctuation and odd spaces."""
    draw = random.Random(seed)
    lexicon = ["".join(draw.choices(draw.choice(ALPHABETS), k=draw.randint(1, 8))) for _ in range(300)]
    tails = ["\n", ". ", "  ", " 2024 ", "! ", "\t", " \U0001f600\ufe0f ", " it's "]
    return ["".join(draw.choice(lexicon) + draw.choice(tails) for _ in range(words)) for _ in range(count)]


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return make_texts(240)


@pytest.fixture(scope="session")
def tokenizer_json(texts) -> bytes:
    return train_tokenizer(texts, vocab_size=800)


@pytest.fixture(scope="session")
def tokenizer(tokenizer_json) -> FrozenTokenizer:
    return FrozenTokenizer(tokenizer_json)


@pytest.fixture(scope="session")
def wide_tokenizer() -> FrozenTokenizer:
    """A vocabulary of 65,793: each pair of bytes is a token (letters have the last ids), and one special token."""
    characters = list(byte_of_character())
    characters.sort(key=lambda c: (c.isascii() and c.isalpha(), c))
    merges = [[left, right] for left in characters for right in characters]
    pieces = [*characters, *("".join(merge) for merge in merges)]
    spec = json.loads(train_tokenizer(["a"], vocab_size=257))
    spec["model"].update(vocab={piece: one for one, piece in enumerate(pieces)}, merges=merges)
    spec["added_tokens"][0]["id"] = len(pieces)
    return FrozenTokenizer(json.dumps(spec).encode())
