"""Settings as a recipe writes them."""

import pytest
from pydantic import ValidationError

from curation.tokens.settings import TokenSettings


def test_recipe_section_is_read():
    found = TokenSettings.model_validate(
        {
            "tokenizer": {"train": {"vocab_size": 64_000, "special_tokens": ["<|endoftext|>", "<|pad|>"]}},
            "sequence_length": 4096,
            "pack": "concat",
            "validation": 0.001,
        }
    )
    assert found.tokenizer.train.special_tokens == ("<|endoftext|>", "<|pad|>")
    assert (found.tokenizer.train.split_digits, found.tokenizer.file, found.seed) == (True, None, 1)


def test_empty_section_has_a_trained_tokenizer():
    assert TokenSettings().tokenizer.train.vocab_size == 32_000


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tokenizer": {"train": {}, "file": "t.json"}}, "either train or file"),
        ({"tokenizer": {}}, "either train or file"),
        ({"tokenizer": {"train": {"pattern": "lama3"}}}, "did you mean 'llama3'"),
        ({"tokenizer": {"train": {"split_digits": "yes"}}}, "valid boolean"),
        ({"tokenizer": {"train": {"vocab_size": 100}}}, "greater than or equal to 257"),
        ({"tokenizer": {"train": {"sample_bytes": 2**48 + 1}}}, "less than or equal to"),
        ({"tokenizer": {"train": {"vocab_size": 260, "reserved_tokens": 4}}}, "cannot hold 256 bytes and 5 special"),
        ({"tokenizer": {"train": {"special_tokens": ["<a>", "<a>"]}}}, "different and not empty"),
        ({"tokenizer": {"train": {"special_tokens": [""]}}}, "different and not empty"),
        ({"tokenizer": {"train": {"byte_fallback": False}}}, "always falls back to bytes"),
        ({"tokenizer": {"train": {"pattern": "llama3", "split_digits": True}}}, "split_digits"),
        ({"tokenizer": {"file": "cl100k_base.tiktoken"}}, "needs its pattern: one of gpt2, llama3"),
        ({"tokenizer": {"file": "tokenizer.json", "pattern": "gpt2"}}, "belong to a .tiktoken file"),
        ({"tokenizer": {"train": {}, "special_tokens": ["<a>"]}}, "belong to a .tiktoken file"),
        ({"tokenizer": {"file": "t.json", "engine": "fastest"}}, "gigatoken"),
        ({"pack": "densest"}, "concat"),
        ({"validation": 1.5}, "less than or equal to 0.5"),
        ({"sequence_lenght": 4096}, "Extra inputs"),
    ],
    ids=[
        "both",
        "neither",
        "pattern",
        "yes",
        "small",
        "overflow",
        "no room",
        "twice",
        "empty token",
        "no bytes",
        "digits",
        "ranks",
        "pattern of json",
        "special beside train",
        "engine",
        "packing",
        "validation",
        "unknown",
    ],  # fmt: skip
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ValidationError, match=message):
        TokenSettings.model_validate(wrong)
