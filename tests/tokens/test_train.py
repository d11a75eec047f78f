"""Training: alphabet, size, digits, and independence of the order of texts."""

import json
import random
from collections import Counter

import pytest
import regex

from curation.errors import TokenizerError
from curation.tokens.pretokens import PATTERNS
from curation.tokens.train import train_tokenizer


def test_same_texts_in_another_order_give_the_same_bytes(texts, tokenizer_json):
    shuffled = list(texts)
    random.Random(5).shuffle(shuffled)
    assert shuffled != texts
    assert train_tokenizer(shuffled, vocab_size=800) == tokenizer_json


def test_ties_are_broken_alike_in_any_order():
    words = [a + b for a in "abcdef" for b in "ghijkl"]  # every pair occurs once
    assert len({train_tokenizer(order, vocab_size=270) for order in (words, words[::-1])}) == 1


def test_merges_equal_those_of_a_naive_trainer(texts):
    found = json.loads(train_tokenizer(texts[:20], vocab_size=320))["model"]
    pieces = Counter(piece for text in texts[:20] for piece in regex.findall(PATTERNS["qwen35"].regex, text))
    words = {tuple(bytes([b]) for b in piece.encode()): count for piece, count in pieces.items()}
    gains = []
    for _ in range(20):
        pairs = Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:], strict=False):
                pairs[pair] += count
        gains.append(max(pairs.values()))
        left, right = _bytes(found["merges"][len(gains) - 1])
        assert pairs[left, right] == gains[-1]
        words = {_merge(word, left, right): count for word, count in words.items()}


def _bytes(merge):
    from curation.tokens.engines import byte_of_character

    return tuple(bytes(byte_of_character()[c] for c in part) for part in merge)


def _merge(word, left, right):
    merged, at = [], 0
    while at < len(word):
        joined = word[at : at + 2] == (left, right)
        merged.append(left + right if joined else word[at])
        at += 2 if joined else 1
    return tuple(merged)


def test_all_bytes_are_in_the_vocabulary_and_special_tokens_come_last(tokenizer_json):
    spec = json.loads(tokenizer_json)
    assert sorted(spec["model"]["vocab"].values())[:256] == list(range(256))
    assert [(token["content"], token["id"]) for token in spec["added_tokens"]] == [("<|endoftext|>", 799)]
    assert spec["normalizer"] is None


def test_no_token_holds_two_digits_when_digits_are_split():
    years = [f"in {year} and {year}" for year in range(1900, 2024)] * 3
    split = json.loads(train_tokenizer(years, vocab_size=400))["model"]["vocab"]
    joined = json.loads(train_tokenizer(years, vocab_size=400, split_digits=False))["model"]["vocab"]
    assert not [token for token in split if sum(c.isdigit() for c in token) > 1]
    assert [token for token in joined if sum(c.isdigit() for c in token) > 1]


def test_small_sample_gives_a_smaller_vocabulary_and_no_error():
    assert 257 < len(json.loads(train_tokenizer(["to be or not to be"], vocab_size=32_000))["model"]["vocab"]) < 300


def test_endless_run_does_not_become_one_word():
    lone = train_tokenizer(["x" * 10_000], vocab_size=300, max_piece_chars=4)
    assert max(map(len, json.loads(lone)["model"]["vocab"])) == 4


def test_vocabulary_without_room_for_bytes_is_refused():
    with pytest.raises(TokenizerError, match="257 or more"):
        train_tokenizer(["a"], vocab_size=200)


def test_special_token_that_is_a_piece_of_text_is_refused():
    with pytest.raises(TokenizerError, match="pieces of text"):
        train_tokenizer(["pad pad pad"], vocab_size=300, special_tokens=["pad"])
