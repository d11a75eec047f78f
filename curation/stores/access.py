"""How this process reaches remote stores: patience, the cap on requests, and secrets that addresses came with.

An address is kept, shown and written without what makes it secret: `user:password@` and the query, which holds the
signature of a presigned address. The secrets stay in memory here and travel to Spark workers inside the task, so they
stand in no log, manifest, report or Spark property.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlsplit

from curation.errors import InputError

_REMOTE = re.compile(r"(https?|s3a?|s3n)://", re.IGNORECASE)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:@\s]+)(:\d{1,5})?")
_BUCKET = re.compile(r"[A-Za-z0-9._-]+")
_OTHER = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


@dataclass(frozen=True)
class Secret:
    """What an address was given with. None of it is ever printed."""

    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    query: str = field(default="", repr=False)


@dataclass(frozen=True)
class Access:
    """`requests`: at most so many at a time (see `slots`). `tries`: of one request, the first included.

    Waits between tries double from `first_wait` to `longest_wait` seconds. One second and more: what Common Crawl calls
    a polite pause on its status page (https://status.commoncrawl.org).
    """

    requests: int = 32
    tries: int = 10
    first_wait: float = 1.0
    longest_wait: float = 60.0
    secrets: dict[str, Secret] = field(default_factory=dict, repr=False)


_access = Access()


def access() -> Access:
    """The access that this process uses now."""
    return _access


def use(new: Access) -> None:
    """From now on this process reaches stores in this way. Secrets it knows already are kept."""
    global _access
    _access = replace(new, secrets={**_access.secrets, **new.secrets})


def is_remote(address: str) -> bool:
    """Whether an input is in a remote store, by its scheme. Raises InputError for schemes that are not read.

    >>> is_remote("s3://bucket/a.warc.gz"), is_remote("data/a.warc.gz")
    (True, False)
    """
    if _REMOTE.match(address):
        return True
    if _OTHER.match(address):
        raise InputError(
            f"{address.partition('://')[0]}:// is no store that is read here: give s3://, https:// or a path on a mount"
        )
    return False


def public(address: str) -> str:
    """The address without user, password, query and fragment; s3a and s3n become s3.

    Where no host or bucket can be told, such as before a password with a bare "/", only the scheme is left.

    >>> public("https://me:pw@data.example/a.warc.gz?X-Amz-Signature=1")
    'https://data.example/a.warc.gz'
    """
    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    if scheme.startswith("s3"):
        return f"s3://{rest}" if _BUCKET.fullmatch(rest.partition("/")[0]) else "s3://..."
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    return f"{scheme}://{host}{slash}{path}" if _HOST.fullmatch(host) else f"{scheme}://..."


def conceal(address: str) -> str:
    """The public form of an address that a user gave; what was secret in it is remembered for requests below it.

    Given again with another secret, such as a fresh signature, the new one counts.
    """
    global _access
    shown = public(address)
    if shown.startswith("s3://"):
        if shown == "s3://...":
            raise InputError(
                "an s3:// address begins with a bucket and holds no keys: put those into the environment "
                "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"
            )
        return shown
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named:
        raise InputError(
            f"{shown} is no address: write https://HOST/PATH; in a user or password, / ? # @ and : are written "
            "%2F %3F %23 %40 and %3A"
        )
    user, password = (unquote(part) if part is not None else None for part in (parts.username, parts.password))
    secret = Secret(user, password, parts.query)
    if secret != Secret():
        _access = replace(_access, secrets={**_access.secrets, shown.rstrip("/"): secret})
    return shown


def secret_of(address: str) -> Secret:
    """What the address, or the closest address above it, was given with."""
    secrets = _access.secrets
    place = address.rstrip("/")
    while "://" in place and not place.endswith(":/"):
        if place in secrets:
            return secrets[place]
        place = place.rpartition("/")[0]
    return Secret()
