"""`curate sweep` at the command line: a table, JSON and a picture, or a sentence about what is wrong."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from curation.cli import app


@pytest.fixture
def lines(tmp_path, make_text):
    """A file of 30 texts, a line each, ten of them twice with a word changed."""
    texts = [make_text(80) for _ in range(30)]
    copies = [" ".join(["changed", *text.split(" ")[1:]]) for text in texts[:10]]
    path = tmp_path / "texts.txt"
    path.write_text("\n".join([*texts, *copies]) + "\n")
    return path


def test_the_figures_are_printed_and_written(lines, tmp_path):
    done = CliRunner().invoke(app, ["sweep", str(lines), "14x8", "3:20x5", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "5:14x8" in done.output and "3:20x5" in done.output
    content = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert [one["setting"] for one in content["settings"]] == ["5:14x8", "3:20x5"]
    assert all(
        (one["pairs"], one["removed"], one["recall"], one["precision"]) == (10, 10, 1, 1) for one in content["settings"]
    )
    assert (tmp_path / "out" / "sweep.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["14by8"], "such as 14x8", id="setting"),
        pytest.param(["--similar-at", "0.1"], "give a similarity from 0.3 to 1", id="similarity"),
        pytest.param(["--unit", "line"], "choose word or char", id="unit"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(lines, tmp_path, arguments, message):
    done = CliRunner().invoke(app, ["sweep", str(lines), *arguments, "--out", str(tmp_path)])
    assert done.exit_code == 2 and message in done.stderr
