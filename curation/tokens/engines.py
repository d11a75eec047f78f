"""Three encoders of one tokenizer.json: gigatoken, tiktoken, tokenizers, in the order of their speed.

Tokens per second on one core, text not seen before: gigatoken 13.8 M, tiktoken 3.6 M, tokenizers 0.71 M.
gigatoken knows the usual pre-tokenizer patterns only; tiktoken takes any pattern but no added tokens inside text;
tokenizers takes everything and is the reference. Each encoder is a function from a text to int32 ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from curation.errors import TokenizerError
from curation.tokens.pretokens import PATTERNS

Encode = Callable[[str], np.ndarray]
GIGATOKEN_CHARS = 64 * 2**20  # code points until gigatoken is opened anew


class EngineUnfit(Exception):
    """This engine cannot encode with this tokenizer; the next one is tried."""


def byte_of_character() -> dict[str, int]:
    """The byte each character of a byte-level vocabulary stands for.

    Printable Latin-1 characters stand for themselves; the other 68 bytes got the characters from U+0100 on.
    Source: `bytes_to_unicode` of GPT-2.

    >>> byte_of_character()["a"], byte_of_character()["\\u0120"]
    (97, 32)
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


def plain_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """The tokenizer without special tokens, templates, truncation and padding: text is only ever text."""
    ordinary = [token for token in spec.get("added_tokens") or [] if not token["special"]]
    return {**spec, "added_tokens": ordinary, "post_processor": None, "truncation": None, "padding": None}


def open_engine(spec: dict[str, Any], name: str) -> tuple[str, Encode]:
    """The engine called `name` and its encoder; "auto" is the fastest that can. `spec` is from `plain_spec`.

    Raises TokenizerError where the named engine cannot encode with this tokenizer.
    """
    reasons = []
    for candidate in ENGINES if name == "auto" else (name,):
        try:
            return candidate, ENGINES[candidate](spec)
        except EngineUnfit as reason:
            reasons.append(f"{candidate}: {reason}")
    raise TokenizerError(f"no encoder for this tokenizer ({'; '.join(reasons)}): set engine: auto")


class _Gigatoken:
    """gigatoken remembers the ids of every pre-token it ever saw: 20 million different ones took 2.7 GB.

    So it is opened anew after a stretch of text: that costs tens of milliseconds and bounds the memory of a worker.
    """

    def __init__(self, spec: dict[str, Any]):
        self._json = json.dumps(spec)
        self._open()

    def _open(self) -> None:
        from gigatoken import Tokenizer

        self._tokenizer, self._chars_left = Tokenizer.from_json(self._json), GIGATOKEN_CHARS

    def __call__(self, text: str) -> np.ndarray:
        if self._chars_left < 0:
            self._open()
        self._chars_left -= len(text)
        return self._tokenizer.encode(text).astype(np.int32)


def _gigatoken(spec: dict[str, Any]) -> Encode:
    try:
        return _Gigatoken(spec)
    except (RuntimeError, ValueError) as error:
        raise EngineUnfit(str(error).strip()) from error


def _tiktoken(spec: dict[str, Any]) -> Encode:
    """Merge order becomes tiktoken's rank; a table leads from rank back to id."""
    from tiktoken import Encoding

    if spec["added_tokens"]:
        raise EngineUnfit("it has added tokens that are matched inside text")
    ranks, ids = _ranks(spec["model"])
    pattern = _pattern(spec["pre_tokenizer"])
    try:
        encoding = Encoding("frozen", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    except ValueError as error:
        raise EngineUnfit(f"its pattern cannot be read: {error}") from error
    return lambda text: ids[encoding.encode_ordinary(text)]


def _ranks(model: dict[str, Any]) -> tuple[dict[bytes, int], np.ndarray]:
    byte_of, vocab = byte_of_character(), model["vocab"]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    pieces = dict.fromkeys([*byte_of, *(left + right for left, right in pairs)])  # in merge order, first one counts
    if model.get("ignore_merges"):  # then pieces that no merge reaches are taken whole, as tiktoken does
        pieces |= dict.fromkeys(piece for piece in vocab if all(character in byte_of for character in piece))
    ranks = {bytes(byte_of[character] for character in piece): rank for rank, piece in enumerate(pieces)}
    return ranks, np.array([vocab[piece] for piece in pieces], dtype=np.int32)


def _pattern(pre_tokenizer: dict[str, Any]) -> str:
    steps = pre_tokenizer.get("pretokenizers", [pre_tokenizer])
    match [(step["type"], step) for step in steps]:
        case [("ByteLevel", {"use_regex": True, "add_prefix_space": False})]:
            return PATTERNS["gpt2"].regex
        case [
            ("Split", {"pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}),
            ("ByteLevel", {"use_regex": False, "add_prefix_space": False}),
        ]:
            return pattern
    raise EngineUnfit(f"its pre-tokenizer is not one pattern: {[step['type'] for step in steps]}")


def _tokenizers(spec: dict[str, Any]) -> Encode:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(json.dumps(spec))
    except Exception as error:  # the library raises nothing narrower for a file it cannot read
        raise EngineUnfit(str(error)) from error
    return lambda text: np.array(tokenizer.encode(text, add_special_tokens=False).ids, dtype=np.int32)


ENGINES: dict[str, Callable[[dict[str, Any]], Encode]] = {
    "gigatoken": _gigatoken,
    "tiktoken": _tiktoken,
    "tokenizers": _tokenizers,
}
