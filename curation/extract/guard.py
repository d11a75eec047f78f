"""Runs an engine in a child process with a deadline and an address-space limit, so that no page can hurt the run.

One child per worker process, started at the first page and replaced after each page that killed it, and after a number
of pages, because parsers leak. Cost beside the engine's own: a pipe round trip, about 0.1 ms a page.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import time
from functools import cache

from curation.errors import SetUpError
from curation.extract.child import ERROR, HEAD, MEMORY, PAGE, READY, TEXT

START_SECONDS = 120.0  # imports on a cold and busy machine


class ExtractionFailed(Exception):
    """A page that an engine could not take. `rule` is its fate: timeout, crash, memory or error."""

    def __init__(self, rule: str, message: str):
        self.rule = rule
        super().__init__(message)


class Guard:
    """One engine in a child process.

    `deadline_seconds` a page, `address_space` in bytes, `recycle_pages` = pages after which the child is replaced.
    """

    def __init__(self, engine: str, settings: dict, *, deadline_seconds: float, address_space: int, recycle_pages: int):
        program = "from curation.extract.child import main; main()"
        self._command = [sys.executable, "-c", program, engine, json.dumps(settings), str(address_space)]
        self._deadline = deadline_seconds
        self._recycle = recycle_pages
        self._child: subprocess.Popen | None = None
        self._served = 0

    def text(self, html: str) -> str:
        """What the engine makes of a page. Raises ExtractionFailed, after which the child is gone.

        Raises SetUpError when the child does not even start: that is no page's fault and must fail the task.
        """
        if self._child is None or self._served >= self._recycle:
            self._start()
        self._served += 1
        until = time.monotonic() + self._deadline
        try:
            body = html.encode("utf-8", "replace")
            self._write(HEAD.pack(PAGE, len(body)) + body, until)
            kind, answer = self._answer(until)
        except TimeoutError:
            self.close()
            raise ExtractionFailed("timeout", f"took more than {self._deadline:g} s") from None
        except (EOFError, BrokenPipeError):
            code = self._child.wait()
            self.close()
            raise ExtractionFailed("crash", f"child ended with code {code}") from None
        if kind == TEXT:
            return answer
        self.close()  # after an error, and more so after a lack of memory, the next page must find a clean process
        raise ExtractionFailed({MEMORY: "memory", ERROR: "error"}[kind], answer)

    def close(self) -> None:
        """Ends the child. The next page starts another."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child.stdin.close()
            self._child.stdout.close()
            self._child = None

    def _start(self) -> None:
        self.close()
        self._served = 0
        paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # as shipped to this worker
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._child = subprocess.Popen(self._command, env=paths, bufsize=0, **pipes)
        os.set_blocking(self._child.stdin.fileno(), False)
        try:
            kind, _ = self._answer(time.monotonic() + START_SECONDS)
        except (EOFError, TimeoutError) as error:
            self.close()
            raise SetUpError(
                f"the process that extracts text by {self._command[3]} does not start (its message stands above); "
                "run `curate doctor`, and install the packages again"
            ) from error
        assert kind == READY

    def _write(self, data: bytes, until: float) -> None:
        view, pipe = memoryview(data), self._child.stdin.fileno()
        while view:
            self._wait([], [pipe], until)
            view = view[os.write(pipe, view) :]

    def _answer(self, until: float) -> tuple[bytes, str]:
        kind, length = HEAD.unpack(self._read(HEAD.size, until))
        return kind, self._read(length, until).decode("utf-8")

    def _read(self, length: int, until: float) -> bytes:
        parts, pipe = [], self._child.stdout.fileno()
        while length:
            self._wait([pipe], [], until)
            part = os.read(pipe, min(length, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    @staticmethod
    def _wait(reading: list[int], writing: list[int], until: float) -> None:
        left = until - time.monotonic()
        if left <= 0 or not any(select.select(reading, writing, [], left)):
            raise TimeoutError


@cache
def guard(
    engine: str, settings: str, deadline_seconds: float, address_space: int, recycle_pages: int, pid: int
) -> Guard:
    """The guard of this process. `settings` is JSON; `pid` keeps a forked worker from using its parent's child."""
    made = Guard(
        engine,
        json.loads(settings),
        deadline_seconds=deadline_seconds,
        address_space=address_space,
        recycle_pages=recycle_pages,
    )
    atexit.register(made.close)
    return made
