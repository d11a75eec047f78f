"""`Page`: one page on its way through the pass, with its words, lines, paragraphs and sentences cut once and shared.

Words come in two forms: `words` is a list of strings, `word_cut` the places of the same words as arrays. A measure that
counts uses the arrays: they cost a tenth of the strings.

Measures and edits take a `Page`; in tests and notebooks `Page("some text")` is all that is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from curation import text as cut
from curation.charclass import codes_of
from curation.cutting import Cut, cut_tokens, cut_words


@dataclass(frozen=True, slots=True)
class Drop:
    """What an edit returns when the page should not survive it: the rule's name and the value that decided."""

    rule: str
    value: Any = None


class Page:
    """One page. Setting `text` forgets the words, lines, paragraphs and sentences cut from the old text.

    Columns of `curation.document` are attributes of the same name. `html` holds the decoded body until the main text
    is extracted and never leaves the Python worker. A page with `dropped_by` set is dead: later stages pass over it.
    """

    __slots__ = (
        "_codes", "_lines", "_paragraphs", "_raw_lines", "_sentences", "_text", "_token_cut", "_word_cut", "_words",
        "date", "doc_id", "dropped_by", "dropped_value", "error", "host", "html", "language", "language_score", "notes",
        "pii", "record_id", "scores", "signals", "snapshot", "source", "trail", "url", "warc_file", "warc_offset",
    )  # fmt: skip

    def __init__(
        self,
        text: str = "",
        *,
        html: str | None = None,
        url: str = "",
        doc_id: int = 0,
        source: str = "",
        snapshot: str = "",
        host: str = "",
        date: str = "",
        warc_file: str = "",
        warc_offset: int = -1,
        record_id: str = "",
        language: str = "",
        language_score: float = 0.0,
        dropped_by: str | None = None,
        dropped_value: str | None = None,
        error: str | None = None,
    ):
        self._text = text
        self._forget()
        self.html = html
        self.url, self.host, self.date = url, host, date
        self.doc_id, self.source, self.snapshot = doc_id, source, snapshot
        self.warc_file, self.warc_offset, self.record_id = warc_file, warc_offset, record_id
        self.language, self.language_score = language, language_score
        self.scores: dict[str, float] = {}
        self.signals: dict[str, float] = {}
        self.pii: dict[str, int] = {}
        self.notes: dict[str, str] = {}
        self.dropped_by, self.dropped_value, self.error = dropped_by, dropped_value, error
        self.trail: list[int] = []

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, new: str) -> None:
        if new != self._text:
            self._text = new
            self._forget()

    def _forget(self) -> None:
        self._words = self._lines = self._paragraphs = self._sentences = None
        self._codes = self._word_cut = self._token_cut = self._raw_lines = None

    @property
    def chars(self) -> int:
        """Length in code points of what the page is at this point: its HTML before extraction, its text after."""
        return len(self._text if self.html is None else self.html)

    @property
    def words(self) -> list[str]:
        if self._words is None:
            text, places = self._text, self.word_cut
            self._words = [text[i:j] for i, j in zip(places.starts.tolist(), places.ends.tolist(), strict=True)]
        return self._words

    @property
    def codes(self) -> np.ndarray:
        """Code points of the text, uint32."""
        if self._codes is None:
            self._codes = codes_of(self._text)
        return self._codes

    @property
    def word_cut(self) -> Cut:
        """Where the words stand."""
        if self._word_cut is None:
            self._word_cut = cut_words(self.codes)
        return self._word_cut

    @property
    def token_cut(self) -> Cut:
        """Where the tokens of `curation.text.tokens` stand: words and marks, as tokenizers of English part them."""
        if self._token_cut is None:
            self._token_cut = cut_tokens(self.codes)
        return self._token_cut

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = cut.lines(self._text)
        return self._lines

    @property
    def raw_lines(self) -> list[str]:
        """Every line as `str.splitlines` knows lines: blank ones too, and other breaks than newline end one."""
        if self._raw_lines is None:
            self._raw_lines = self._text.splitlines()
        return self._raw_lines

    @property
    def paragraphs(self) -> list[str]:
        if self._paragraphs is None:
            self._paragraphs = cut.paragraphs(self._text)
        return self._paragraphs

    @property
    def sentences(self) -> list[str]:
        if self._sentences is None:
            self._sentences = cut.sentences(self._text)
        return self._sentences

    @property
    def alive(self) -> bool:
        return self.dropped_by is None

    def drop(self, stage: str, rule: str, value: Any = None, error: str | None = None) -> None:
        """Give the page its fate `<stage>.<rule>`. The first fate stays; a second is a mistake of ours."""
        assert self.dropped_by is None, f"page {self.url} already has the fate {self.dropped_by}"
        self.dropped_by = f"{stage}.{rule}"
        self.dropped_value = None if value is None else str(value)
        self.error = error

    def __repr__(self) -> str:
        return f"Page({self.text[:40]!r}, url={self.url!r}, dropped_by={self.dropped_by!r})"
