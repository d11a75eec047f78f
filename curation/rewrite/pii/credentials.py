"""Credentials: tokens told by their form, private keys, passwords in addresses, and secrets told by the word before.

One Aho-Corasick pass finds every place where a credential may begin (300 MB/s); only there a pattern is tried. All
patterns are bounded, or run to the next mark that ends a key block, so time is linear in the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from curation.rewrite.pii.spans import Span
from curation.rewrite.pii.token_formats import TOKEN_FORMATS, Format

CREDENTIAL = "<KEY>"

# RFC 7468 and OpenPGP armour. Without its end line (an extractor cut it off) the lines of base64 go.
_KEY_BLOCK = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:\s{0,8}[A-Za-z0-9+/=]{40,}+)*+))"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_URL_PASSWORD = re.compile(r"://[^\s/:@<>\"']{0,64}:([^\s/@<>\"']{1,128})@(?=[A-Za-z0-9\[])")

_PASSWORD_WORDS = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "mot de passe", "contrase\u00f1a"),
    *("senha", "wachtwoord", "has\u0142o", "l\u00f6senord", "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801"),
    *("\u5bc6\u78bc", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638"),
)
_SECRET_WORDS = (
    *(
        "secret",
        "token",
        "apikey",
        "api_key",
        "api-key",
        "api key",
        "API key",
        "access_key",
        "access-key",
        "access key",
    ),
    *("accesskey", "secretkey", "private_key", "auth_key", "authkey"),
)
_ASSIGNED = re.compile(
    r"[A-Za-z0-9_.\-]{0,24}[\"'\]]{0,2}[ \t]{0,3}(?:=>|:=|[=:\uff1a]|(?:is|ist|est|es)\b)\s{0,3}[\"'`]?"
    r"([^\s\"'<>`,;(){}\[\]|&\\]{6,256})"
)
_MADE_UP = re.compile(r"\A(?:https?:|www\.|/|\.|\$|%|#|@|\*|x{3,}|your|example|change|insert|process\.|os\.|env)", re.I)
_PLAIN = re.compile(r"\A[0-9.,:/\-]+\Z|\A[A-Za-z]+\Z")  # a number, a date, a word
_LEAST_PASSWORD = 6  # characters
_LEAST_SECRET = 16  # characters; shorter "tokens" on real pages are ids and counts
_LEAST_ENTROPY = 3.0  # bits a character; 32 random hex digits have about 3.5, words with a number below 3


def credentials(text: str) -> Iterator[Span]:
    """Cloud keys, tokens of services, JSON Web Tokens, private keys, passwords in addresses, secrets after a word.

    After a word for a password ("password:", "pwd=") a value of at least 6 characters with letters and digits goes;
    after a word for a secret ("api_key =", "token:") one of at least 16 with an entropy of 3 bits a character.
    Hashes, ids and checksums without such a word are no secrets.

    >>> text = "key AKIAQYLPMN5HHHFPZAM2, password: hunter2, ftp://jo:s3cret@site.org, sha1 da39a3ee5e6b4b0d"
    >>> [span[:3] for span in credentials(text)]
    [(4, 24, '<KEY>'), (36, 43, '<KEY>'), (54, 60, '<KEY>')]
    """
    scanner, meanings = _scanner()
    done = 0
    # The scanner wants text that can be written as UTF-8; a lone surrogate becomes another single character.
    for number, start, end in scanner.find_matches_as_indexes(_SURROGATE.sub("\ufffd", text)):
        if start < done:
            continue
        meaning = meanings[number]
        if isinstance(meaning, Format):
            found = _formatted(text, start, meaning)
        elif isinstance(meaning, re.Pattern):
            match = meaning.match(text, start)
            found = match and match.span(1)
        else:
            found = _secret_after(text, end, meaning)
        if found and found[0] >= done:
            done = found[1]
            yield Span(*found, CREDENTIAL, text[slice(*found)])


def _formatted(text: str, start: int, form: Format) -> tuple[int, int] | None:
    at = start - form.back
    if at < 0 or (at and re.match(r"[A-Za-z0-9_]", text[at - 1])):
        return None
    match = form.shape.match(text, at)
    return None if match is None or "EXAMPLE" in match.group() else match.span(1)


def _secret_after(text: str, end: int, kind: str) -> tuple[int, int] | None:
    match = _ASSIGNED.match(text, end)
    if match is None:
        return None
    value = match.group(1).rstrip(".!?:")
    if len(value) < _LEAST_PASSWORD or _MADE_UP.match(value) or _PLAIN.match(value) or not re.search("[0-9]", value):
        return None
    if kind == "secret" and not _looks_random(value):
        return None
    return match.start(1), match.start(1) + len(value)


def _looks_random(value: str) -> bool:
    """Long and mixed; one digit after words in lower case (family-recipe-1) is not enough."""
    mixed = len(re.findall("[0-9]", value)) > 1 or value.lower() != value
    return mixed and len(value) >= _LEAST_SECRET and entropy(value) >= _LEAST_ENTROPY


def entropy(value: str) -> float:
    """Bits a character, by the frequencies of the characters of the value itself.

    >>> entropy("aaaa"), entropy("abcdabcd")
    (0.0, 2.0)
    """
    counts = Counter(value).values()
    return abs(-sum(n / len(value) * math.log2(n / len(value)) for n in counts))


@cache
def _scanner() -> tuple[AhoCorasick, list[Format | re.Pattern[str] | str]]:
    """What may begin a credential, and what to try there. Built once per process: 10 ms."""
    meanings: dict[str, Format | re.Pattern[str] | str] = {}
    for word in _SECRET_WORDS:
        meanings |= dict.fromkeys(_spellings(word), "secret")
    for word in _PASSWORD_WORDS:
        meanings |= dict.fromkeys(_spellings(word), "password")
    meanings |= {"-----BEGIN ": _KEY_BLOCK, "://": _URL_PASSWORD}
    meanings |= {opening: form for form in TOKEN_FORMATS for opening in form.openings}
    scanner = AhoCorasick(list(meanings), matchkind=MatchKind.LeftmostLongest, implementation=Implementation.DFA)
    return scanner, list(meanings.values())


def _spellings(word: str) -> set[str]:
    return {word, word.upper(), word.capitalize(), word.title()}
