"""A real browser for tests: Chromium without a window, and a server on this machine that notes who asks it for what."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VIRTUAL_MILLISECONDS = 3000  # of the page's own clock, which runs as fast as the machine lets it
SECONDS = 120


def find_browser() -> str:
    """Path of a Chromium. Skips the test where there is none."""
    named = os.environ.get("CURATION_BROWSER")
    found = next(filter(None, [named, *map(shutil.which, NAMES)]), None)
    if not found:
        pytest.skip("no Chromium here: apt-get install chromium, or name one in CURATION_BROWSER")
    return found


def dom_after_loading(page: Path, profile: Path) -> str:
    """The document as it stands after its scripts had time to run, as HTML."""
    command = [
        find_browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", f"--user-data-dir={profile}",
        f"--virtual-time-budget={VIRTUAL_MILLISECONDS}", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 0 and done.stdout, done.stderr.decode("utf-8", "replace")[-2000:]
    return done.stdout.decode("utf-8", "replace")


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """(address, paths asked for so far) of a server on a free port of this machine."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            """Says nothing: what was asked is the result."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
