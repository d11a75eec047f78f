"""The trainer of the `tokenizers` library, fed with every occurrence of every text: what our training must equal."""

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from curation.tokens.pretokens import PATTERNS, TRAIN_RUN_CHARS, cut_long_runs


def trained_by_tokenizers(
    texts: Iterable[str], vocab_size: int, pattern: str = "qwen35", special: Iterable[str] = ("<|endoftext|>",)
) -> bytes:
    special = list(special)
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PATTERNS[pattern].regex), behavior="isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size - len(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer.train_from_iterator((part for text in texts for part in cut_long_runs(text, TRAIN_RUN_CHARS)), trainer)
    tokenizer.add_special_tokens(special)
    return tokenizer.to_str().encode("utf-8")
