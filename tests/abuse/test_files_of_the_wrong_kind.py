"""Recipes with YAML's tricks, models and tokenizers that are something else: refused with a sentence, at no cost."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from curation.errors import ModelError, RecipeError, TokenizerError
from curation.models import find_model
from curation.recipe.load import load_recipe
from curation.recipe.run_files import cluster_with, read_paths
from curation.score.fasttext_file import check_model_file
from curation.score.loading import fasttext_model
from curation.tokens.tokenizer import FrozenTokenizer

pytestmark = pytest.mark.abuse

BILLION = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12))
TRICKS = {
    "a tag that calls": ('name: !!python/object/apply:os.system ["touch {mark}"]', "line 1"),
    "a tag that makes": ("stages: !!python/object/new:subprocess.Popen [[touch, '{mark}']]", "line 1"),
    "a module": ("name: !!python/module:antigravity", "line 1"),
    "a tag of one's own": ("name: x\nsource: !include /etc/passwd", "line 2.*!include"),
    "aliases in aliases": (f"a0: &a0 [x, x, x, x, x, x, x, x, x]\n{BILLION}", "line 2: alias"),
    "an alias of itself": ("stages: &s [*s]", "line 1: alias"),
    "many aliases": ("a: &a [x]\nb: [" + ", ".join(["*a"] * 101) + "]", "line 2: alias"),
    "deep brackets": ("stages: " + "[" * 100_000, "line 1: nested"),
    "deep lines": ("\n".join("  " * i + "- - -" for i in range(50)), "nested"),
    "a key twice": ("name: a\nname: b", "stands twice"),
    "a key that is a list": ("? [a, b]\n: c", "line 1: a key"),
    "a number of 5,000 digits": ("version: " + "9" * 5000, "line 1: '9999"),
    "a day that is none": ("version: 2024-02-31", "line 1: '2024-02-31'"),
    "a NUL": ("name: a\0b", "special characters"),
    "no text": ("\udcff", "cannot be read"),
    "a MiB and more": ("# " + "x" * (1 << 20), "more than 1048576 bytes"),
    "an include that climbs": (
        "name: x\nversion: 1\nsource: y\nstages: [{{a: {{keep_if: rules/../recipes/c4}}}}]", "no rule list"),
    "an include from the root": (
        "name: x\nversion: 1\nsource: y\nstages: [{{a: {{keep_if: /etc/passwd}}}}]", "no rule list"),
}  # fmt: skip


@pytest.mark.parametrize("trick", TRICKS)
def test_a_recipe_with_a_trick_is_refused_and_does_nothing(tmp_path, trick):
    text, sentence = TRICKS[trick]
    mark, path = tmp_path / "mark", tmp_path / "recipe.yaml"
    text = text.replace("{mark}", str(mark)).replace("{{", "{").replace("}}", "}")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for read in (load_recipe, read_paths, cluster_with):
        with pytest.raises(RecipeError, match=sentence if read is load_recipe else "mistake") as caught:
            read(str(path))
        assert len(str(caught.value)) < 5000
    assert not mark.exists()


def test_an_alias_that_is_none_of_these_still_works(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("split_size: &size 1MiB\nunit_size: *size\n")
    assert cluster_with(str(path)).unit_size == 1 << 20


# ---- models ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def language_model() -> bytes:
    return Path(find_model("lid.176.ftz")).read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\n" * 100, b"\x89PNG\r\n\x1a\n" * 50, b"PK\3\4" * 50, bytes(5000), b"\x1f\x8b\x08" * 99, b'{"a": 1}'],
    ids=["empty", "text", "picture", "zip", "zeros", "gzip", "json"],
)
def test_a_file_that_is_no_model_is_named(tmp_path, content):
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"other\.bin is (empty|no fastText model)"):
        fasttext_model(str(path))


def test_a_model_cut_anywhere_is_refused_at_once(tmp_path, language_model):
    """fastText itself loops without end on some of these; hence no call of it stands behind a cut that passes."""
    path, draw = tmp_path / "cut.ftz", random.Random(4)
    path.write_bytes(language_model)
    check_model_file(path)
    cuts = {1, 4, 8, 64, 100, 1000, len(language_model) - 1} | {
        draw.randrange(1, len(language_model)) for _ in range(60)
    }
    for cut in sorted(cuts, reverse=True):
        os.truncate(path, cut)
        with pytest.raises(ValueError, match="it (ends|has)"):
            check_model_file(path)
    with pytest.raises(ModelError, match="no fastText model: it ends at byte 1"):
        fasttext_model(str(path))


def test_models_with_a_changed_header_never_claim_more_than_their_file(tmp_path, language_model):
    """Every bit of the first 92 bytes (sizes, loss, kind): refused, or as long as it says, so that it can be loaded."""
    path, passed = tmp_path / "flipped.ftz", 0
    for bit in range(8 * 92):
        data = bytearray(language_model)
        data[bit >> 3] ^= 1 << (bit & 7)
        path.write_bytes(data)
        try:
            check_model_file(path)
        except ValueError:
            continue
        passed += 1
    assert 8 * 8 < passed < 8 * 70  # learning rate, epochs and the like change no size


def test_models_that_fasttext_writes_pass(tmp_path):
    import fasttext

    (tmp_path / "text").write_text("__label__a one two three\n__label__b four five six\n" * 50)
    for number, settings in enumerate([{}, {"loss": "hs"}, {"loss": "ova", "wordNgrams": 2}, {"minn": 2, "maxn": 3}]):
        model = fasttext.train_supervised(str(tmp_path / "text"), verbose=0, dim=16, bucket=2000, **settings)
        model.save_model(str(tmp_path / f"{number}.bin"))
        check_model_file(tmp_path / f"{number}.bin")
    for norm in (True, False):
        model = fasttext.train_supervised(str(tmp_path / "text"), verbose=0, dim=16, bucket=2000, minn=2, maxn=3)
        model.quantize(str(tmp_path / "text"), qnorm=norm)
        model.save_model(str(tmp_path / f"{norm}.ftz"))
        check_model_file(tmp_path / f"{norm}.ftz")


def test_a_model_folder_that_brings_code_is_refused_and_does_nothing(tmp_path):
    pytest.importorskip("transformers", reason="models of transformers need the extra hf")
    from curation.page import Page
    from curation.score.transformer import huggingface

    mark, folder = tmp_path / "mark", tmp_path / "model"
    folder.mkdir()
    config = {"model_type": "mine", "auto_map": {"AutoConfig": "code.Mine", "AutoTokenizer": ["code.Mine", None]}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Mine: pass\n")
    with pytest.raises(ModelError, match="is no model"):
        huggingface([Page("text")], model=str(folder))
    assert not mark.exists()


# ---- tokenizers -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def good_tokenizer() -> str:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet)
    made.train_from_iterator(["hello world " * 50], trainer)
    FrozenTokenizer(made.to_str().encode())
    return made.to_str()


ANYTHING = [None, 3, -1, 1.5, True, "x", "ByteLevel", [], [1], {}, {"a": 1}, {"type": 3}, [{"type": "Split"}], 10**15]


def changed_in_one_place(spec: dict):
    """(place, the tokenizer with something else there) for each place down to the third level, dictionaries sampled."""
    places = [[key] for key in spec] + [["model", key] for key in spec["model"]]
    places += [["model", "vocab", token] for token in list(spec["model"]["vocab"])[::40]]
    places += [["model", "merges", 0], ["model", "merges", 0, 0], ["added_tokens", 0]]
    places += [["added_tokens", 0, key] for key in spec["added_tokens"][0]]
    places += [["pre_tokenizer", key] for key in spec["pre_tokenizer"]]
    for place in places:
        for value in ANYTHING:
            copy = json.loads(json.dumps(spec))
            inner = copy
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            yield place, copy


def test_a_tokenizer_with_anything_in_any_place_is_refused_or_works(good_tokenizer):
    refused = worked = 0
    for place, spec in changed_in_one_place(json.loads(good_tokenizer)):
        try:
            tokenizer = FrozenTokenizer(json.dumps(spec).encode())
        except TokenizerError as error:
            refused += 1
            assert len(str(error)) < 1000, place
            continue
        worked += 1
        assert tokenizer.vocab_size < 1 << 24
        if place[-1] != "add_prefix_space":  # works and changes text: `freeze` finds that out
            assert tokenizer.decode(tokenizer.encode("hello, world")) == "hello, world", place
    assert refused > 200 and worked > 20


@pytest.mark.parametrize(
    "content", [b"", b"[" * 100_000, bytes(range(256)), b"[1]", b'"x"', b"null", b'{"model": {"vocab": {}}}'],
    ids=["empty", "deep", "bytes", "list", "text", "null", "little"],
)  # fmt: skip
def test_a_file_that_is_no_tokenizer_is_refused(content):
    with pytest.raises(TokenizerError, match="not a"):
        FrozenTokenizer(content)
