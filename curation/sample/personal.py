"""Good pages with personal data in their prose, and good pages with what only looks like it."""

from __future__ import annotations

import random
import string

from curation.sample.author import Article, prose
from curation.sample.world import SNAPSHOTS, Planted, World

# Public name servers, published by their operators for everybody's use: routable, and no person's. The first and the
# last part lie above 63, which no part of a version number does.
_PUBLIC_ADDRESSES = (
    "208.67.222.222",  # OpenDNS
    "149.112.112.112",  # Quad9
    "94.140.14.14",  # AdGuard DNS
    "185.228.168.9",  # CleanBrowsing
    "156.154.70.1",  # Neustar UltraDNS
    "84.200.69.80",  # DNS.WATCH
)


_KINDS_IN_TURN = ("phone", "credential", "iban", "card", "ssn")
# Numbers that are nobody's: published by banks and card networks for tests, by phone authorities for films, and a
# social security number that was printed on a card in wallets and made void.
_NUMBERS = {
    "phone": ("+44 20 7946 0{:03}", "(212) 555-01{:02}"),
    "iban": ("GB82 WEST 1234 5698 7654 32", "DE89 3704 0044 0532 0130 00"),
    "card": ("4111 1111 1111 1111", "3782 822463 10005", "5555555555554444"),
    "ssn": ("078-05-1120",),
}


def pages_with_personal_data(world: World, count: int) -> list[Planted]:
    """English articles with one or two e-mail addresses, in every second one a public IPv4 address, and in turn an item
    of the other kinds."""
    planted = []
    for number in range(count):
        rng, article = world.rng("pii", number), world.article("en")
        emails = [_email(rng) for _ in range(1 + number % 2)]
        addresses = [_PUBLIC_ADDRESSES[number // 2 % len(_PUBLIC_ADDRESSES)]] if number % 2 == 0 else []
        sentences = [_with("with_email", "{email}", item, rng) for item in emails]
        sentences += [_with("with_ip", "{ip}", item, rng) for item in addresses]
        kind = _KINDS_IN_TURN[number % len(_KINDS_IN_TURN)]
        other = _other(kind, rng)
        sentences.append(_with(f"with_{kind}", f"{{{kind}}}", other, rng))
        page = world.plant("pii", _insert(article, sentences, rng), SNAPSHOTS[number % len(SNAPSHOTS)])
        page.truth.planted = {"email": emails, "ip": addresses, kind: [other]}
        planted.append(page)
    return planted


def dropped_pages_with_personal_data(world: World, count: int) -> list[Planted]:
    """Pages too short to be kept, with personal data in their text, and an e-mail address in their own."""
    planted = []
    for number in range(count):
        rng = world.rng("pii-dropped", number)
        kind = _KINDS_IN_TURN[number % len(_KINDS_IN_TURN)]
        email, other = _email(rng), _other(kind, rng)
        sentences = [_with("with_email", "{email}", email, rng), _with(f"with_{kind}", f"{{{kind}}}", other, rng)]
        body = "\n".join(f"<p>{sentence}</p>" for sentence in sentences)
        nothing = Article("en", "Contact", ())
        site = world.site("en")
        page = world.plant(
            "pii_dropped", nothing, SNAPSHOTS[number % len(SNAPSHOTS)],
            at=site, url=f"https://{site.host}/contact?to={email}&n={number}", body=body,
        )  # fmt: skip
        page.truth.title, page.truth.planted = "", {"email": [email], kind: [other]}
        planted.append(page)
    return planted


def pages_with_look_alikes(world: World, count: int) -> list[Planted]:
    """English articles with version numbers, private addresses, times and places, none of which may be masked."""
    planted = []
    for number in range(count):
        rng, article = world.rng("look-alike", number), world.article("en")
        numbers = prose("en")["ip_look_alike"]
        sentences = [numbers[number % len(numbers)], rng.choice(prose("en")["email_look_alike"])]
        page = world.plant("pii_look_alike", _insert(article, sentences, rng), SNAPSHOTS[number % len(SNAPSHOTS)])
        page.truth.look_alikes = sentences
        planted.append(page)
    return planted


def _email(rng: random.Random) -> str:
    first, last = rng.choice(prose("en")["name"]).lower().split()
    return f"{first}.{last}{rng.randrange(10, 99)}@{rng.choice(('club', 'mail', 'post'))}-{rng.randrange(100)}.example"


def _other(kind: str, rng: random.Random) -> str:
    if kind == "credential":
        return "ghp_" + "".join(rng.choices(string.ascii_letters + string.digits, k=36))
    return rng.choice(_NUMBERS[kind]).format(rng.randrange(100))


def _with(name: str, slot: str, item: str, rng: random.Random) -> str:
    return rng.choice(prose("en")[name]).replace(slot, item)


def _insert(article: Article, sentences: list[str], rng: random.Random) -> Article:
    """The article with each sentence at the end of a paragraph of its own choice."""
    paragraphs = list(article.paragraphs)
    for sentence in sentences:
        at = rng.randrange(len(paragraphs))
        paragraphs[at] = f"{paragraphs[at]} {sentence}"
    return Article(article.language, article.title, tuple(paragraphs))
