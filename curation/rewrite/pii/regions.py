"""Which countries' numbering plans a page may follow: by the top-level domain of its host, then by its language."""

from __future__ import annotations

import phonenumbers

from curation.page import Page

NOWHERE = ("US",)  # for a text of which neither host nor language is known

# Where most pages in a language come from, larger countries first.
_COUNTRIES = {
    "en": "US GB AU IN", "de": "DE AT CH", "fr": "FR BE CH CA", "es": "ES MX AR CO", "pt": "BR PT", "it": "IT CH",
    "nl": "NL BE", "sv": "SE FI", "da": "DK", "no": "NO", "nb": "NO", "fi": "FI", "is": "IS", "pl": "PL", "cs": "CZ",
    "sk": "SK", "hu": "HU", "ro": "RO MD", "bg": "BG", "el": "GR CY", "hr": "HR", "sr": "RS", "sl": "SI", "lt": "LT",
    "lv": "LV", "et": "EE", "ru": "RU KZ BY UA", "uk": "UA", "tr": "TR", "ja": "JP", "zh": "CN TW HK", "ko": "KR",
    "ar": "SA EG AE MA", "fa": "IR", "he": "IL", "hi": "IN", "bn": "BD IN", "ta": "IN LK", "ur": "PK", "th": "TH",
    "vi": "VN", "id": "ID", "ms": "MY SG", "tl": "PH", "ca": "ES", "gl": "ES", "eu": "ES", "ka": "GE", "hy": "AM",
    "az": "AZ", "kk": "KZ", "sq": "AL", "mk": "MK",
}  # fmt: skip
_OTHER_NAMES = {"UK": "GB"}  # top-level domains that are not the country's code


def regions_of(page: Page) -> tuple[str, ...]:
    """ISO 3166 codes, the likeliest first; `NOWHERE` when host and language say nothing.

    >>> regions_of(Page(host="www.site.co.uk", language="en"))
    ('GB', 'US', 'AU', 'IN')
    """
    country = page.host.rpartition(".")[2].upper()
    country = _OTHER_NAMES.get(country, country)
    found = [country] if country in phonenumbers.SUPPORTED_REGIONS else []
    found += _COUNTRIES.get(page.language, "").split()
    return tuple(dict.fromkeys(found)) or NOWHERE
