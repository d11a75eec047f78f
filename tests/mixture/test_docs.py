"""The worked example of docs/mixture.md is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from curation.cli import app
from curation.mixture.repeats import effective_tokens

PAGE = (Path(__file__).parents[2] / "docs" / "mixture.md").read_text(encoding="utf-8")


def test_the_worked_example_is_what_the_command_prints(tmp_path):
    section = PAGE.split("## A worked example")[1].split("\n## ")[0]
    path = tmp_path / "my.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", section, re.S)[1])
    command = re.search(r"^    curate mix solve my.yaml (.*)$", section, re.M)[1]
    done = CliRunner().invoke(app, ["mix", "solve", str(path), *command.split()])
    assert done.exit_code == 0, done.output
    printed = [re.split(r"\s{2,}", line.strip()) for line in done.output.splitlines()]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in section.splitlines()
        if "%" in line and "| " in line
    ]
    assert len(rows) == 4
    for row in rows:
        assert row in printed


def test_the_worth_of_repeats_is_that_of_the_law():
    worths = [f"{effective_tokens(1000, epochs * 1000) / (epochs * 1000):.0%}" for epochs in (4, 16, 40)]
    assert "Four epochs are worth {}, sixteen {}, forty {}.".format(*(w.replace("%", " %") for w in worths)) in PAGE
