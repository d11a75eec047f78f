"""Words before a number that say what it is; the nearest one decides. In lower case, as `last_match` reads."""

from __future__ import annotations

import re

_LATIN = (
    r"phones?\b|\b(?:tele?phone|tel\b|tlf\b|fon\b|fone\b|fax|mobile?\b|mob\b|cell\b|cellulare|celular|call\b|"
    r"ring\b|dial\b|sms\b|whats ?app|hotline|helpline|toll.?free|telef|t\u00e9l|handy\b|anruf|rufen|appelez|"
    r"ll\u00e1m|llame|ligue|chiam|m\u00f3vil|portable\b|kom\u00f3rk|kom\.|zadzwo|bel\b|bellen|mobiel|puh\b|gsm\b|"
    r"cep\b|aray\u0131n|reach (?:me|us)|contact (?:me|us)|\u0111i\u1ec7n tho\u1ea1i)"
)
_OTHER_SCRIPTS = (
    r"\u0442\u0435\u043b(?:\b|\u0435\u0444\u043e\u043d)|\u043c\u043e\u0431|\u0444\u0430\u043a\u0441|"  # Cyrillic
    r"\u0437\u0432\u043e\u043d|\u03c4\u03b7\u03bb|"  # Cyrillic, Greek
    r"\u96fb\u8a71|\u7535\u8bdd|\u624b\u673a|\u624b\u6a5f|\u643a\u5e2f|\u4f20\u771f|"  # Chinese, Japanese
    r"\ud3f0|\uc804\ud654|\uc5f0\ub77d\ucc98|\ud734\ub300|\ud329\uc2a4|"  # Korean
    r"\u0647\u0627\u062a\u0641|\u062c\u0648\u0627\u0644|\u062a\u0644\u0641\u0646|"  # Arabic, Persian
    r"\u0645\u0648\u0628\u0627\u06cc\u0644|\u05d8\u05dc|"  # Persian, Hebrew
    r"\u0e42\u0e17\u0e23|\u092b\u094b\u0928|\u092e\u094b\u092c\u093e\u0907\u0932|"  # Thai, Hindi
    r"\u260e|\u2706|\U0001f4de|\U0001f4f1"
)
_SOMETHING_ELSE = (
    r"\b(?:isbn|issn|ean|upc|gtin|asin|doi|sku|cas|vin|model|parts?|item|product|serial|s/n|order|invoice|rechnung|"
    r"bestell|commande|pedido|ordine|article|artikel|art\. ?nr|catalog(?:ue)?|ref|reference|r\u00e9f|"
    r"tracking|version|build|release|lat|latitude|longitude|coordinates?|gps|patent|case|code|docket|pmid|id|"
    r"vat|ust|siret|siren|steuer|konto|account|iban|bic|price|prix|preis|page|pp|zip|timestamp)\b"
)
_SSN = r"\bssns?\b|social security|\bsoc\.? ?sec|taxpayer|\btin\b"
_NO_PLACEHOLDER = r"(?<!<)"  # <PHONE> is no word for what follows it
_PHONE_OR_NOT = rf"(?P<yes>{_LATIN}|{_OTHER_SCRIPTS})|(?P<no>{_SOMETHING_ELSE})"
PHONE_CUE = re.compile(f"{_NO_PLACEHOLDER}(?:{_PHONE_OR_NOT})")
SSN_CUE = re.compile(f"{_NO_PLACEHOLDER}(?:(?P<yes>{_SSN})|(?P<no>{_SOMETHING_ELSE}))")
CARD_CUE = re.compile(
    rf"{_NO_PLACEHOLDER}(?:card|credit|visa\b|master|amex|american express|karte|carte|tarjeta|cart\u00e3o|carta|kart|"
    r"\u5361|\u30ab\u30fc\u30c9|\uce74\ub4dc|\u043a\u0430\u0440\u0442)"
)
