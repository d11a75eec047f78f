"""Items for `pii_quality.py`: personal data of 15 locales by Faker, and negatives that only look like it.

Nothing here knows of the finders. Credentials are made by the published form of each service.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import random
import string
from collections.abc import Callable

import phonenumbers
from faker import Faker

LOCALES = (
    *("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_BR"),
    *("pl_PL", "sv_SE", "ru_RU", "tr_TR", "ja_JP", "zh_CN", "ko_KR"),
)
_PHONE_WORDS = {
    "en": ("Phone: ", "Call us on ", "tel. "),
    "de": ("Tel.: ", "Telefon ", "Fax: "),
    "fr": ("T\u00e9l. : ", "T\u00e9l\u00e9phone : "),
    "es": ("Tel\u00e9fono: ", "Tel. "),
    "it": ("Tel. ", "Telefono: "),
    "nl": ("Telefoon: ", "Bel "),
    "pt": ("Telefone: ", "Tel: "),
    "pl": ("Telefon: ", "tel. "),
    "sv": ("Telefon: ", "Ring "),
    "ru": ("\u0422\u0435\u043b. ", "\u0422\u0435\u043b\u0435\u0444\u043e\u043d: "),
    "tr": ("Telefon: ", "Tel: "),
    "ja": ("\u96fb\u8a71\uff1a", "TEL "),
    "zh": ("\u7535\u8bdd\uff1a", "\u624b\u673a\uff1a"),
    "ko": ("\uc804\ud654 ", "\ud734\ub300\ud3f0: "),
}
_PLACES = (("", ""), ("(", ")"), ("| ", " |"), ("\n", "\n"), ("", "."), ("", ", "), ("- ", ""))
Draw = random.Random


class Maker:
    """Items and negatives of one locale: same seed, same items."""

    def __init__(self, locale: str, seed: int):
        self.locale, self.language, self.region = locale, locale[:2], locale[3:]
        self.fake, self.draw = Faker(locale), random.Random(f"{locale} {seed}")
        self.fake.seed_instance(f"{locale} {seed}")

    def item(self, kind: str) -> tuple[str, str, str]:
        """(text before, item, text after) of a new item."""
        before, after = self.draw.choice(_PLACES)
        item = getattr(self, f"_{kind}")()
        if kind == "phone":
            bare = item[0] in "+(" or (item[0] == "0" and not item.isdecimal())
            word = "" if bare and self.draw.random() < 0.5 else self.draw.choice(_PHONE_WORDS[self.language])
            return (f"{before}{word}", item, after)
        if kind == "credential":
            lead, item, tail = item
            return before + lead, item, tail + after
        if kind == "ssn" and (item.isdecimal() or " " in item):
            before += "SSN: "
        return before, item, after

    def _email(self) -> str:
        kind = self.draw.choice((self.fake.free_email, self.fake.company_email, self.fake.ascii_company_email))
        return kind().replace("@example.", "@beispiel.")  # example.org is documentation

    def _ip(self) -> str:
        if self.draw.random() < 0.6:
            return self.fake.ipv4_public()
        address = ipaddress.IPv6Address((0x2A00 << 112) | self.draw.getrandbits(112))
        return address.compressed if self.draw.random() < 0.5 else address.exploded

    def _phone(self) -> str:
        """As Faker writes it; numbers that no country has given out are passed over."""
        while True:
            written = self.fake.phone_number()
            try:
                if phonenumbers.is_valid_number(phonenumbers.parse(written, self.region)):
                    return written
            except phonenumbers.NumberParseException:
                continue

    def _ssn(self) -> str:
        fake = Faker("en_US")
        fake.seed_instance(self.draw.random())
        written = fake.ssn()
        return self.draw.choice((written, written, written.replace("-", " "), written.replace("-", "")))

    def _card(self) -> str:
        """Cards of today's lengths; of JCB only those in its range, 3528 to 3589, which Faker oversteps."""
        fake = Faker("en_US")
        fake.seed_instance(self.draw.random())
        kind = self.draw.choice(("visa16", "mastercard", "amex", "discover", "jcb16", "diners", "visa19"))
        digits = fake.credit_card_number(kind)
        while kind == "jcb16" and not "3528" <= digits[:4] <= "3589":
            digits = fake.credit_card_number(kind)
        cuts = {15: (4, 10), 14: (4, 10), 16: (4, 8, 12), 19: (4, 8, 12, 16)}[len(digits)]
        mark = self.draw.choice(("", " ", "-"))
        return mark.join(digits[a:b] for a, b in zip((0, *cuts), (*cuts, None), strict=True))

    def _iban(self) -> str:
        """For zh_CN Faker makes British numbers of 21 characters, one too few: those of en_US stand in."""
        fake = Faker("en_US" if self.locale == "zh_CN" else self.locale)
        fake.seed_instance(self.draw.random())
        number = fake.iban()
        return " ".join(number[i : i + 4] for i in range(0, len(number), 4)) if self.draw.random() < 0.6 else number

    def _credential(self) -> tuple[str, str, str]:
        return self.draw.choice(CREDENTIALS)(self.draw)


def text_of(draw: Draw, alphabet: str, length: int) -> str:
    return "".join(draw.choices(alphabet, k=length))


_ALNUM, _HEX = string.ascii_letters + string.digits, "0123456789abcdef"


def _mixed(draw: Draw, length: int) -> str:
    """Letters and digits with at least one of each, as generators of secrets see to."""
    return text_of(draw, _ALNUM, length - 2) + draw.choice(string.digits) + draw.choice(string.ascii_letters)


def _jwt(draw: Draw) -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": text_of(draw, string.digits, 10), "iat": draw.randrange(10**9)}]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, text_of(draw, _ALNUM + "-_", 43)])


def _key_block(draw: Draw) -> str:
    name = draw.choice(("RSA ", "EC ", "OPENSSH ", ""))
    lines = "\n".join(text_of(draw, _ALNUM + "+/", 64) for _ in range(draw.randrange(3, 20)))
    return f"-----BEGIN {name}PRIVATE KEY-----\n{lines}\n-----END {name}PRIVATE KEY-----"


CREDENTIALS: tuple[Callable[[Draw], tuple[str, str, str]], ...] = (
    lambda d: ("key ", "AKIA" + text_of(d, string.ascii_uppercase + "234567", 16), " "),
    lambda d: ("aws_secret_access_key = ", _mixed(d, 40), ""),
    lambda d: ("", "AIza" + text_of(d, _ALNUM + "_-", 34) + "x", " "),
    lambda d: ("AccountKey=", text_of(d, _ALNUM + "+/", 86) + "==", ";"),
    lambda d: ("token ", "ghp_" + text_of(d, _ALNUM, 36), " "),
    lambda d: ("", "github_pat_" + text_of(d, _ALNUM, 22) + "_" + text_of(d, _ALNUM, 59), " "),
    lambda d: ("", "glpat-" + text_of(d, _ALNUM + "_-", 19) + "a", " "),
    lambda d: ("", f"xoxb-{d.randrange(10**11, 10**12)}-{d.randrange(10**12, 10**13)}-" + text_of(d, _ALNUM, 24), " "),
    lambda d: ("", "sk_live_" + text_of(d, _ALNUM, 24), " "),
    lambda d: ("", "sk-proj-" + text_of(d, _ALNUM + "_-", 60) + "7a", " "),
    lambda d: ("", "npm_" + text_of(d, _ALNUM, 36), " "),
    lambda d: ("", "pypi-AgEIcHlwaS5vcmc" + text_of(d, _ALNUM + "_-", 99) + "a", " "),
    lambda d: ("", "hf_" + text_of(d, string.ascii_letters, 34), " "),
    lambda d: ("", _jwt(d), " "),
    lambda d: ("\n", _key_block(d), "\n"),
    lambda d: ("postgres://admin:", _mixed(d, 14), "@db.site.org:5432/shop"),
    lambda d: ("password: ", _mixed(d, 10), " "),
    lambda d: ("Passwort: ", _mixed(d, 9), " "),
    lambda d: ('"api_key": "', text_of(d, _HEX, 31) + "7", '"'),
    lambda d: ("client_secret=", _mixed(d, 32), "&scope=all"),
    lambda d: ("Authorization: Bearer ", _mixed(d, 40), " "),
)


def _digits(draw: Draw, shape: str) -> str:
    """Digits for each # of a shape; 1 to 9 for each @."""
    return "".join(str(draw.randrange(c == "@", 10)) if c in "#@" else c for c in shape)


# Family -> what may stand before, and shapes. Values are made up, so a few may be real numbers of somebody by chance.
_SHAPES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "version": (("Version ", "v", "Flash Player ", "firmware "), ("@.#.#.#", "@#.0.0.1##", "@.@#.#", "1#.#.####")),
    "timestamp": (
        ("", "at ", "created "),
        ("2024-0@-1# 1#:3#:5#", "2023-1#-0@T0#:2#:4#Z", "17########", "17###########"),
    ),
    "date": (("", "on "), ("1#.0@.2024", "0@/1#/1998", "1998-200@", "2019-0@-2#", "2014 2015 201#", "1#-0@-2011")),
    "isbn": (("ISBN ", "ISBN: "), ("978-3-16-######-#", "978##########", "0-306-#####-#", "979-8-####-####-#")),
    "doi": (
        ("doi:", "https://doi.org/"),
        ("10.10##/j.cell.20##.0#.0##", "10.1145/#######.#######", "10.1038/s#####-###-#####-#"),
    ),
    "coordinates": (
        ("", "at "),
        ("@#.####, 1#.####", "4#.###### -7#.######", "N 5# 3#.### E 01# 2#.###", "-@#.####, 15#.####"),
    ),
    "price": (
        ("", "for "),
        ("$@##,###,###.##", "@.###.### \u20ac", "@ ### ### z\u0142", "\u00a3@,###,###", "USD @###.##"),
    ),
    "product code": (
        ("SKU ", "Part no. ", "Model ", "Item ", "Art. Nr. ", "Ref. ", "Order ", "Serial "),
        ("@##-###-####", "@###-###-####", "0###-#######", "@##-##-####", "@########", "0### ### ###"),
    ),
    "coded word": (("", "type "), ("XR-@##-###-####", "AB@###-###-####", "EN 60###-#-##:20##", "@##-###-####-##B")),
    "barcode": (("EAN ", "UPC ", "GTIN "), ("4############", "0###########")),
    "tracking": (("tracking ", "parcel "), ("RR#########DE", "94##############", "1Z###AA##########")),
    "decimal": (
        ("", "about "),
        ("3.1415926535####", "0.##########", "6.02214076e2#", "1#.### 2#.### 3#.###", "0,####### 0,#######"),
    ),
    "private address": (("", "host "), ("192.168.1.@", "10.@.@.@#", "127.0.0.1", "169.254.1.@#")),
    "law and post": (
        ("", "see "),
        ("42 U.S.C. 198#", "US 7,###,###", "94105-####", "No. 19-#####", "2 BvR 15##/0#", "C-131/1#"),
    ),
}
_WORDS = {
    "at sign": ("logo@2x.png", "react@18.2.0", "@jo_doe on X", "3 @ 4.50", "user@localhost", "icon@3x.webp"),
    "code": ("std::vector::size", "2001::operator", "fe80::1", "00:1A:2B:3C:4D:5E", "12:30:45:67", "a::b::c"),
    "no secret": (
        *("Password: required", "password must have 8 characters", "token: ERC20", "api_key: YOUR_API_KEY"),
        *("secret: family recipe", "password: ********", "Forgot password? Step 2 of 3", "token expired 2 days ago"),
    ),
}


def _shaped(family: str) -> Callable[[Draw], str]:
    words, shapes = _SHAPES[family]
    return lambda draw: draw.choice(words) + _digits(draw, draw.choice(shapes))


def _worded(family: str) -> Callable[[Draw], str]:
    return lambda draw: draw.choice(_WORDS[family])


NEGATIVES: dict[str, Callable[[Draw], str]] = {
    **{family: _shaped(family) for family in _SHAPES},
    **{family: _worded(family) for family in _WORDS},
    "hash": lambda d: d.choice(("md5 ", "sha1: ", "commit ", "")) + text_of(d, _HEX, d.choice((32, 40, 64))),
    "uuid": lambda d: "-".join(text_of(d, _HEX, n) for n in (8, 4, 4, 4, 12)),
}
