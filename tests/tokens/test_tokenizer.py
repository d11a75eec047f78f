"""The frozen tokenizer: ids against the `tokenizers` library, exact round trip, special tokens in text, long runs."""

import gzip
import hashlib
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from curation.errors import TokenizerError
from curation.tokens import tokenizer as module
from curation.tokens.pretokens import PATTERNS
from curation.tokens.tokenizer import FrozenTokenizer, compression, freeze, token_bytes
from curation.tokens.train import train_tokenizer

ENGINES = ["gigatoken", "tiktoken", "tokenizers"]


def reference_ids(tokenizer_json: bytes, text: str) -> list[int]:
    reference = Tokenizer.from_str(tokenizer_json.decode())
    reference.encode_special_tokens = True
    return reference.encode(text, add_special_tokens=False).ids


def edited(tokenizer_json: bytes, **changes) -> bytes:
    return json.dumps({**json.loads(tokenizer_json), **changes}).encode()


@pytest.mark.parametrize("engine", ENGINES)
def test_ids_equal_those_of_tokenizers(tokenizer_json, texts, engine):
    frozen = FrozenTokenizer(tokenizer_json, engine=engine)
    assert frozen.engine == engine
    for text in texts[:40]:
        assert frozen.encode(text).tolist() == reference_ids(tokenizer_json, text)


@pytest.mark.parametrize("name", PATTERNS)
def test_each_pattern_has_the_fast_encoder_and_equal_ids(texts, name):
    split_digits = PATTERNS[name].digits == "single"
    content = train_tokenizer(texts[:50], vocab_size=500, pattern=name, split_digits=split_digits)
    frozen = FrozenTokenizer(content)
    assert frozen.engine == "gigatoken"
    for text in texts[50:70]:
        assert frozen.encode(text).tolist() == reference_ids(content, text)


def test_unusual_pattern_falls_back_to_tiktoken_with_equal_ids(tokenizer_json, texts):
    spec = json.loads(tokenizer_json)
    spec["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = r"\p{L}+|\p{N}|[^\p{L}\p{N}]+"
    content = json.dumps(spec).encode()
    frozen = FrozenTokenizer(content)
    assert frozen.engine == "tiktoken"
    for text in texts[:40]:
        assert frozen.encode(text).tolist() == reference_ids(content, text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_comes_back_exactly(text):
    frozen = _small()
    ids = frozen.encode(text)
    assert ids.dtype == np.int32
    assert frozen.decode(ids) == text
    assert frozen.eos_id not in ids


def _small(made=[]):  # noqa: B006 - one tokenizer for all examples
    if not made:
        made.append(FrozenTokenizer(train_tokenizer(["some words, some 123 words"], vocab_size=270)))
    return made[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_text_that_spells_a_special_token_is_plain_text(tokenizer_json, engine):
    frozen = FrozenTokenizer(tokenizer_json, engine=engine)
    ids = frozen.encode("a <|endoftext|> b")
    assert frozen.eos_id not in ids
    assert len(ids) > 5
    assert frozen.decode(ids) == "a <|endoftext|> b"


def test_added_token_that_is_not_special_is_matched_in_text(tokenizer_json):
    spec = json.loads(tokenizer_json)
    spec["added_tokens"].append({**spec["added_tokens"][0], "id": 800, "content": "<b>", "special": False})
    content = json.dumps(spec).encode()
    frozen = FrozenTokenizer(content)
    assert 800 in frozen.encode("a<b>c").tolist()
    assert frozen.encode("a<b>c").tolist() == reference_ids(content, "a<b>c")
    assert (frozen.vocab_size, frozen.decode([800])) == (801, "<b>")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("unit", [" ", "a", "\u4e2d", "\n", "!\u0301"], ids=["space", "a", "han", "newline", "marks"])
def test_run_of_a_million_characters_comes_back_exactly(tokenizer_json, engine, unit):
    text = "start" + unit * (1_000_000 // len(unit)) + "end"
    frozen = FrozenTokenizer(tokenizer_json, engine=engine)
    assert frozen.decode(frozen.encode(text)) == text


def test_long_run_has_the_ids_of_its_parts(tokenizer_json, monkeypatch):
    monkeypatch.setattr(module, "MAX_RUN_CHARS", 5)
    frozen = FrozenTokenizer(tokenizer_json)
    expected = [one for part in ("ab abcde", "fghij", "kl") for one in reference_ids(tokenizer_json, part)]
    assert frozen.encode("ab abcdefghijkl").tolist() == expected


def test_vocabulary_above_65536_counts_added_tokens_and_keeps_large_ids(wide_tokenizer):
    ids = wide_tokenizer.encode("abcdefgh")
    assert (wide_tokenizer.vocab_size, wide_tokenizer.eos_id) == (65_793, 65_792)
    assert ids.min() > 52_000
    assert wide_tokenizer.encode("zz").tolist() == [65_791]
    assert wide_tokenizer.decode(ids) == "abcdefgh"


def test_freeze_writes_the_file_and_its_hash(tokenizer_json, texts, tmp_path):
    frozen = freeze(tokenizer_json, texts[:20], tmp_path / "tokenizer.json")
    assert frozen.sha256 == hashlib.sha256((tmp_path / "tokenizer.json").read_bytes()).hexdigest()
    assert FrozenTokenizer.load(tmp_path / "tokenizer.json").sha256 == frozen.sha256
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]


def test_freeze_refuses_an_encoder_with_other_ids(tokenizer_json, texts, tmp_path, monkeypatch):
    wrong = lambda spec: lambda text: np.array([ord(c) % 256 for c in reversed(text)], dtype=np.int32)  # noqa: E731
    monkeypatch.setitem(module.open_engine.__globals__["ENGINES"], "gigatoken", wrong)
    monkeypatch.setattr(FrozenTokenizer, "decode", lambda self, ids: texts[0])
    with pytest.raises(TokenizerError, match="different ids"):
        freeze(tokenizer_json, texts[:1], tmp_path / "tokenizer.json")
    assert not list(tmp_path.iterdir())


def test_freeze_refuses_a_tokenizer_that_changes_text(tokenizer_json, tmp_path):
    step = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True, "trim_offsets": True}
    prefix = edited(tokenizer_json, pre_tokenizer=step)
    with pytest.raises(TokenizerError, match="does not give back"):
        freeze(prefix, ["no space in front"], tmp_path / "tokenizer.json", engine="tokenizers")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normalizer": {"type": "NFC"}}, "normalizer NFC"),
        ({"pre_tokenizer": {"type": "Whitespace"}}, "not a byte-level BPE"),
        ({"pre_tokenizer": None}, "not a byte-level BPE"),
        ({"model": {"type": "WordPiece", "vocab": {}}}, "WordPiece"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}, "lacks 255"),
        ({"model": 3}, "not a tokenizer.json"),
        ({"added_tokens": []}, "no special token"),
    ],
    ids=["normalizer", "whitespace", "no pre-tokenizer", "wordpiece", "few bytes", "nonsense", "no end token"],
)
def test_unfit_tokenizer_is_refused_with_its_reason(tokenizer_json, changes, message):
    with pytest.raises(TokenizerError, match=message):
        FrozenTokenizer(edited(tokenizer_json, **changes))


def test_missing_file_and_missing_end_token_are_named(tokenizer_json, tmp_path):
    with pytest.raises(TokenizerError, match=r"absent\.json"):
        FrozenTokenizer.load(tmp_path / "absent.json")
    with pytest.raises(TokenizerError, match=r"<bos> .*eos_token to one of.*<\|endoftext\|>"):
        FrozenTokenizer(tokenizer_json, eos_token="<bos>")


@pytest.mark.parametrize("one", [-1, 800], ids=["negative", "too large"])
def test_id_outside_the_vocabulary_does_not_decode(tokenizer, one):
    with pytest.raises(TokenizerError, match="0..799"):
        tokenizer.decode([one])


def test_tokenizer_survives_pickling(tokenizer, texts):
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.sha256 == tokenizer.sha256
    assert again.encode(texts[0]).tolist() == tokenizer.encode(texts[0]).tolist()


def test_gigatoken_opened_anew_gives_the_same_ids(tokenizer_json, texts, monkeypatch):
    monkeypatch.setattr("curation.tokens.engines.GIGATOKEN_CHARS", 100)
    frozen = FrozenTokenizer(tokenizer_json, engine="gigatoken")
    for text in texts[:10]:
        assert frozen.encode(text).tolist() == reference_ids(tokenizer_json, text)


def test_compression_is_characters_and_bytes_per_token(tokenizer):
    text = "\u4e2d\u6587 abc"
    tokens = len(tokenizer.encode(text))
    found = compression(tokenizer, {"zh": [text, text], "und": []})
    assert found["zh"] == {"chars_per_token": round(6 / tokens, 4), "bytes_per_token": round(10 / tokens, 4)}
    assert found["und"] == {"chars_per_token": 0.0, "bytes_per_token": 0.0}


@pytest.mark.real
def test_real_articles_come_back_exactly_with_equal_ids(real_data, tmp_path):
    with gzip.open(real_data / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as file:
        articles = [json.loads(line)["gold_text"] for line in file]
    content = train_tokenizer(articles[:150], vocab_size=4000)
    assert freeze(content, articles[150:], tmp_path / "tokenizer.json").engine == "gigatoken"


def test_bytes_of_tokens_sum_to_those_of_the_text_and_special_tokens_have_none(tokenizer, wide_tokenizer, texts):
    for one in (tokenizer, wide_tokenizer):
        for text in [*texts[:20], "", "\u4e2d\u6587 \U0001f600", "<|endoftext|>"]:
            assert one.token_bytes[one.encode(text)].sum() == len(text.encode("utf-8"))
        assert one.token_bytes[one.eos_id] == 0
        assert len(one.token_bytes) == one.vocab_size
        assert (token_bytes(one.json) == one.token_bytes).all()
