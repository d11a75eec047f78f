"""Characters that are no text: control characters, broken surrogates, byte order marks; one kind of line break; and
text that was decoded with the wrong charset somewhere on its way."""

from __future__ import annotations

import re
from typing import Literal

from curation.page import Drop, Page

# Line breaks other than \n that str.splitlines knows: CR LF, CR, vertical tab, form feed, next line (NEL), and the
# Unicode line and paragraph separators. If they stayed, measures that split at \n and those that use splitlines would
# see different lines.
_BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# C0 without tab and newline, DEL, C1, the byte order mark (zero-width no-break space) and its mirror image.
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def clean(page: Page) -> str | Drop:
    r"""The text without characters that are no text, and with \n as the only line break.

    A pair of surrogates becomes the character it stands for, a lone one goes: neither can be written as UTF-8.
    Idempotent; linear; a clean text is returned as it is. A page with nothing left is dropped as `empty`.

    >>> clean(Page("\ufeffone\r\ntwo\x00\u2028three"))
    'one\ntwo\nthree'
    """
    text = page.text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    text = _BREAK.sub("\n", _NO_TEXT.sub("", text))
    return text if text and not text.isspace() else Drop("empty", len(text))


def repair(
    page: Page,
    *,
    uncurl_quotes: bool = False,
    latin_ligatures: bool = False,
    character_width: bool = False,
    normalization: Literal["NFC", "NFKC", "none"] = "none",
) -> str | Drop:
    r"""The text with broken encodings repaired by ftfy: UTF-8 read as Latin-1 or Windows-1252, HTML entities, escapes.

    `uncurl_quotes`, `latin_ligatures`, `character_width` and `normalization` change text that is not broken, and are
    off: they would take typographic quotes and the full-width marks of Chinese and Japanese away. ftfy looks at a
    stretch of at most 1,000,000 characters at a time. About 1 MB/s where something looks broken, else 10.

    Source: FineWeb2's last step (datatrove's FTFYFormatter, with these settings); https://ftfy.readthedocs.io
    Differs: line breaks are left to `clean`.
    A page with nothing left is dropped as `empty`.

    >>> repair(Page("The caf\xc3\xa9 is \xe2\u20ac\u0153open\xe2\u20ac\x9d &amp; cheap"))
    'The caf\xe9 is \u201copen\u201d & cheap'
    """
    import ftfy

    config = ftfy.TextFixerConfig(
        uncurl_quotes=uncurl_quotes,
        fix_latin_ligatures=latin_ligatures,
        fix_character_width=character_width,
        fix_line_breaks=False,
        normalization=None if normalization == "none" else normalization,
        explain=False,
    )
    text = ftfy.fix_text(page.text, config)
    return text if text and not text.isspace() else Drop("empty", len(text))
