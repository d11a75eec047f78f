"""Training: merges against the `tokenizers` library and a naive trainer, counts beyond 32 bits, size, digits."""

import gzip
import json
import random
from collections import Counter

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import TokenizerError
from curation.tokens import train as module
from curation.tokens.engines import byte_of_character
from curation.tokens.pretokens import PATTERNS, count_pretokens
from curation.tokens.train import learn_merges, pieces_of, tokenizer_json, train_tokenizer
from tests.tokens.trainer_oracle import trained_by_tokenizers

WORDS = st.dictionaries(st.text(st.sampled_from("ab\u4e2d\u00e9"), min_size=1, max_size=12), st.integers(1, 9))


@pytest.mark.parametrize("name", PATTERNS)
def test_file_is_byte_for_byte_that_of_tokenizers(texts, name):
    split_digits = PATTERNS[name].digits == "single"
    ours = train_tokenizer(texts, vocab_size=1500, pattern=name, split_digits=split_digits)
    assert ours == trained_by_tokenizers(texts, 1500, name)


@pytest.mark.real
@pytest.mark.parametrize("name", ["qwen35", "llama3"])
def test_file_is_that_of_tokenizers_on_real_articles_to_the_last_merge(real_data, name):
    with gzip.open(real_data / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as file:
        articles = [json.loads(line)["gold_text"] for line in file]
    ours = train_tokenizer(articles, vocab_size=50_257, pattern=name, split_digits=PATTERNS[name].digits == "single")
    assert len(json.loads(ours)["model"]["vocab"]) == 50_256
    assert ours == trained_by_tokenizers(articles, 50_257, name)


@settings(max_examples=150, deadline=None)
@given(WORDS, st.sampled_from([257, 262, 300, 5000]))
def test_merges_equal_those_of_tokenizers_on_hard_words(counts, vocab_size):
    """Few letters make many ties, and pieces that two different merges lead to."""
    texts = [word for word, count in counts.items() for _ in range(count)]
    merges = learn_merges(count_pretokens(texts, ".+"), vocab_size)
    # No pattern cuts these words, so each text is one pre-token on both sides.
    expected = json.loads(trained_by_tokenizers(texts, vocab_size, special=()))["model"]["merges"]
    assert [list(merge) for merge in merges] == expected


@settings(max_examples=100, deadline=None)
@given(WORDS, st.integers(2, 10**15), st.randoms())
def test_merges_depend_on_ratios_of_counts_and_not_on_order(counts, factor, draw):
    shuffled = list(counts.items())
    draw.shuffle(shuffled)
    scaled = [(word, count * factor) for word, count in shuffled]
    assert learn_merges(scaled, 300) == learn_merges(counts, 300)


@settings(max_examples=60, deadline=None)
@given(WORDS, st.integers(256, 290))
def test_smaller_vocabulary_is_a_prefix_of_a_larger_one(counts, pieces):
    few, many = learn_merges(counts, pieces), learn_merges(counts, 300)
    assert many[: len(few)] == few
    assert pieces_of(few) == min(pieces, pieces_of(many))
    assert tokenizer_json(many, vocab_size=pieces + 1) == tokenizer_json(few, vocab_size=pieces + 1)


@pytest.mark.parametrize("count", [2**31 - 1, 2**31, 2**32 + 5, 2**61], ids=["int32", "above", "uint32", "large"])
def test_counts_beyond_32_bits_are_the_most_frequent(count):
    assert learn_merges({"th": count, "zz": count // 2, "q!": 3}, 259) == [("t", "h"), ("z", "z"), ("!", "q")][:2] + [
        ("q", "!")
    ]


def test_counts_that_do_not_fit_64_bits_are_refused():
    assert learn_merges({"ab": 2**62 - 1}, 257) == [("a", "b")]
    with pytest.raises(TokenizerError, match="9,223,372,036,854,775,808 pairs of bytes are too many for 64 bits"):
        learn_merges({"ab": 2**61, "cd": 2**61}, 257)


@pytest.mark.parametrize("count", [0, -1])
def test_count_of_what_does_not_occur_is_refused(count):
    with pytest.raises(TokenizerError, match=f"'ab' has the count {count}"):
        learn_merges([("ab", count)], 257)


@pytest.mark.parametrize(
    ("merges", "frequencies"),
    [([("a", "b")], [-5]), ([("a", "b")], [8]), ([("c", "d")], [5]), ([], []), ([("ab", "c")], [9])],
    ids=["negative", "wrong frequency", "other pair", "none", "no pair of bytes"],
)
def test_trainer_whose_counts_overflowed_is_refused(monkeypatch, merges, frequencies):
    """The pair ab occurs nine times, cd five times; a trainer that wrapped around would say otherwise."""
    monkeypatch.setattr(module, "_train", lambda words, pieces: (merges, frequencies))
    with pytest.raises(TokenizerError, match="occurs 9 times"):
        learn_merges({"ab": 9, "cd": 5}, 258)


def test_pairs_are_not_counted_across_pretokens(monkeypatch):
    """b and a meet twenty times where one word ends and the next begins; the commonest pair is still inside words."""
    words = [("ab", 1)] * 20 + [("xyxyxy", 1)] * 8
    assert learn_merges(words, 257) == [("x", "y")]


@pytest.mark.parametrize("counts", [{}, {"a": 3}, {"": 2, "a": 1}], ids=["none", "one byte", "empty word"])
def test_counts_without_a_pair_give_no_merges(counts):
    assert learn_merges(counts, 300) == []


def test_same_texts_in_another_order_give_the_same_bytes(texts, tokenizer_json):
    shuffled = list(texts)
    random.Random(5).shuffle(shuffled)
    assert shuffled != texts
    assert train_tokenizer(shuffled, vocab_size=800) == tokenizer_json


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


def test_reserved_tokens_are_special_counted_and_last(texts):
    spec = json.loads(train_tokenizer(texts, vocab_size=400, reserved_tokens=3, special_tokens=["<|end|>", "<|pad|>"]))
    names = [(token["content"], token["id"], token["special"]) for token in spec["added_tokens"]]
    reserved = [(f"<|reserved_special_token_{n}|>", 397 + n, True) for n in range(3)]
    assert names == [("<|end|>", 395, True), ("<|pad|>", 396, True), *reserved]
    assert len(spec["model"]["vocab"]) == 395


def test_no_token_holds_two_digits_when_digits_are_split():
    years = [f"in {year} and {year}" for year in range(1900, 2024)] * 3
    split = json.loads(train_tokenizer(years, vocab_size=400))["model"]["vocab"]
    joined = json.loads(train_tokenizer(years, vocab_size=400, split_digits=False))["model"]["vocab"]
    assert max(sum(c.isdigit() for c in token) for token in split) == 1
    assert max(sum(c.isdigit() for c in token) for token in joined) == 3


def test_small_sample_gives_a_smaller_vocabulary_and_no_error():
    assert 257 < len(json.loads(train_tokenizer(["to be or not to be"], vocab_size=32_000))["model"]["vocab"]) < 300


def test_vocabulary_without_room_for_bytes_is_refused():
    assert train_tokenizer(["a"], vocab_size=259, reserved_tokens=2)
    with pytest.raises(TokenizerError, match=r"256 bytes and 3 special or reserved tokens.*259 or more"):
        train_tokenizer(["a"], vocab_size=258, reserved_tokens=2)


def test_special_token_that_is_a_piece_of_text_is_refused():
    with pytest.raises(TokenizerError, match="pieces of text"):
        train_tokenizer(["pad pad pad"], vocab_size=300, special_tokens=["pad"])
