"""The fates that each role may meet: the one table that depends on the recipe.

"kept" stands for a page in `curated/`, anything else for the beginning of `<stage>.<rule>`. Stages are those of the
recipe `sample`; where another recipe of this project would drop the page elsewhere, that stage is listed too. Only
`check.py` and the truth file read this table.
"""

from __future__ import annotations

# MinHash of the recipe `sample`: how likely a near copy is found follows from these (curation.dedup.curve).
BANDS, ROWS = 14, 8

_QUALITY = ("gopher_", "c4.", "fineweb_quality.", "language.", "wanted_language.", "english.")
_NO_TEXT = ("main_text.", "cleaned.", *_QUALITY)
_DUPLICATE = ("exact_duplicates.", "near_duplicates.")

EXPECTED: dict[str, tuple[str, ...]] = {
    "good": ("kept", *_DUPLICATE),  # an original may lose against its copy; check.py asks that one of them stays
    "exact_copy": ("kept", *_DUPLICATE),
    "near_copy_95": ("kept", *_DUPLICATE),
    "near_copy_90": ("kept", *_DUPLICATE),
    "near_copy_85": ("kept", *_DUPLICATE),
    "near_copy_below": ("kept", "near_duplicates."),
    "recrawl_same": ("kept",),
    "recrawl_changed": ("kept",),
    "pii": ("kept",),
    "pii_look_alike": ("kept",),
    "charset_labelled": ("kept",),
    "charset_mislabelled": ("kept",),
    "gzip_body": ("kept",),
    "chunked_body": ("kept",),
    "truncated_body": ("kept", "read.truncated", *_NO_TEXT),
    "pii_dropped": _NO_TEXT,
    "thin": _NO_TEXT,
    "spam": _QUALITY,
    "repetitive": _QUALITY,
    "bullets": _NO_TEXT,
    "lorem": _QUALITY,
    "javascript": _NO_TEXT,
    "boilerplate_only": _NO_TEXT,
    "banned_url": ("url.",),
    "not_found": ("read.http_status",),
    "redirect": ("read.http_status",),
    "pdf": ("read.not_html",),
    "image": ("read.not_html",),
    "truncated_record": ("read.truncated", "read.damaged"),
    "damaged_record": ("read.damaged",),
}

# Roles of pages that must be dropped, in the order of the table that `check` returns.
BAD = tuple(role for role, fates in EXPECTED.items() if "kept" not in fates)


def accepted(role: str, fate: str | None) -> bool:
    """Whether a page of `role` may meet `fate`: None and "kept" are the same, so is the beginning of a fate.

    >>> accepted("pdf", "read.not_html"), accepted("pdf", None)
    (True, False)
    """
    return any((fate or "kept").startswith(prefix) for prefix in EXPECTED[role])
