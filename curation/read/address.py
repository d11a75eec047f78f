"""Addresses of pages: made safe to keep, and the host in them."""

from __future__ import annotations

from urllib.parse import urlsplit


def clean_url(url: str) -> str:
    """A URL without the <> of some Wget versions, spaces and control characters percent-encoded.

    >>> clean_url("<http://a.example/x y>")
    'http://a.example/x%20y'
    """
    url = url.strip()
    if url.startswith("<") and url.endswith(">"):
        url = url[1:-1].strip()
    return "".join(f"%{ord(char):02X}" if char <= " " or char == "\x7f" else char for char in url)


def host_of(url: str) -> str:
    """Lower-case host without user, port, brackets and the dot at the end of its rooted form; "" where there is none.

    >>> host_of("https://me@News.Example:8080/a"), host_of("http://news.example./a")
    ('news.example', 'news.example')
    """
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # brackets that hold no address: a page without a host, not a failure
        return ""


def spellings(host: str) -> set[str]:
    """The host as it is written, in unicode and in punycode, where it has these forms.

    >>> sorted(spellings("xn--mnchen-3ya.example")), spellings("a.example")
    (['m\xfcnchen.example', 'xn--mnchen-3ya.example'], {'a.example'})
    """
    forms = {host}
    if host.isascii() and "xn--" not in host:
        return forms
    for change in (lambda name: name.encode("idna").decode(), lambda name: name.encode().decode("idna")):
        try:
            forms.add(change(host))
        except UnicodeError:
            continue  # it has one form only
    return forms
