"""A web server on loopback that misbehaves: a share of requests gets 503, SlowDown, a reset or a truncated body.

What it serves comes from a folder, or from another server behind it (such as a stand-in for S3). Which request fails
how is drawn from a hash of seed, path, range and how often that was asked before, so a test fails or passes the same
way each time, whatever the threads do.
"""

from __future__ import annotations

import hashlib
import http.client
import random
import re
import socket
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

Reply = tuple[int, dict[str, str], bytes]
KINDS = ("503", "slowdown", "reset", "truncate")
SLOWDOWN = b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Slow down.</Message></Error>'


@dataclass
class Plan:
    """`share` of requests fails in one of KINDS; `always`: part of a path -> status of those that never work."""

    share: float = 0.0
    seed: int = 1
    kinds: tuple[str, ...] = KINDS
    always: dict[str, int] = field(default_factory=dict)
    retry_after: str | None = None

    def fault(self, path: str, ranged: str, nth: int) -> tuple[str, random.Random] | None:
        draw = random.Random(f"{self.seed} {path} {ranged} {nth}")
        return (draw.choice(self.kinds), draw) if draw.random() < self.share else None


class FaultServer:
    """Use as a context manager; `url` is where it answers. `seen` = requests, `failed` = those that went wrong."""

    def __init__(self, upstream: Callable[[str, str, dict[str, str], bytes], Reply], plan: Plan | None = None):
        self.upstream, self.plan = upstream, plan or Plan()
        self.asked: Counter[tuple[str, str]] = Counter()
        self.headers: list[dict[str, str]] = []
        self.seen, self.failed = Counter(), Counter()
        self.lock = threading.Lock()
        self.connections = 0
        self.sockets: list[socket.socket] = []
        self.bytes_sent = 0  # of bodies
        self.at_once = self.most_at_once = 0
        self.before_reply: Callable[[], None] = lambda: None

    def __enter__(self) -> FaultServer:
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *failure) -> None:
        self._server.shutdown()
        self._server.server_close()
        for one in self.sockets:  # a thread would go on serving a connection that is kept alive
            with suppress(OSError):  # closed already
                one.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address) -> None:
        """A client that leaves is no error; anything else is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def folder(root: Path) -> Callable[[str, str, dict[str, str], bytes], Reply]:
    """Files below `root`, with ranges, ETag and If-Range."""

    def reply(method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        file = root / unquote(urlsplit(path).path).lstrip("/")
        if not file.is_file():
            return 404, {"Content-Type": "text/html"}, b"<html>not found</html>"
        return ranged(file.read_bytes(), headers)

    return reply


def ranged(content: bytes, headers: dict[str, str]) -> Reply:
    """What a proper server answers for this content."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    common = {"ETag": tag, "Last-Modified": formatdate(0, usegmt=True), "Accept-Ranges": "bytes"}
    match = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", ""))
    if not match or headers.get("if-range", tag) != tag:
        return 200, common, content
    start, last = int(match.group(1)), min(int(match.group(2) or len(content)), len(content) - 1)
    if start > last:
        return 416, {"Content-Range": f"bytes */{len(content)}"}, b""
    return 206, common | {"Content-Range": f"bytes {start}-{last}/{len(content)}"}, content[start : last + 1]


def behind(url: str) -> Callable[[str, str, dict[str, str], bytes], Reply]:
    """Another server, asked with the same request."""
    host = urlsplit(url).netloc

    def reply(method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        connection = http.client.HTTPConnection(host, timeout=30)
        try:
            connection.request(method, path, body=body, headers={k: v for k, v in headers.items() if k != "connection"})
            answer = connection.getresponse()
            content = answer.read()
            kept = {k: v for k, v in answer.getheaders() if k.lower() not in ("connection", "transfer-encoding")}
            return answer.status, kept, content
        finally:
            connection.close()

    return reply


def _handler(owner: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args) -> None:
            """Quiet."""

        def setup(self) -> None:
            super().setup()
            owner.connections += 1
            owner.sockets.append(self.connection)

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            with owner.lock:
                owner.at_once += 1
                owner.most_at_once = max(owner.most_at_once, owner.at_once)
                key = (self.path, f"{self.command} {headers.get('range', '')}")
                owner.asked[key] += 1
                owner.seen[self.command] += 1
                owner.headers.append(headers)
                fault = owner.plan.fault(*key, owner.asked[key])
            self._counted = True
            try:
                owner.before_reply()
                self._answer(headers, fault)
            finally:
                self._leave()

        def _leave(self) -> None:
            with owner.lock:
                owner.at_once -= self._counted
                self._counted = False

        do_HEAD = do_PUT = do_POST = do_GET

        def _answer(self, headers: dict[str, str], fault: tuple[str, random.Random] | None) -> None:
            body = self.rfile.read(int(headers.get("content-length") or 0))
            for part, status in owner.plan.always.items():
                if part in self.path:
                    self._send(status, {}, b"<html>no</html>")
                    return
            status, found, content = owner.upstream(self.command, self.path, headers, body)
            if fault is None or not content and fault[0] == "truncate":
                self._send(status, found, content)
                return
            kind, draw = fault
            owner.failed[kind] += 1
            waits = {"Retry-After": owner.plan.retry_after} if owner.plan.retry_after else {}
            if kind == "503":
                self._send(503, waits, b"<html>Service Unavailable</html>")
            elif kind == "slowdown":
                self._send(503, waits | {"Content-Type": "application/xml"}, SLOWDOWN)
            else:
                cut = draw.randrange(len(content)) if content else 0
                self._send(status, found, content, cut=cut)
                self.close_connection = True
                if kind == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        def _send(self, status: int, headers: dict[str, str], content: bytes, cut: int | None = None) -> None:
            self._leave()  # before the answer: whoever has it may ask again before this thread goes on
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() != "content-length":
                    self.send_header(name, value)
            length = len(content)
            if self.command == "HEAD":  # of an upstream that sends no body, its length stands in the header
                length = int({k.lower(): v for k, v in headers.items()}.get("content-length", length))
            self.send_header("Content-Length", str(length))
            self.end_headers()
            if self.command != "HEAD":
                content = content[:cut]  # all of it where nothing is cut
                with owner.lock:
                    owner.bytes_sent += len(content)
                self.wfile.write(content)
                self.wfile.flush()

    return Handler
