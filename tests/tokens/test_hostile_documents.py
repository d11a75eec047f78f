"""Encoding hostile documents: bounds on time and memory, for each engine, and for counting before training."""

import subprocess
import sys
import time

import pytest

from curation.tokens.pretokens import PATTERNS, count_pretokens
from curation.tokens.tokenizer import FrozenTokenizer

pytestmark = pytest.mark.abuse

# For ten million bytes. On a quiet core gigatoken takes at most 0.5 seconds, tiktoken 1.2, tokenizers 6: the bound is
# for growth that is not linear, which would take minutes.
SECONDS = 60
DOCUMENTS = {
    "one word of ten million letters": lambda: "abcdefghijklmnopqrstuvwxyz"[::-3] * 1_111_111,
    "one letter": lambda: "a" * 10_000_000,
    "a million spaces": lambda: " " * 1_000_000,
    "ten million spaces": lambda: " " * 10_000_000,
    "one emoji": lambda: "\U0001f600" * 2_500_000,
    "joined emoji": lambda: "\U0001f468\u200d\U0001f469\u200d" * 700_000,
    "marks on nothing": lambda: "\u0301" * 5_000_000,
    "digits": lambda: "7" * 10_000_000,
    "newlines": lambda: "\r\n" * 5_000_000,
    "letter and space": lambda: "a " * 5_000_000,
    "han without a space": lambda: "".join(map(chr, range(0x4E00, 0x9E00))) * 160,
    "clitics": lambda: "'s'll" * 2_000_000,
    "special tokens": lambda: "<|endoftext|>" * 770_000,
}


@pytest.mark.parametrize("engine", ["gigatoken", "tiktoken", "tokenizers"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_ten_million_bytes_are_encoded_in_bounded_time_and_come_back(tokenizer_json, engine, name):
    text = DOCUMENTS[name]()
    if engine != "gigatoken" and "ten million" not in name:  # a fifth of the text shows the same growth
        text = text[: len(text) // 5]
    frozen = FrozenTokenizer(tokenizer_json, engine=engine)
    start = time.process_time()
    ids = frozen.encode(text)
    assert time.process_time() - start < SECONDS
    assert frozen.decode(ids) == text
    assert frozen.eos_id not in ids[:1000]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_ten_million_bytes_are_counted_in_bounded_time_and_no_pretoken_is_long(name):
    text = DOCUMENTS[name]()
    start = time.process_time()
    counts = count_pretokens([text], PATTERNS["qwen35"].regex)
    assert time.process_time() - start < SECONDS
    assert sum(len(piece) * count for piece, count in counts.items()) == len(text)
    assert max(map(len, counts)) <= 2048  # a space run and the word after it, each cut at 1,024


def test_memory_of_encoding_hostile_documents_is_a_small_multiple_of_their_size(tokenizer_json, tmp_path):
    """A fresh process, so that its peak is that of encoding; 13 documents of about 10 MB, one after another."""
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json)
    code = (
        "import resource, sys\n"
        "from tests.tokens.test_hostile_documents import DOCUMENTS\n"
        "from curation.tokens.tokenizer import FrozenTokenizer\n"
        "frozen = FrozenTokenizer.load(sys.argv[1])\n"
        "frozen.encode('warm')\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for make in DOCUMENTS.values(): frozen.encode(make())\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "tokenizer.json")], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 1_000_000, f"{done.stdout} KiB"  # measured: 0.2 GB
