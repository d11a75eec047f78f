"""Settings of the token stage, as they stand under `tokens:` in a recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from curation.errors import did_you_mean
from curation.tokens.pretokens import PATTERNS

EngineName = Literal["auto", "gigatoken", "tiktoken", "tokenizers"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TrainSettings(_Settings):
    """A tokenizer trained on a sample of the curated text.

    `sample_bytes` bounds the UTF-8 bytes of the sample, which goes through the driver. Its upper bound also keeps every
    pair count below 2^31 (n bytes hold fewer than n pairs), so counts cannot overflow in any version of the trainer.
    """

    vocab_size: Annotated[int, Field(ge=257, le=2**31 - 1)] = 32_000
    split_digits: bool = True
    pattern: str | None = None
    special_tokens: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] = ("<|endoftext|>",)
    sample_bytes: Annotated[int, Field(ge=1, le=2**31 - 1)] = 256 * 2**20

    @field_validator("pattern")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is not None and name not in PATTERNS:
            raise ValueError(f"unknown pattern; {did_you_mean(name, list(PATTERNS))}")
        return name


class TokenizerSettings(_Settings):
    """Where the tokenizer comes from: `train` or `file` (a tokenizer.json), not both.

    `eos_token` names the token put after each document where it is not one of the usual names; `engine` forces an
    encoder.
    """

    train: TrainSettings | None = None
    file: str | None = None
    eos_token: str | None = None
    engine: EngineName = "auto"

    @model_validator(mode="after")
    def _one_origin(self) -> TokenizerSettings:
        if (self.train is None) == (self.file is None):
            raise ValueError("give either train or file")
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
