"""Settings of the token stage, as they stand under `tokens:` in a recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from curation.errors import TokenizerError, did_you_mean
from curation.tokens.pretokens import PATTERNS, choose_pattern

RANKS_SUFFIX = ".tiktoken"
EngineName = Literal["auto", "gigatoken", "tiktoken", "tokenizers"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TrainSettings(_Settings):
    """A tokenizer trained on a sample of the curated text, weighted by the shares of the recipe's mixture.

    `vocab_size` counts the 256 bytes, `special_tokens` and `reserved_tokens` (special tokens without a use yet).
    `split_digits`: each digit a token of its own, or groups of up to three (`pattern: gpt2`: of any length).
    `byte_fallback` can only be true: a byte-level vocabulary holds all bytes, so nothing is ever unknown to it.
    `sample_bytes` bounds the UTF-8 bytes of the sample. At most `max_pretokens` different pre-tokens, the commonest, go
    to the trainer; this bounds its memory (about 0.5 GB a million) whatever the sample. `compare_sizes` are other sizes
    of vocabulary whose compression stands in the report; GPT-2's was 50,257.
    """

    vocab_size: Annotated[int, Field(ge=257, le=2**31 - 1)] = 32_000
    split_digits: bool = True
    pattern: str | None = None
    special_tokens: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] = ("<|endoftext|>",)
    reserved_tokens: Annotated[int, Field(ge=0)] = 0
    byte_fallback: bool = True
    sample_bytes: Annotated[int, Field(ge=1, le=2**48)] = 2**30
    max_pretokens: Annotated[int, Field(ge=1)] = 2_000_000
    compare_sizes: Annotated[tuple[Annotated[int, Field(ge=1000)], ...], Field(strict=False)] = (
        16_000,
        32_000,
        50_257,
        64_000,
        128_000,
    )

    @field_validator("pattern")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is not None and name not in PATTERNS:
            raise ValueError(f"unknown pattern; {did_you_mean(name, list(PATTERNS))}")
        return name

    @field_validator("special_tokens")
    @classmethod
    def _different(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in names if names.count(name) > 1 or not name})
        if twice:
            raise ValueError(f"special tokens must be different and not empty; see {twice}")
        return names

    @field_validator("byte_fallback")
    @classmethod
    def _always(cls, wanted: bool) -> bool:
        if not wanted:
            raise ValueError("a byte-level tokenizer always falls back to bytes; leave byte_fallback out")
        return wanted

    @model_validator(mode="after")
    def _fits(self) -> TrainSettings:
        special = len(self.special_tokens) + self.reserved_tokens
        if self.vocab_size < 256 + special:
            raise ValueError(f"vocab_size {self.vocab_size} cannot hold 256 bytes and {special} special tokens")
        try:
            choose_pattern(self.pattern, self.split_digits)
        except TokenizerError as error:
            raise ValueError(str(error)) from error
        return self


class TokenizerSettings(_Settings):
    """Where the tokenizer comes from: `train` or `file`, not both.

    `file` is a tokenizer.json or a .tiktoken file of ranks. The latter holds neither pattern nor special tokens: give
    `pattern` (one of pretokens.PATTERNS, or a regular expression) and `special_tokens`, as a list or with their ids.
    `eos_token` names the token put after each document where it is not one of the usual names; `engine` forces an
    encoder.
    """

    train: TrainSettings | None = None
    file: str | None = None
    pattern: str | None = None
    special_tokens: Annotated[tuple[str, ...], Field(strict=False)] | dict[str, int] | None = None
    eos_token: str | None = None
    engine: EngineName = "auto"

    @model_validator(mode="after")
    def _one_origin(self) -> TokenizerSettings:
        if (self.train is None) == (self.file is None):
            raise ValueError("give either train or file")
        ranks = self.file is not None and self.file.endswith(RANKS_SUFFIX)
        if ranks and self.pattern is None:
            raise ValueError(
                f"a .tiktoken file needs its pattern: one of {', '.join(PATTERNS)}, or a regular expression"
            )
        if not ranks and (self.pattern is not None or self.special_tokens is not None):
            raise ValueError("pattern and special_tokens belong to a .tiktoken file (or under train)")
        return self


class TokenSettings(_Settings):
    """How curated text becomes token shards.

    `sequence_length` and `shard_tokens` are in tokens, `validation` is the fraction of duplicate clusters held out
    of each source, `seed` decides sample, split and order. `pack` is how documents are laid into rows, see pack.py.
    """

    tokenizer: TokenizerSettings = TokenizerSettings(train=TrainSettings())
    sequence_length: Annotated[int, Field(ge=2, le=2**24)] = 2048
    pack: Literal["concat", "best_fit", "none"] = "best_fit"
    validation: Annotated[float, Field(ge=0, le=0.5)] = 0.001
    seed: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)] = 1
    shard_tokens: Annotated[int, Field(ge=1)] = 100_000_000
