"""The self-test: it passes where items can be found, and refuses what would look clean for want of looking."""

from __future__ import annotations

import json

import pytest

from curation.decontaminate import stages
from curation.decontaminate.items import read_items
from curation.decontaminate.planted import self_test
from curation.decontaminate.stages import Decontamination
from curation.errors import DecontaminationError, InputError

MODES = ["gpt3", "ngram_drop", "coverage", "paragraph"]


@pytest.mark.parametrize("mode", MODES)
def test_planted_item_is_found_in_every_mode(stage_of, mode):
    self_test(stage_of(mode))


@pytest.mark.parametrize("mode", MODES)
def test_page_that_loses_the_item_on_its_way_is_noticed(stage_of, mode):
    with pytest.raises(DecontaminationError, match="was planted into a page and not found"):
        self_test(stage_of(mode), through=lambda text: text[::2])


def test_stage_that_does_nothing_is_noticed(stage_of, monkeypatch):
    monkeypatch.setattr(Decontamination, "cut", lambda self, text, ranges: text)
    with pytest.raises(DecontaminationError, match="not found"):
        self_test(stage_of("gpt3"))


def test_stage_that_finds_everything_is_noticed(stage_of, monkeypatch):
    stage = stage_of("ngram_drop")
    found = stage.hit_rows

    def everywhere(self, doc_ids, texts, unit):
        return found(doc_ids, texts.take([0] * len(texts)), unit)

    monkeypatch.setattr(Decontamination, "hit_rows", everywhere)
    with pytest.raises(DecontaminationError, match="stand in no item"):
        self_test(stage)


@pytest.mark.parametrize(
    ("mode", "unit"),
    [("ngram_drop", "a field of 13 words"), ("paragraph", "a line of 13 words")],
    ids=["field", "line"],
)
def test_benchmark_of_short_items_is_refused_with_their_length(tmp_path, mode, unit):
    rows = [{"question": "What is\nit " + "now " * n} for n in range(3)]
    (tmp_path / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)))
    stage = getattr(stages, mode)(name="clean", benchmarks={"quiz": ("question",)})
    stage = stage.with_items(read_items(tmp_path, stage.benchmarks))
    with pytest.raises(InputError, match=f"none of the 3 items of benchmark 'quiz' .* {unit} .* 5 in all"):
        self_test(stage)
