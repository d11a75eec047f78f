"""The frozen tokenizer: one tokenizer.json, known by its sha256, that encodes and decodes exactly.

Special tokens never come out of text: a page that spells `<|endoftext|>` is encoded letter by letter.
Ids equal those of the `tokenizers` library, with one exception: a text with a run of more than MAX_RUN_CHARS code
points without white space (or of white space only) is encoded in parts, cut inside the run. The ids are then those of
the parts one after another; around a cut they may differ from those of the whole. Decoding is exact either way.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from curation.errors import TokenizerError
from curation.tokens.engines import byte_of_character, open_engine, plain_spec
from curation.tokens.pretokens import cut_long_runs
from curation.tokens.spec import read_spec

# tiktoken 0.14 dies on a run of a million spaces and stands 900,000.
MAX_RUN_CHARS = 65_536
USUAL_EOS = ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>")


class FrozenTokenizer:
    """A byte-level BPE tokenizer that will not change.

    `sha256` is of the file's bytes, `vocab_size` one more than the largest id (added tokens included), `eos_id` the
    token put after each document, `engine` the library that encodes, `token_bytes[id]` the bytes of text that a token
    spells (int32; 0 for special tokens, which come from no text). Cheap to pickle: workers build their own engine.
    """

    def __init__(self, tokenizer_json: bytes, *, eos_token: str | None = None, engine: str = "auto"):
        self.json = tokenizer_json
        self._eos_token, self._wanted_engine = eos_token, engine
        self.sha256 = hashlib.sha256(tokenizer_json).hexdigest()
        spec = read_spec(tokenizer_json)
        self._pieces = _pieces(spec)
        self.vocab_size = len(self._pieces)
        self.eos_id = _eos_id(spec, eos_token)
        self.token_bytes = _sizes(spec, self._pieces)
        self.engine, self._encode_part = open_engine(plain_spec(spec), engine)

    @classmethod
    def load(cls, path: Path | str, *, eos_token: str | None = None, engine: str = "auto") -> FrozenTokenizer:
        """The tokenizer in the file `path`. Raises TokenizerError where there is none, or not a byte-level BPE."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise TokenizerError(f"no tokenizer at {path} ({error.strerror}): name a tokenizer.json") from error
        return cls(content, eos_token=eos_token, engine=engine)

    def __reduce__(self):
        return _rebuild, (self.json, self._eos_token, self._wanted_engine)

    def encode(self, text: str) -> np.ndarray:
        """Ids of one text, int32, without special tokens."""
        parts = cut_long_runs(text, MAX_RUN_CHARS)
        if len(parts) == 1:
            return self._encode_part(text)
        return np.concatenate([self._encode_part(part) for part in parts])

    def encode_batch(self, texts: Iterable[str]) -> list[np.ndarray]:
        """Ids of each text, int32, without special tokens."""
        return [self.encode(text) for text in texts]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids. Special tokens come out as they are spelled; half a character as U+FFFD."""
        found = [self._pieces[one] if 0 <= one < self.vocab_size else None for one in map(int, ids)]
        if None in found:
            raise TokenizerError(
                f"an id has no token in tokenizer {self.sha256[:12]} (ids 0..{self.vocab_size - 1}): "
                "decode with the tokenizer the shards were written with"
            )
        return b"".join(found).decode("utf-8", errors="replace")


@lru_cache(maxsize=2)  # a reused worker builds its engine once, not for each task
def _rebuild(tokenizer_json: bytes, eos_token: str | None, engine: str) -> FrozenTokenizer:
    return FrozenTokenizer(tokenizer_json, eos_token=eos_token, engine=engine)


def freeze(
    tokenizer_json: bytes,
    sample: Sequence[str],
    out: Path | str,
    *,
    eos_token: str | None = None,
    engine: str = "auto",
) -> FrozenTokenizer:
    """Check the tokenizer on `sample`, write it to the file `out`, and return it.

    Raises TokenizerError where a text does not come back exactly, or the fast encoder and the `tokenizers` library
    give different ids. The file appears whole or not at all.
    """
    from tokenizers import Tokenizer

    frozen = FrozenTokenizer(tokenizer_json, eos_token=eos_token, engine=engine)
    reference = Tokenizer.from_str(tokenizer_json.decode("utf-8"))
    reference.encode_special_tokens = True
    reference.no_truncation()
    for text in sample:
        ids = frozen.encode(text)
        if frozen.decode(ids) != text:
            raise TokenizerError(f"tokenizer {frozen.sha256[:12]} does not give back {text[:80]!r}: it changes text")
        parts = cut_long_runs(text, MAX_RUN_CHARS)
        expected = [one for part in parts for one in reference.encode(part, add_special_tokens=False).ids]
        if ids.tolist() != expected:
            raise TokenizerError(
                f"{frozen.engine} and tokenizers give different ids for {text[:80]!r}: set engine to another one "
                "(tiktoken, tokenizers)"
            )
    temporary = Path(f"{out}.{os.getpid()}.tmp")
    temporary.write_bytes(tokenizer_json)
    temporary.replace(out)
    return frozen


def compression(tokenizer: FrozenTokenizer, texts: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Characters (code points) and UTF-8 bytes per token, for each language of `texts`; more is better."""
    report = {}
    for language, its_texts in texts.items():
        counts = np.zeros(3, dtype=np.int64)
        for text in its_texts:
            counts += (len(text), len(text.encode("utf-8")), len(tokenizer.encode(text)))
        report[language] = per_token(*counts.tolist())
    return report


def per_token(chars: int, size: int, tokens: int) -> dict[str, float]:
    """Characters and bytes per token, to four decimals; zero where there is no token.

    >>> per_token(chars=300, size=310, tokens=100)
    {'chars_per_token': 3.0, 'bytes_per_token': 3.1}
    """
    ratio = (lambda count: round(count / tokens, 4)) if tokens else (lambda count: 0.0)
    return {"chars_per_token": ratio(chars), "bytes_per_token": ratio(size)}


def _pieces(spec: dict[str, Any]) -> list[bytes | None]:
    """The bytes of each id; None where the vocabulary has a gap."""
    byte_of, added = byte_of_character(), {token["content"]: token["id"] for token in spec.get("added_tokens") or []}
    ids = {**spec["model"]["vocab"], **added}
    pieces: list[bytes | None] = [None] * (max(ids.values()) + 1)
    for token, one in ids.items():
        ordinary = token not in added and all(character in byte_of for character in token)
        pieces[one] = bytes(byte_of[character] for character in token) if ordinary else token.encode("utf-8")
    return pieces


def token_bytes(tokenizer_json: bytes) -> np.ndarray:
    """`FrozenTokenizer.token_bytes` without opening an encoder."""
    spec = read_spec(tokenizer_json)
    return _sizes(spec, _pieces(spec))


def _sizes(spec: dict[str, Any], pieces: list[bytes | None]) -> np.ndarray:
    sizes = np.array([len(piece or b"") for piece in pieces], dtype=np.int32)
    sizes[[token["id"] for token in spec.get("added_tokens") or [] if token["special"]]] = 0
    return sizes


def _eos_id(spec: dict[str, Any], wanted: str | None) -> int:
    special = {token["content"]: token["id"] for token in spec.get("added_tokens") or [] if token["special"]}
    for name in [wanted] if wanted else USUAL_EOS:
        if name in special:
            return special[name]
    raise TokenizerError(
        f"tokenizer has no special token {wanted or ' or '.join(USUAL_EOS)} to end documents with: "
        f"set eos_token to one of its special tokens ({', '.join(special) or 'it has none'})"
    )
