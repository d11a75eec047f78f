"""A file in a remote store, read at any byte: a stream that breaks is taken up again at the byte where it broke."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Protocol

from curation.stores.access import access
from curation.stores.http import Answer, HttpStore
from curation.stores.retry import DOUBTFUL, FINAL, Setback, Tries
from curation.stores.s3 import S3Store
from curation.stores.slots import slot

HEAD_BYTES = 1 << 18  # what opening a file reads
SLOWEST = 1 << 14  # bytes a second; an answer that is slower counts as broken ...
START_SECONDS = 60.0  # ... after these
GOT_ON = 1 << 16  # bytes after which a stream that breaks has got on: its failures count from the start
_NO_MARKUP = (".gz", ".zst", ".parquet", ".warc", ".arc", ".wet", ".jsonl")  # such files never begin with <


class Store(Protocol):
    """One request each; raises Setback."""

    def get(self, address: str, start: int, stop: int, tag: str) -> Answer: ...

    def size(self, address: str) -> int: ...


def store_of(address: str) -> Store:
    """The store that holds an address (in its public form)."""
    return S3Store() if address.startswith("s3://") else HttpStore()


class RemoteFile:
    """`size`, `tag` and `head` (its first 256 KiB) are known once it is opened. All reads are of one version of it.

    Not `opened`, it costs one request less; then size and tag are those that the first read meets.

    Raises StoreError where the file cannot be had (missing, forbidden, other content than before), UnavailableError
    where the store did not answer after all tries.
    """

    def __init__(self, address: str, store: Store | None = None, *, opened: bool = True):
        self.address, self._store = address, store or store_of(address)
        self.size, self.tag, self.head = -1, "", b""
        if opened:
            with waiting():
                self.head = self._open()

    def read(self, start: int, count: int) -> bytes:
        """The bytes [start, start + count), fewer only at the end of the file."""
        stop = min(start + count, self.size) if self.size >= 0 else start + count
        if stop <= start:
            return b""
        with waiting():
            return self._fetch(start, stop, self._tries())

    def close(self) -> None:
        """Nothing is open between reads."""

    def _tries(self) -> Tries:
        return Tries(self.address, access())

    def _open(self) -> bytes:
        """The head. A page in place of the file may be one bad answer of many: asked again, and in the end believed."""
        tries = self._tries()
        while True:
            self.size, self.tag = -1, ""
            head = self._fetch(0, HEAD_BYTES, self._tries())
            if not (self.address.lower().endswith(_NO_MARKUP) and head.lstrip()[:1] == b"<"):
                return head
            if tries.failures + 1 >= min(3, access().tries):
                return head  # whoever reads it says what it is
            tries.failed(Setback("a page of HTML or XML instead of the file"))

    def _fetch(self, start: int, stop: int, tries: Tries) -> bytes:
        parts: list[bytes] = []
        got, counted = 0, 0
        while self.size < 0 or start + got < min(stop, self.size):
            try:
                for piece in self._pieces(start + got, stop):
                    parts.append(piece)
                    got += len(piece)
                if start + got < min(stop, self.size):
                    raise Setback(f"the answer ends at byte {start + got}, before its end")
            except Setback as setback:
                if got - counted >= GOT_ON:
                    tries.worked()
                counted = got
                tries.failed(setback)
        return b"".join(parts)

    def _pieces(self, start: int, stop: int) -> Iterator[bytes]:
        """What one request gives of [start, stop), never more."""
        with slot():
            answer = self._store.get(self.address, start, stop, self.tag)
            with closing(answer):
                self._check(answer, start)
                stop = min(stop, answer.size)
                late = time.monotonic() + START_SECONDS + (stop - start) / SLOWEST
                for piece in answer.pieces:
                    yield piece[: stop - start]
                    start += len(piece)
                    if start >= stop:
                        return
                    if time.monotonic() > late:
                        raise Setback(f"the answer comes with less than {SLOWEST >> 10} KiB a second")

    def _check(self, answer: Answer, start: int) -> None:
        if self.size < 0:
            self.size, self.tag = answer.size, answer.tag
        if answer.size != self.size or (answer.tag and self.tag and answer.tag != self.tag):
            raise Setback(
                f"its content changed between two requests ({self.size} bytes before, {answer.size} now)", DOUBTFUL
            )
        if answer.start != start:
            if answer.start == 0:
                raise Setback("the server sends no byte ranges: download the file, and give the local one", FINAL)
            raise Setback(f"asked for byte {start} on, the answer begins at {answer.start}", DOUBTFUL)


_waited = threading.local()


@contextmanager
def waiting() -> Iterator[None]:
    """Time in this block is waiting for a store, see `working_clock`."""
    began = time.monotonic()
    try:
        yield
    finally:
        _waited.seconds = getattr(_waited, "seconds", 0.0) + time.monotonic() - began


def working_clock() -> float:
    """A clock, in seconds, that stands still while this thread waits for a remote store.

    Time limits on records are measured with it: how long a store keeps us waiting must not decide about a page.
    """
    return time.monotonic() - getattr(_waited, "seconds", 0.0)
