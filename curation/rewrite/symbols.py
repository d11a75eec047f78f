"""Lines of nothing but a symbol: what extraction leaves of tables."""

from __future__ import annotations

from collections.abc import Sequence

from curation.page import Drop, Page


def break_lines(page: Page, *, symbols: Sequence[str] = ("|",)) -> str | Drop:
    r"""The text with each row of lines that hold nothing but `symbols` and white space replaced by one empty line.

    Source: FineWeb2 (arXiv 2506.20920, fineweb-2-pipeline.py), last step: trafilatura writes an empty table row as a
        line of bars.
    Reading: a bar inside a row with text stays. Blank lines beside the row stay too.
    A page of nothing else is dropped as `empty`.

    >>> break_lines(Page("before\n| | |\n|\nafter | all"))
    'before\n\nafter | all'
    """
    kept: list[str] = []
    cut = str.maketrans("", "", "".join(symbols))
    inside = False
    for line in page.text.split("\n"):
        bare = not line.translate(cut).strip() and bool(line.strip())
        if not bare:
            kept.append(line)
        elif not inside:
            kept.append("")
        inside = bare
    text = "\n".join(kept)
    return text if text and not text.isspace() else Drop("empty", len(text))
