"""`curate verify-clean`: what it prints and how it ends, for a clean run and for one that is not."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from curation.cli import app
from curation.commands import verify_clean
from curation.decontaminate.verify import Verification

LEFT = {"benchmark": "quiz", "item": "quiz.jsonl:7", "doc_id": 11, "unit": "u", "start": 5, "end": 90, "ratio": 0.5}


@pytest.mark.parametrize(
    ("left", "code", "sentence"),
    [
        pytest.param([], 0, "nothing above the bound is left", id="clean"),
        pytest.param([LEFT], 1, "1 documents are not clean", id="one-document-left"),
    ],
)
def test_exit_code_and_evidence(corpus, stage_of, keys_of, tmp_path, monkeypatch, left, code, sentence):
    stage = stage_of("gpt3")
    items = stage.local_removals(keys_of(stage, corpus.pages()[:2])).evidence["items"]
    found = [Verification("clean", 200, items, len(left), left)]
    monkeypatch.setattr(verify_clean, "verify_run", lambda *arguments: found)
    result = CliRunner().invoke(app, ["verify-clean", str(tmp_path)])
    assert result.exit_code == code
    assert sentence in result.output and "200 documents decoded and searched" in result.output
    assert ("quiz quiz.jsonl:7: document 11, characters 5-90, 50% of the item" in result.output) == bool(left)


def test_folder_that_is_no_run_is_refused_before_spark_starts(tmp_path):
    result = CliRunner().invoke(app, ["verify-clean", str(tmp_path)])
    assert result.exit_code == 2
