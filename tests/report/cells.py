"""The tables of a report as a reader sees them: rows of cells under their heading, pictures left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

HEADINGS = ("h2", "h3", "h4", "summary")
SKIPPED = ("svg", "style")


class Cells(HTMLParser):
    """`rows`: (last heading, texts of the cells) for each row of each table, in order; `text`: all that is in sight."""

    def __init__(self, source: str):
        super().__init__()
        self.rows: list[tuple[str, list[str]]] = []
        self._pieces: list[str] = []
        self._heading, self._in_heading, self._in_cell, self._skip = "", False, False, 0
        self.feed(source)
        self.text = _plain("".join(self._pieces))

    def under(self, heading: str) -> list[list[str]]:
        """Rows of tables whose heading begins so, header rows included."""
        found = [cells for title, cells in self.rows if _plain(title).startswith(heading)]
        assert found, f"no table under {heading!r}"
        return found

    def handle_starttag(self, tag, attrs):
        self._skip += tag in SKIPPED
        if tag in HEADINGS:
            self._heading, self._in_heading = "", True
        elif tag == "tr":
            self.rows.append((self._heading, []))
        elif tag in ("td", "th"):
            self.rows[-1][1].append("")
            self._in_cell = True
        elif tag == "br":
            self.handle_data(" ")

    def handle_endtag(self, tag):
        self._skip -= tag in SKIPPED
        if tag in HEADINGS:
            self._in_heading = False
        elif tag in ("td", "th"):
            self.rows[-1][1][-1] = _plain(self.rows[-1][1][-1])
            self._in_cell = False

    def handle_data(self, data):
        if self._skip:
            return
        self._pieces.append(data)
        if self._in_heading:
            self._heading += data
        elif self._in_cell:
            self.rows[-1][1][-1] += data


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
