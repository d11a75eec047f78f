"""Files of ranks: ids equal to those of tiktoken itself on the same ranks, special tokens, and broken files."""

import base64
import gzip
import json

import pytest
import tiktoken
from tokenizers import Tokenizer

from curation.errors import TokenizerError
from curation.tokens.engines import _ranks
from curation.tokens.pretokens import PATTERNS
from curation.tokens.settings import TokenizerSettings
from curation.tokens.tiktoken_file import convert_ranks, read_tokenizer
from curation.tokens.tokenizer import FrozenTokenizer, freeze
from curation.tokens.train import train_tokenizer


def save_ranks(path, tokenizer_json: bytes):
    ranks, _ = _ranks(json.loads(tokenizer_json)["model"])
    path.write_bytes(b"\n".join(base64.b64encode(piece) + b" %d" % rank for piece, rank in ranks.items()) + b"\n")
    return path, ranks


@pytest.fixture
def ranks_file(tokenizer_json, tmp_path):
    return save_ranks(tmp_path / "mine.tiktoken", tokenizer_json)


@pytest.mark.parametrize("engine", ["gigatoken", "tiktoken", "tokenizers"])
def test_ids_are_those_of_tiktoken(ranks_file, texts, engine):
    path, ranks = ranks_file
    theirs = tiktoken.Encoding("theirs", pat_str=PATTERNS["qwen35"].regex, mergeable_ranks=ranks, special_tokens={})
    ours = FrozenTokenizer(convert_ranks(path, "qwen35"), engine=engine)
    for text in texts[:60]:
        assert ours.encode(text).tolist() == theirs.encode_ordinary(text)
        assert ours.decode(ours.encode(text)) == text
    assert (ours.eos_id, ours.vocab_size) == (len(ranks), len(ranks) + 1)


@pytest.mark.real
def test_ids_are_those_of_tiktoken_on_real_articles(real_data, tmp_path):
    with gzip.open(real_data / "gold" / "articles.jsonl.gz", "rt", encoding="utf-8") as file:
        articles = [json.loads(line)["gold_text"] for line in file]
    trained = train_tokenizer(articles, vocab_size=32_000, pattern="llama3", split_digits=False)
    path, ranks = save_ranks(tmp_path / "mine.tiktoken", trained)
    theirs = tiktoken.Encoding("theirs", pat_str=PATTERNS["llama3"].regex, mergeable_ranks=ranks, special_tokens={})
    ours = freeze(convert_ranks(path, "llama3"), articles, tmp_path / "tokenizer.json")
    assert ours.engine == "gigatoken"
    assert all(ours.encode(text).tolist() == theirs.encode_ordinary(text) for text in articles)


def test_piece_that_no_merge_reaches_is_taken_whole(tmp_path):
    """tiktoken takes a pre-token that is a piece as it is, merges or not; `xyz` has no two halves among the ranks."""
    pieces = [bytes([byte]) for byte in range(256)] + [b"xyz"]
    path = tmp_path / "odd.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(pieces)))
    ranks = {piece: rank for rank, piece in enumerate(pieces)}
    theirs = tiktoken.Encoding("theirs", pat_str=PATTERNS["gpt2"].regex, mergeable_ranks=ranks, special_tokens={})
    for engine in ("gigatoken", "tiktoken", "tokenizers"):
        ours = FrozenTokenizer(convert_ranks(path, "gpt2"), engine=engine)
        for text in ("xyz", "xyzw", "axyz", "xyz!xyz"):
            assert ours.encode(text).tolist() == theirs.encode_ordinary(text), engine


def test_special_tokens_keep_given_ids_and_gaps_are_filled(ranks_file):
    path, ranks = ranks_file
    first = len(ranks)
    content = convert_ranks(path, "qwen35", {"<|endoftext|>": first + 1, "<|pad|>": first + 3})
    frozen = FrozenTokenizer(content)
    assert (frozen.eos_id, frozen.vocab_size) == (first + 1, first + 4)
    library = Tokenizer.from_str(content.decode())
    assert [library.token_to_id(name) for name in ("<|endoftext|>", "<|pad|>")] == [first + 1, first + 3]
    assert library.get_vocab_size() == first + 4


def test_own_pattern_is_taken_and_nonsense_refused(ranks_file):
    path, _ = ranks_file
    own = FrozenTokenizer(convert_ranks(path, r"\p{L}+|[^\p{L}]"))
    assert own.engine == "tiktoken"
    assert own.decode(own.encode("some words 12")) == "some words 12"
    with pytest.raises(TokenizerError, match="did you mean 'llama3'"):
        convert_ranks(path, "lama3")
    with pytest.raises(TokenizerError, match="no regular expression"):
        convert_ranks(path, r"(\p{L}")


@pytest.mark.parametrize(
    ("special", "message"),
    [
        ({"<|end|>": 5}, "need ids of their own, from 799 on"),
        ({"<|end|>": 900, "<|pad|>": 900}, "need ids of their own"),
    ],
    ids=["taken", "twice"],
)
def test_special_tokens_without_ids_of_their_own_are_refused(ranks_file, special, message):
    with pytest.raises(TokenizerError, match=message):
        convert_ranks(ranks_file[0], "qwen35", special)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"YQ== 0\nYg==\n", "line 2, is not a piece in base64"),
        (b"YQ== 0\n*** 1\n", "line 2, is not a piece in base64"),
        (b"YQ== 0\nYg== two\n", "line 2, is not a piece in base64"),
        (b"YQ== 0\nYg== 2\n", "ranks must be 0 to 1"),
        (b"YQ== 0\n", "lacks 255 of the 256 bytes"),
        (b"", "lacks 256 of the 256 bytes"),
    ],
    ids=["no rank", "no base64", "no number", "gap", "few bytes", "empty"],
)
def test_broken_file_is_named_with_its_line(tmp_path, content, message):
    (tmp_path / "bad.tiktoken").write_bytes(content)
    with pytest.raises(TokenizerError, match=message):
        convert_ranks(tmp_path / "bad.tiktoken", "gpt2")


def test_settings_name_the_file_its_pattern_and_the_end_token(ranks_file):
    path, ranks = ranks_file
    given = TokenizerSettings(file=str(path), pattern="qwen35", special_tokens=("<|end|>",), eos_token="<|end|>")
    assert FrozenTokenizer(read_tokenizer(given), eos_token="<|end|>").eos_id == len(ranks)
    with pytest.raises(TokenizerError, match="no special token"):
        read_tokenizer(given.model_copy(update={"eos_token": None}))


def test_missing_file_is_named(tmp_path):
    with pytest.raises(TokenizerError, match=r"no tokenizer at .*absent\.tiktoken"):
        convert_ranks(tmp_path / "absent.tiktoken", "gpt2")
