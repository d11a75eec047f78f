"""Training a byte-level BPE tokenizer with the `tokenizers` library.

Byte-level means that the 256 bytes are the alphabet: no unknown token, every text can be encoded, and without a
normaliser decoding gives back the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from curation.errors import TokenizerError
from curation.tokens.pretokens import choose_pattern, cut_long_runs

# A run this long (base64, a ruler of dashes) teaches nothing and costs memory: it is one word of the trainer.
TRAIN_RUN_CHARS = 1024


def train_tokenizer(
    texts: Iterable[str],
    *,
    vocab_size: int = 32_000,
    split_digits: bool = True,
    special_tokens: Sequence[str] = ("<|endoftext|>",),
    pattern: str | None = None,
    max_piece_chars: int = TRAIN_RUN_CHARS,
) -> bytes:
    """A trained tokenizer as the bytes of its tokenizer.json.

    `vocab_size` includes the 256 bytes and the special tokens, which get the last ids; a small sample supports fewer
    merges, and then the vocabulary is smaller. `pattern` is a name in `pretokens.PATTERNS` (default: qwen35 for single
    digits, llama3 otherwise). Runs longer than `max_piece_chars` are cut first. The same texts give the same bytes in
    whatever order they arrive: merges depend on pair counts, ties on ids, and ids on the merges before.

    Raises TokenizerError where `vocab_size` cannot hold the bytes and special tokens, a special token is a piece of
    plain text, or the pattern does not fit.

    >>> b'"BPE"' in train_tokenizer(["to be or not to be"], vocab_size=260)
    True
    """
    room = vocab_size - len(special_tokens)
    if room < 256:
        raise TokenizerError(
            f"vocab_size {vocab_size} cannot hold 256 bytes and {len(special_tokens)} special tokens: "
            f"set it to {256 + len(special_tokens)} or more"
        )
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = _pre_tokenizer(choose_pattern(pattern, split_digits).regex)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=room,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer.train_from_iterator(_parts(texts, max_piece_chars), trainer)
    learned = [token for token in special_tokens if tokenizer.token_to_id(token) is not None]
    if learned:
        raise TokenizerError(
            f"special tokens {learned} are also plain pieces of text: write them like <|{learned[0]}|>"
        )
    tokenizer.add_special_tokens(list(special_tokens))
    return tokenizer.to_str().encode("utf-8")


def _pre_tokenizer(pattern: str) -> pre_tokenizers.PreTokenizer:
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), behavior="isolated"), to_bytes])


def _parts(texts: Iterable[str], limit: int) -> Iterator[str]:
    for text in texts:
        yield from cut_long_runs(text, limit)
