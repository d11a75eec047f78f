"""Characters that are no text: control characters, broken surrogates, byte order marks; and one kind of line break."""

from __future__ import annotations

import re

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
