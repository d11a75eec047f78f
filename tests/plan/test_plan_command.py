"""`curate plan` on narrow and wide terminals: every figure whole and beside its name."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from curation.commands.plan import _table
from curation.plan.lines import plan_lines
from curation.plan.preset import PRESETS, preset


@pytest.mark.parametrize("width", [80, 99, 100, 120, 200])
@pytest.mark.parametrize("name", PRESETS)
def test_no_figure_is_broken_or_cut(name, width):
    lines = plan_lines(preset(name), after_step=1000)
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(_table(name, lines, width))
    printed = console.file.getvalue().splitlines()
    assert max(map(len, printed)) <= width
    for what, figure, why in (line for group in lines.values() for line in group):
        (row,) = [number for number, line in enumerate(printed) if line.strip().startswith(f"{what}  ")]
        assert figure in printed[row]
        below = " ".join(" ".join(printed[row : row + 6]).split())
        assert why.split()[0] in below and why.split()[-1] in below
