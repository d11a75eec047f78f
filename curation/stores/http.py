"""One request to a web server: a range of a file, or its size. Patience is the caller's part."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

from curation.stores.access import secret_of
from curation.stores.retry import DOUBTFUL, FINAL, Setback, refusal

CONNECT_SECONDS, READ_SECONDS = 15.0, 60.0  # to open a connection; without a byte on an open one
_PIECE = 1 << 16
_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+)")
_AGENT = "curation"  # so that who runs a store can tell us from others


@dataclass(frozen=True)
class Answer:
    """The bytes from `start` on of a file of `size` bytes. `tag` tells one version of the file from another ("": none).

    `pieces` raises Setback where the stream breaks; that it ends too early is for the reader to see. After `close` the
    connection serves others: at once where all bytes were read, else a new one has to be opened.
    """

    start: int
    size: int
    tag: str
    pieces: Iterator[bytes]
    close: Callable[[], None] = lambda: None


class HttpStore:
    """http and https. Redirects are followed, proxies taken from the environment (https_proxy, no_proxy)."""

    def get(self, address: str, start: int, stop: int, tag: str) -> Answer:
        """Bytes [start, stop), of the version `tag` where one is given. A server may send the whole file instead."""
        headers = {"Range": f"bytes={start}-{stop - 1}"}
        if tag:
            headers["If-Range"] = tag
        response = self._request("GET", address, headers)
        found = response.headers
        if response.status == 416 and start == 0 and found.get("Content-Range", "").endswith("/0"):
            response.close()
            return Answer(0, 0, _tag(found), iter(()))
        if response.status == 206:
            match = _RANGE.fullmatch(found.get("Content-Range", "").strip())
            if not match or not match.group(1):
                response.close()
                raise Setback(f"a part without a proper Content-Range: {found.get('Content-Range')!r}", DOUBTFUL)
            return Answer(int(match.group(1)), int(match.group(3)), _tag(found), _pieces(response), response.close)
        if response.status == 200:
            return Answer(0, _length(response), _tag(found), _pieces(response), response.close)
        response.close()
        raise _refused(response.status, found)

    def size(self, address: str) -> int:
        """Bytes of the file, without reading it."""
        response = self._request("HEAD", address, {})
        response.close()
        if response.status in (405, 501):  # a server without HEAD
            answer = self.get(address, 0, 1, "")
            answer.close()
            return answer.size
        if response.status != 200:
            raise _refused(response.status, response.headers)
        return _length(response)

    def _request(self, method: str, address: str, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
        secret = secret_of(address)
        headers |= {"User-Agent": _AGENT, "Accept-Encoding": "identity"}
        if secret.user is not None:
            headers |= urllib3.make_headers(basic_auth=f"{secret.user}:{secret.password or ''}")
        parts = urlsplit(address)
        path = quote(parts.path, safe="/%:=+,~@!$&'()*;")
        url = f"{parts.scheme}://{parts.netloc}{path}" + (f"?{secret.query}" if secret.query else "")
        try:
            return _pool(os.getpid(), _proxy(parts.scheme, parts.hostname or "")).request(
                method,
                url,
                headers=headers,
                preload_content=False,
                decode_content=False,
                retries=urllib3.Retry(total=None, connect=False, read=False, status=False, other=False, redirect=5),
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise broken(error) from None


def broken(error: Exception) -> Setback:
    """The setback of a connection that broke. Named by its class: messages of HTTP libraries hold addresses in full."""
    inner = error
    while isinstance(getattr(inner, "reason", None), Exception):
        inner = inner.reason
    if isinstance(inner, (urllib3.exceptions.LocationValueError, urllib3.exceptions.LocationParseError)):
        return Setback("this is no address", FINAL)
    names = " ".join(dict.fromkeys((type(error).__name__, type(inner).__name__)))
    if isinstance(inner, urllib3.exceptions.SSLError) and "CERTIFICATE" in str(inner).upper():
        return Setback("the server's certificate cannot be verified (SSL_CERT_FILE names other authorities)", FINAL)
    return Setback(f"the connection broke ({names})")


def _pieces(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    try:
        while piece := response.read(_PIECE, decode_content=False):
            yield piece
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise broken(error) from None


def _length(response: urllib3.BaseHTTPResponse) -> int:
    text = response.headers.get("Content-Length", "")
    if not text.isdigit():
        response.close()
        raise Setback("the server does not tell the length of the file; download it, and give the local file", FINAL)
    return int(text)


def _refused(status: int, headers: urllib3.HTTPHeaderDict) -> Setback:
    hint = "the address needs a user and password, https://USER:PASSWORD@HOST/..." if status == 401 else ""
    return refusal(status, "", headers.get("Retry-After"), hint)


def _tag(headers: urllib3.HTTPHeaderDict) -> str:
    """A strong ETag, else the date of change. A weak ETag promises no equal bytes."""
    tag = headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")


def _proxy(scheme: str, host: str) -> str | None:
    return None if proxy_bypass(host) else getproxies().get(scheme)


@cache
def _pool(process: int, proxy: str | None) -> urllib3.PoolManager:
    """A pool for each process: a connection that a fork copied would be read by two."""
    settings = {"num_pools": 32, "maxsize": 64}
    if proxy is None:
        return urllib3.PoolManager(**settings)
    parts = urlsplit(proxy)
    login = f"{parts.username}:{parts.password or ''}" if parts.username else None
    headers = urllib3.make_headers(proxy_basic_auth=login) if login else None
    return urllib3.ProxyManager(
        f"{parts.scheme}://{parts.hostname}:{parts.port or 80}", proxy_headers=headers, **settings
    )
