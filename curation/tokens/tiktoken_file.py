"""A tokenizer.json from a .tiktoken file: lines of a piece in base64 and its rank.

tiktoken merges, at each step, the neighbours whose joined piece has the lowest rank. So each way to cut a piece into
two pieces becomes a merge, in the order of ranks; `ignore_merges` takes a whole pre-token that is a piece as it is, as
tiktoken does. Ids are the ranks.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import regex

from curation.errors import TokenizerError, did_you_mean
from curation.tokens.engines import byte_of_character
from curation.tokens.pretokens import PATTERNS
from curation.tokens.settings import RANKS_SUFFIX as SUFFIX
from curation.tokens.settings import TokenizerSettings
from curation.tokens.tokenizer import FrozenTokenizer
from curation.tokens.train import RESERVED

DEFAULT_SPECIAL = ("<|endoftext|>",)


def read_tokenizer(settings: TokenizerSettings) -> bytes:
    """The tokenizer.json that `settings.file` is, or becomes. Raises TokenizerError where it cannot be used."""
    if settings.file.endswith(SUFFIX):
        content = convert_ranks(settings.file, settings.pattern, settings.special_tokens)
        FrozenTokenizer(content, eos_token=settings.eos_token, engine=settings.engine)
        return content
    return FrozenTokenizer.load(settings.file, eos_token=settings.eos_token, engine=settings.engine).json


def convert_ranks(
    path: Path | str, pattern: str, special_tokens: Sequence[str] | Mapping[str, int] | None = None
) -> bytes:
    """The bytes of a tokenizer.json that gives the ids of the ranks at `path`.

    `pattern` is a name in `pretokens.PATTERNS` or a regular expression. `special_tokens` get the ids after the ranks in
    their order, or those given; ids between that no token has go to reserved special tokens, because readers of a
    tokenizer.json number added tokens without gaps.

    Raises TokenizerError for a file that is not one of ranks, a pattern that is none, and ids that are taken.
    """
    ranks = _read(Path(path))
    characters = {byte: character for character, byte in byte_of_character().items()}

    def spell(piece: bytes) -> str:
        return "".join(characters[byte] for byte in piece)

    merges = []
    for piece in ranks:
        halves = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        known = [(ranks[left], ranks[right], left, right) for left, right in halves if left in ranks and right in ranks]
        merges += [[spell(left), spell(right)] for _, _, left, right in sorted(known)]
    split = {"type": "Split", "pattern": {"Regex": _regex(pattern)}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": True,
        "vocab": {spell(piece): rank for piece, rank in ranks.items()},
        "merges": merges,
    }
    spec = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added(special_tokens or DEFAULT_SPECIAL, len(ranks)),
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": model,
    }
    return json.dumps(spec, ensure_ascii=False).encode("utf-8")


def _read(path: Path) -> dict[bytes, int]:
    """Ranks in rising order, checked: 0 to n - 1, each piece once, all bytes among them."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise TokenizerError(f"no tokenizer at {path} ({error.strerror}): name a .tiktoken file") from error
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(lines, 1):
        try:
            piece, rank = line.split()
            ranks[base64.b64decode(piece, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise TokenizerError(
                f"{path}, line {number}, is not a piece in base64 and its rank ({error}): name a .tiktoken file"
            ) from error
    if sorted(ranks.values()) != list(range(len(ranks))):
        raise TokenizerError(f"{path}: ranks must be 0 to {len(ranks) - 1}, each once: is the file whole?")
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise TokenizerError(f"{path} lacks {len(missing)} of the 256 bytes, so some texts cannot be encoded")
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def _regex(pattern: str) -> str:
    if pattern in PATTERNS:
        return PATTERNS[pattern].regex
    if regex.fullmatch(r"[\w-]+", pattern):
        raise TokenizerError(
            f"pattern '{pattern}' is not known; {did_you_mean(pattern, list(PATTERNS))}, or give a regular expression"
        )
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise TokenizerError(f"pattern {pattern!r} is no regular expression ({error}): correct it") from error
    return pattern


def _added(special: Sequence[str] | Mapping[str, int], ranks: int) -> list[dict[str, object]]:
    ids = dict(special) if isinstance(special, Mapping) else {name: ranks + n for n, name in enumerate(special)}
    names = {one: name for name, one in ids.items()}
    taken = sorted(name for name, one in ids.items() if one < ranks)
    if taken or len(names) < len(ids):
        raise TokenizerError(
            f"special tokens {taken or sorted(ids)} need ids of their own, from {ranks} on: give other ids"
        )
    gaps = (one for one in range(ranks, max(names)) if one not in names)
    names |= {one: RESERVED.format(n) for n, one in enumerate(gaps)}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return [{"id": one, "content": name, **flags} for one, name in sorted(names.items())]
