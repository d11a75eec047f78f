"""What must hold for a tokenizer.json before any of it is used: it may be anybody's, or of another kind."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from curation.errors import TokenizerError
from curation.tokens.engines import byte_of_character

MAX_IDS = 1 << 24  # the largest published vocabularies have 300,000; a table of all ids is held in memory


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class _Step(_Part):
    type: str


class _Steps(_Part):
    type: str
    pretokenizers: list[_Step] | None = None


class _Kind(_Part):
    type: str = "BPE"


class _Outline(_Part):
    model: _Kind
    pre_tokenizer: _Steps | None = None
    normalizer: _Step | None = None


class _AddedToken(_Part):
    id: int = Field(ge=0, lt=MAX_IDS)
    content: str
    special: bool


class _Bpe(_Part):
    vocab: dict[str, int]
    merges: list[str | list[str]]


class _Content(_Part):
    model: _Bpe
    added_tokens: list[_AddedToken] | None = None


def read_spec(tokenizer_json: bytes) -> dict[str, Any]:
    """The content of a tokenizer.json of a byte-level BPE. Raises TokenizerError that says what is wrong with it."""
    try:
        spec = json.loads(tokenizer_json)
    except (ValueError, RecursionError) as error:
        raise _other_file(str(error)) from error
    _check(_Outline, spec)
    kind, steps = spec["model"].get("type", "BPE"), spec.get("pre_tokenizer") or {}
    if kind != "BPE" or "ByteLevel" not in [step["type"] for step in steps.get("pretokenizers", [steps]) if step]:
        raise TokenizerError(f"tokenizer of kind {kind} is not a byte-level BPE, so text would not come back exactly")
    if spec.get("normalizer") not in (None, {"type": "Sequence", "normalizers": []}):
        raise TokenizerError(
            f"tokenizer has the normalizer {spec['normalizer']['type']}, so text would not come back exactly: "
            'set "normalizer": null in the file (texts that are normal already keep their ids)'
        )
    _check(_Content, spec)
    _check_ids(spec)
    _check_merges(spec["model"])
    return spec


def _other_file(problem: str) -> TokenizerError:
    return TokenizerError(f"not a tokenizer.json of the tokenizers library ({problem}): train one or name another file")


def _check(shape: type[BaseModel], spec: Any) -> None:
    try:
        shape.model_validate(spec)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part)[:40] for part in first["loc"])
        problem = "no mapping" if first["type"] == "model_type" else first["msg"]
        raise _other_file(f"{where + ': ' if where else ''}{problem}") from error


def _check_ids(spec: dict[str, Any]) -> None:
    vocab = spec["model"]["vocab"]
    ids = {**vocab, **{token["content"]: token["id"] for token in spec.get("added_tokens") or []}}
    outside = next((token for token, one in ids.items() if not 0 <= one < MAX_IDS), None)
    if outside is not None:
        raise _other_file(f"token {outside[:40]!r} has the id {ids[outside]}, not one of 0 to {MAX_IDS - 1}")
    if len(set(ids.values())) < len(ids):
        raise _other_file(f"{len(ids)} tokens share {len(set(ids.values()))} ids")
    missing = [character for character in byte_of_character() if character not in vocab]
    if missing:
        raise TokenizerError(f"tokenizer lacks {len(missing)} of the 256 bytes, so some texts cannot be encoded")


def _check_merges(model: dict[str, Any]) -> None:
    vocab = model["vocab"]
    for merge in model["merges"]:
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if len(pair) != 2 or pair[0] not in vocab or pair[1] not in vocab or pair[0] + pair[1] not in vocab:
            raise _other_file(f"the merge {str(merge)[:80]!r} does not make a token out of two")
