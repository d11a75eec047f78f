"""Reading benchmark files: which texts count, and what is refused with which sentence."""

from __future__ import annotations

import gzip
import json

import pytest
import zstandard

from curation.decontaminate.items import read_items
from curation.errors import InputError

ROWS = [
    {"question": "Who?", "choices": {"text": ["me", "you"]}, "n": 7, "none": None},
    {"question": "Why?", "choices": {"text": []}, "n": 8, "none": None},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def parts(items):
    return [tuple(row.values()) for row in items.table.to_pylist()]


def test_fields_are_paths_and_each_text_of_a_list_is_a_part(tmp_path):
    (tmp_path / "quiz.jsonl").write_text(LINES)
    assert parts(read_items(tmp_path, {"quiz": ("question", "choices.text", "n", "none")})) == [
        ("quiz", "quiz.jsonl:1", "question", "Who?"),
        ("quiz", "quiz.jsonl:1", "choices.text.0", "me"),
        ("quiz", "quiz.jsonl:1", "choices.text.1", "you"),
        ("quiz", "quiz.jsonl:1", "n", "7"),
        ("quiz", "quiz.jsonl:1", "none", ""),
        ("quiz", "quiz.jsonl:2", "question", "Why?"),
        ("quiz", "quiz.jsonl:2", "n", "8"),
        ("quiz", "quiz.jsonl:2", "none", ""),
    ]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        pytest.param("quiz.jsonl.gz", gzip.compress, id="gzip"),
        pytest.param("quiz.jsonl.zst", zstandard.ZstdCompressor().compress, id="zstd"),
        pytest.param("quiz/test.jsonl", bytes, id="folder"),
    ],
)
def test_packed_files_and_folders_hold_the_same_items(tmp_path, name, pack):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(pack(LINES.encode()))
    assert [row[3] for row in parts(read_items(tmp_path, {"quiz": ("question",)}))] == ["Who?", "Why?"]


@pytest.mark.parametrize(
    ("content", "fields", "sentence"),
    [
        pytest.param(b"", ("question",), "holds no item", id="empty"),
        pytest.param(b"{\n", ("question",), "line 1 is not JSON", id="no-json"),
        pytest.param(b"\xff\n", ("question",), "line 1 is not JSON", id="no-utf-8"),
        pytest.param(b"[1]\n", ("question",), "is list, not an object", id="no-object"),
        pytest.param(LINES.encode(), ("questoin",), "no field 'questoin'; did you mean 'question'", id="misspelt"),
        pytest.param(LINES.encode(), ("choices.label",), "no field 'choices.label'", id="missing-inside"),
        pytest.param(LINES.encode(), ("choices",), "field 'choices' holds dict", id="object-as-text"),
        pytest.param(gzip.compress(LINES.encode())[:-9], ("question",), "is damaged", id="cut-off"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path, content, fields, sentence):
    (tmp_path / "quiz.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        read_items(tmp_path, {"quiz": fields})


def test_missing_benchmark_names_the_closest_file(tmp_path):
    (tmp_path / "gsm8k.jsonl").write_text(LINES)
    with pytest.raises(InputError, match="did you mean 'gsm8k'"):
        read_items(tmp_path, {"gsm8": ("question",)})


def test_items_are_equal_by_content(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "quiz.jsonl").write_text(LINES)
    first, second = (read_items(tmp_path / name, {"quiz": ("question",)}) for name in ("a", "b"))
    assert first == second and hash(first) == hash(second)
    assert first != read_items(tmp_path / "a", {"quiz": ("n",)})
