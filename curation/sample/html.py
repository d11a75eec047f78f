"""Sites, and pages that look like those of the web: menu, cookie banner, article, related links and footer.

Each site has its own layout and its own boilerplate in its own language, so that two copies of one article on two
sites share the article and nothing else. The words of every piece of boilerplate are returned beside the page.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from curation.sample.author import Article, Author, prose, topics

_RIGHT_TO_LEFT = {"ar"}
# Hosts end in .example, a name no one can own (RFC 2606), so no address in the sample leads anywhere.
_FIRST = (
    "harbour",
    "orchard",
    "granite",
    "lantern",
    "meadow",
    "juniper",
    "copper",
    "willow",
    "amber",
    "valley",
    "cedar",
)
_SECOND = ("gazette", "journal", "courier", "notes", "almanac", "review", "quarterly", "herald", "letters", "observer")
_SCRIPT = "window.pageReady=function(){document.body.className+=' ready';};"
_STYLE = "body{font:16px/1.5 Georgia,serif;margin:0}nav a{margin-right:1em}.notice{position:fixed;bottom:0}"


@dataclass(frozen=True, slots=True)
class Site:
    """One host with its look."""

    host: str
    name: str
    language: str
    layout: int
    menu: tuple[str, ...]
    cookie: str
    newsletter: str
    related: str
    share: str
    footer: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page as HTML, and the boilerplate in it that must not reach the text."""

    html: str
    boilerplate: tuple[str, ...]


def site(language: str, number: int, rng: random.Random) -> Site:
    """A site of a language; its host holds `number` and is therefore its own."""
    first, second = rng.choice(_FIRST), rng.choice(_SECOND)
    lists, name = prose(language), f"{first.capitalize()} {second.capitalize()}"

    def one(of: str) -> str:
        return rng.choice(lists[of]).replace("{site}", name)

    return Site(
        host=f"www.{first}-{second}-{number}.example",
        name=name,
        language=language,
        layout=rng.randrange(len(_LAYOUTS)),
        menu=tuple(rng.sample(lists["menu"], 6)),
        cookie=one("cookie"),
        newsletter=one("newsletter"),
        related=one("related"),
        share=one("share"),
        footer=one("footer"),
    )


def address(at: Site, number: int, article: Article) -> str:
    """Where the site puts the article: a path of its title, percent-encoded, and a number."""
    slug = "-".join("".join(c if c.isalnum() else " " for c in article.title.lower()).split()[:6])
    return f"https://{at.host}/{number}/{quote(slug)}"


def related_titles(language: str, rng: random.Random, *, other_than: str) -> list[str]:
    """Two or three titles for the list of related articles."""
    titles = (Author(language, topic, rng).title() for topic in rng.sample(topics(language), 3))
    return [title for title in titles if title not in other_than]


def page(at: Site, title: str, article: str, rng: random.Random, *, charset: str = "utf-8") -> Rendered:
    """The whole page of a site around `article` (HTML). `charset` is what the meta tag says."""
    titles = related_titles(at.language, rng, other_than=title)
    blocks = {
        "menu": "".join(f'<li><a href="/{n}">{escape(label)}</a></li>' for n, label in enumerate(at.menu)),
        "related": "".join(f'<li><a href="/{rng.randrange(9000)}">{escape(t)}</a></li>' for t in titles),
        "heading": escape(at.related),
        "share": escape(at.share),
        "newsletter": escape(at.newsletter),
        "footer": escape(at.footer),
        "cookie": f"<p>{escape(at.cookie)}</p><button>OK</button>",
        "name": escape(at.name),
        "article": article,
    }
    direction = ' dir="rtl"' if at.language in _RIGHT_TO_LEFT else ""
    html = (
        f'<!DOCTYPE html>\n<html lang="{at.language}"{direction}>\n<head>\n<meta charset="{charset}">\n'
        f"<title>{escape(title)} - {at.name}</title>\n<style>{_STYLE}</style>\n"
        f"<script>{_SCRIPT}</script>\n</head>\n<body>\n{_LAYOUTS[at.layout].format(**blocks)}\n</body>\n</html>\n"
    )
    return Rendered(html, (at.cookie, at.newsletter, at.footer, *titles))


def article_html(title: str, paragraphs: Sequence[str]) -> str:
    """A heading and paragraphs."""
    return f"<h1>{escape(title)}</h1>\n" + "\n".join(f"<p>{escape(p)}</p>" for p in paragraphs)


_LAYOUTS = (
    """<header><a href="/">{name}</a><nav><ul>{menu}</ul></nav></header>
<main><article>{article}</article></main>
<aside class="related"><h3>{heading}</h3><ul>{related}</ul><p>{newsletter}</p></aside>
<footer><p>{footer}</p></footer>
<div id="cookie-banner" class="cookie-consent notice">{cookie}</div>""",
    """<div id="cookie-notice" class="cookie-notice notice">{cookie}</div>
<div id="top"><h2><a href="/">{name}</a></h2></div>
<nav class="menu"><ul>{menu}</ul></nav>
<div id="content"><div class="post"><div class="entry-content">{article}</div></div></div>
<div class="share">{share}</div>
<div id="sidebar" class="sidebar"><h3>{heading}</h3><ul>{related}</ul><p>{newsletter}</p></div>
<div id="footer" class="footer"><p>{footer}</p></div>""",
    """<header class="site-header"><div class="logo">{name}</div><nav><ul>{menu}</ul></nav></header>
<section role="main"><article class="article-body">{article}</article><div class="share">{share}</div></section>
<section class="related-posts"><h3>{heading}</h3><ul>{related}</ul></section>
<footer class="site-footer"><div class="newsletter">{newsletter}</div><p>{footer}</p></footer>
<div class="cookie-bar notice" role="dialog">{cookie}</div>""",
)
