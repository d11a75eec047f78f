"""A small tokenizer and texts of several scripts, shared by the token tests."""

import random

import pytest

from curation.tokens.tokenizer import FrozenTokenizer
from curation.tokens.train import train_tokenizer

ALPHABETS = ("abcdefghijklmnop", "\u0430\u0431\u0432\u0433\u0434\u0435", "\u0915\u093e\u0924\u093f\u0928", "\u4e2d\u6587\u5b57")


def make_texts(count: int, seed: int = 0, words: int = 60) -> list[str]:
    """Texts of words that repeat, with digits, punctuation and odd spaces."""
    draw = random.Random(seed)
    lexicon = ["".join(draw.choices(draw.choice(ALPHABETS), k=draw.randint(1, 8))) for _ in range(300)]
    tails = ["\n", ". ", "  ", " 2024 ", "! ", "\t", " \U0001f600\ufe0f ", " it's "]
    return ["".join(draw.choice(lexicon) + draw.choice(tails) for _ in range(words)) for _ in range(count)]


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return make_texts(200)


@pytest.fixture(scope="session")
def tokenizer_json(texts) -> bytes:
    return train_tokenizer(texts, vocab_size=800)


@pytest.fixture(scope="session")
def tokenizer(tokenizer_json) -> FrozenTokenizer:
    return FrozenTokenizer(tokenizer_json)
