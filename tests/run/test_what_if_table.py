"""The table of `curate what-if`: no figure is cut, whatever the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from curation.commands.what_if import _table
from curation.run.what_if import WhatIf


def _lines(before: list[dict], after: list[dict], width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(_table(WhatIf(before, after), width))
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (0, ["0", "0", "0", "0"]),
        (99_999, ["99,999", "99,998", "-1", "99,999", "99,998", "-1"]),
        (3 * 10**12, ["3.00 T", "3.00 T", "-1", "3.00 T", "3.00 T", "-1"]),
    ],
)
def test_every_figure_is_whole(kept, told, width):
    before = {"stage": "a_stage_of_24_characters", "kept": kept, "chars_out": kept}
    after = {**before, "kept": max(kept - 1, 0), "chars_out": max(kept - 1, 0)}
    lines = _lines([before], [after], width)
    (row,) = [line for line in lines if line.strip().startswith("a_stage_of_24_characters")]
    assert row.split()[1:] == " ".join(told).split()
    assert max(map(len, lines)) <= width


def test_a_change_has_its_sign():
    before, after = {"stage": "s", "kept": 10, "chars_out": 99}, {"stage": "s", "kept": 1_250_010, "chars_out": 90}
    (row,) = [line for line in _lines([before], [after], 80) if line.strip().startswith("s  ")]
    assert row.split() == ["s", "10", "1.25", "M", "+1.25", "M", "99", "90", "-9"]
