"""Training a byte-level BPE tokenizer from counted pre-tokens.

Byte-level means that the 256 bytes are the alphabet: no unknown token, every text can be encoded, and without a
normaliser decoding gives back the same bytes.

The trainer is that of `ffbpe`: it takes counts, in 64 bits, and its merges equal those of `tokenizers` (tests; seen on
real text up to 128,000 tokens). `tokenizers` itself takes texts only, and 0.23 still counts pairs in 32 bits: a pair
seen 2.16 * 10^9 times was never merged, without a word (docs/decisions/0100).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from curation.errors import TokenizerError
from curation.tokens.engines import byte_of_character
from curation.tokens.pretokens import choose_pattern, count_pretokens

Merge = tuple[str, str]  # two pieces in the letters of `byte_of_character`
LARGEST_COUNT = 2**63 - 1  # of the trainer, which wraps around above it
RESERVED = "<|reserved_special_token_{}|>"  # as Llama 3 spells them


def train_tokenizer(texts: Iterable[str], *, vocab_size: int = 32_000, **settings: Any) -> bytes:
    """A tokenizer trained on texts in this process, as the bytes of its tokenizer.json.

    The settings are those of `tokenizer_json`. The same texts give the same bytes in whatever order they arrive.

    >>> b'"BPE"' in train_tokenizer(["to be or not to be"], vocab_size=260)
    True
    """
    pattern = choose_pattern(settings.get("pattern"), settings.get("split_digits", True))
    merges = learn_merges(count_pretokens(texts, pattern.regex), vocab_size)  # those that there is room for are taken
    return tokenizer_json(merges, vocab_size=vocab_size, **settings)


def learn_merges(counts: Mapping[str, int] | Iterable[tuple[str, int]], pieces: int) -> list[Merge]:
    """The merges that lead from the 256 bytes to a vocabulary of `pieces`, or to fewer where the counts end before.

    `counts` says how often each pre-token occurs. Merges depend on ratios of counts only, not on their order: the
    commonest pair first, ties by the smaller ids, ids by the merges before. A smaller vocabulary is a prefix.

    Raises TokenizerError for a count that is not positive, counts that do not fit 64 bits, and where the trainer's
    first merge is not the commonest pair as counted here: no later pair is more frequent than the first, so a count
    that overflowed would show there.
    """
    words = [(word, count) for word, count in (counts.items() if isinstance(counts, Mapping) else counts) if word]
    sizes = [len(word.encode("utf-8")) for word, _ in words]
    total = sum(size * count for size, (_, count) in zip(sizes, words, strict=True))
    if total > LARGEST_COUNT:
        raise TokenizerError(f"{total:,} pairs of bytes are too many for 64 bits: divide all counts by one number")
    wrong = next(((word, count) for word, count in words if count < 1), None)
    if wrong:
        raise TokenizerError(f"pre-token {wrong[0]!r} has the count {wrong[1]}: leave out what does not occur")
    if not words or pieces <= 256:
        return []
    merges, frequencies = _train(words, pieces)
    _check_first(words, sizes, merges, frequencies)
    return merges


def tokenizer_json(
    merges: Sequence[Merge],
    *,
    vocab_size: int = 32_000,
    split_digits: bool = True,
    special_tokens: Sequence[str] = ("<|endoftext|>",),
    reserved_tokens: int = 0,
    pattern: str | None = None,
) -> bytes:
    """The tokenizer.json of the first merges that `vocab_size` has room for.

    `vocab_size` includes the 256 bytes, the special tokens, which get the last ids, and `reserved_tokens` more of them
    under the name RESERVED, for uses that come later; few merges make a smaller vocabulary. `pattern` is a name in
    `pretokens.PATTERNS` (default: qwen35 for single digits, llama3 otherwise).

    Raises TokenizerError where `vocab_size` cannot hold the bytes and special tokens, a special token is a piece of
    plain text, or the pattern does not fit.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    special = [*special_tokens, *(RESERVED.format(n) for n in range(reserved_tokens))]
    _check_room(vocab_size - len(special), vocab_size)
    vocabulary, kept = _vocabulary(merges, vocab_size - len(special))
    learned = [token for token in special if token in vocabulary]
    if learned:
        raise TokenizerError(
            f"special tokens {learned} are also plain pieces of text: write them like <|{learned[0]}|>"
        )
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=kept))
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(choose_pattern(pattern, split_digits).regex), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    return tokenizer.to_str().encode("utf-8")


def pieces_of(merges: Sequence[Merge]) -> int:
    """The size of the vocabulary that the merges lead to, the 256 bytes included."""
    return 256 + len({left + right for left, right in merges})


def _check_room(pieces: int, vocab_size: int) -> None:
    if pieces < 256:
        raise TokenizerError(
            f"vocab_size {vocab_size} cannot hold 256 bytes and {vocab_size - pieces} special or reserved tokens: "
            f"set it to {256 + vocab_size - pieces} or more"
        )


def _train(words: list[tuple[str, int]], pieces: int) -> tuple[list[Merge], list[int]]:
    """Merges and the frequency of each when it was chosen."""
    from ffbpe import BpeTrainer

    trainer = BpeTrainer([], initial_alphabet="byte_level", tie_break="smallest_pair_id")
    trainer.add_words(words)  # all at once: a second call would replace the first
    trainer.train(pieces)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "merges.txt"
        trainer.validate_model().save_files(Path(folder) / "vocab.json", path, format="gpt2")
        lines = path.read_text(encoding="utf-8").split("\n")
    found = [line.split(" ") for line in lines if line and not line.startswith("#version")]  # left right => frequency
    return [(left, right) for left, right, *_ in found], [int(line[-1]) for line in found]


def _check_first(words: list[tuple[str, int]], sizes: list[int], merges: list[Merge], frequencies: list[int]) -> None:
    """Counts the pairs of bytes anew; numpy's int64 holds every sum, because the total was checked."""
    text = np.frombuffer("".join(word for word, _ in words).encode("utf-8"), dtype=np.uint8).astype(np.uint16)
    weights = np.repeat(np.array([count for _, count in words], dtype=np.int64), sizes)
    inside = np.ones(len(text) - 1, dtype=bool)
    inside[np.cumsum(sizes)[:-1] - 1] = False  # from one pre-token to the next
    pairs = np.zeros(2**16, dtype=np.int64)
    np.add.at(pairs, (text[:-1] * 256 + text[1:])[inside], weights[:-1][inside])
    expected = int(pairs.max())
    byte_of = byte_of_character()
    if merges and all(piece in byte_of for piece in merges[0]):
        left, right = (byte_of[piece] for piece in merges[0])
        found = (int(pairs[left * 256 + right]), frequencies[0])
    else:
        found = (0, 0)
    if found != (expected, expected) and expected:
        raise TokenizerError(
            f"the trainer's first merge {merges[:1]} has the frequency {frequencies[:1]}, but the commonest pair "
            f"occurs {expected:,} times: counts overflowed or are wrong; install ffbpe as in constraints.txt"
        )


def _vocabulary(merges: Sequence[Merge], pieces: int) -> tuple[dict[str, int], list[Merge]]:
    """Ids of the bytes (in the order of their characters) and of what is merged, and the merges that made them."""
    ids = {character: one for one, character in enumerate(sorted(byte_of_character()))}
    kept = []
    for merge in merges:
        if len(ids) >= pieces:
            break
        ids.setdefault("".join(merge), len(ids))
        kept.append(merge)
    return ids, kept
