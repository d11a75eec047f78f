"""Reading ahead over a stream of bytes that may break: what was readable is returned, why it ended is kept."""

from __future__ import annotations

from typing import Protocol

from curation.read.tape import Tape
from curation.stores.remote import working_clock

TIMEOUT = "timeout"
_PIECE = 1 << 16


class Stream(Protocol):
    """Bytes in order. `read` gives b"" at the end or at a break; `fault` then says which ("" = a proper end)."""

    fault: str

    def read(self, count: int) -> bytes: ...

    def skip(self, count: int) -> int: ...


class Flow:
    """A `Stream` with look-ahead, a position and a clock. A short answer: it ended, or `fault` says why not."""

    def __init__(self, stream: Stream, offset: int = 0, *, seconds: float = float("inf")):
        self._stream, self._buffer, self.offset = stream, b"", offset
        self._late = False
        self.start_clock(seconds)

    @property
    def fault(self) -> str:
        """Why no more bytes come: TIMEOUT, what the stream says, or "" for a proper end."""
        return TIMEOUT if self._late else self._stream.fault

    def start_clock(self, seconds: float) -> None:
        """From now on bytes come for so many seconds, then the fault is TIMEOUT. Waiting for a store is free."""
        self._deadline = working_clock() + seconds

    def peek(self, count: int) -> bytes:
        """Up to `count` bytes ahead, not consumed."""
        while len(self._buffer) < count:
            piece = self._next(max(count - len(self._buffer), _PIECE >> 2))
            if not piece:
                break
            self._buffer += piece
        return self._buffer[:count]

    def take(self, count: int) -> bytes:
        """Up to `count` bytes, consumed."""
        pieces = [self._buffer[:count]]
        self._buffer = self._buffer[count:]
        got = len(pieces[0])
        while got < count:
            piece = self._next(min(count - got, _PIECE))
            if not piece:
                break
            pieces.append(piece)
            got += len(piece)
        self.offset += got
        return b"".join(pieces)

    def skip(self, count: int) -> int:
        """Pass over up to `count` bytes without holding them; returns how many there were."""
        done = min(count, len(self._buffer))
        self._buffer = self._buffer[done:]
        while done < count and not self._is_late():
            step = self._stream.skip(min(count - done, 64 * _PIECE))
            if not step:
                break
            done += step
        self.offset += done
        return done

    def skip_blank_lines(self) -> None:
        """Pass over the CR and LF that part records."""
        window = 64
        while ahead := self.peek(window):
            blank = len(ahead) - len(ahead.lstrip(b"\r\n"))
            self.skip(blank)
            if blank < len(ahead):
                return
            window = _PIECE

    def _next(self, count: int) -> bytes:
        return b"" if self._is_late() else self._stream.read(count)

    def _is_late(self) -> bool:
        self._late = self._late or working_clock() > self._deadline
        return self._late


class PlainStream:
    """The bytes of an uncompressed file from a position on."""

    fault = ""

    def __init__(self, tape: Tape, position: int):
        self._tape, self._position = tape, position

    def read(self, count: int) -> bytes:
        piece = self._tape.at(self._position, count)
        self._position += len(piece)
        return piece

    def skip(self, count: int) -> int:
        step = max(0, min(count, self._tape.size - self._position))
        self._position += step
        return step
