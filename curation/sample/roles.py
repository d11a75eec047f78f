"""How many pages of each role a sample crawl holds."""

from __future__ import annotations

from curation.errors import InputError

FEWEST_PAGES = 100  # below this the roles, each at least once, leave no room for good pages

# Pages per 400. What they leave goes to good pages in English.
_GOOD = {"de": 18, "fr": 18, "es": 18, "zh": 18, "ar": 14, "ja": 10, "ru": 12, "th": 8}
_OTHERS = {
    "exact_copy": 20,
    "near_copy_95": 8,
    "near_copy_90": 8,
    "near_copy_85": 8,
    "near_copy_below": 8,
    "recrawl_same": 16,
    "recrawl_changed": 10,
    "pii": 14,
    "pii_look_alike": 8,
    "pii_dropped": 6,
    "thin": 7,
    "spam": 8,
    "repetitive": 8,
    "bullets": 5,
    "lorem": 6,
    "javascript": 6,
    "boilerplate_only": 6,
    "banned_url": 6,
    "not_found": 8,
    "redirect": 6,
    "pdf": 4,
    "image": 4,
    "charset_labelled": 4,
    "charset_mislabelled": 4,
    "gzip_body": 4,
    "chunked_body": 4,
    "truncated_body": 2,
}
_ONCE = ("damaged_record", "truncated_record")  # each harms a whole file, so one of each, whatever the size


def counts(pages: int) -> tuple[dict[str, int], dict[str, int]]:
    """(good pages by language, pages of every other role) of a crawl of `pages` pages; together exactly `pages`.

    Raises InputError below FEWEST_PAGES.

    >>> good, others = counts(400)
    >>> good["en"], others["exact_copy"], sum(good.values()) + sum(others.values())
    (84, 20, 400)
    """
    if pages < FEWEST_PAGES:
        raise InputError(f"a sample crawl of {pages} pages is too small for its roles: ask for {FEWEST_PAGES} or more")
    others = {role: max(1, round(share * pages / 400)) for role, share in _OTHERS.items()} | dict.fromkeys(_ONCE, 1)
    good = {language: max(1, round(share * pages / 400)) for language, share in _GOOD.items()}
    return {"en": pages - sum(good.values()) - sum(others.values())} | good, others
