"""The child process in which a fragile engine runs: reads pages on standard input, answers on standard output.

It is started by `curation.extract.guard` and is meant to be killed: a page that hangs, crashes or fills memory takes
this process with it and nothing else. Messages are a 5-byte head (kind, length) and a body in UTF-8.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import struct
import sys
from typing import BinaryIO

HEAD = struct.Struct("<cI")
READY, PAGE, TEXT, MEMORY, ERROR = b"R", b"P", b"T", b"M", b"E"
PR_SET_PDEATHSIG = 1  # linux/prctl.h: the kernel kills us when the worker dies, even in the middle of a page


def main() -> None:
    """Serves pages until standard input ends. argv: engine name, its settings as JSON, address space in bytes."""
    name, settings, address_space = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not land between our messages
    from curation.extract import engines

    engine = engines.IN_PROCESS[name]
    engine("<p>warm up</p>", **settings)  # imports everything, so that a broken set-up shows before the first page
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    send(answers, READY, "")
    while (message := receive(requests)) is not None:
        try:
            kind, answer = TEXT, engine(message[1], **settings)
        except MemoryError:
            kind, answer = MEMORY, f"needs more than {address_space >> 20} MiB"
        except Exception as error:
            kind, answer = ERROR, f"{type(error).__name__}: {error}"[:1000]
        send(answers, kind, answer)


def send(stream: BinaryIO, kind: bytes, text: str) -> None:
    body = text.encode("utf-8", "replace")
    stream.write(HEAD.pack(kind, len(body)))
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[bytes, str] | None:
    """The next message, or None at the end of the stream."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, length = HEAD.unpack(head)
    body = stream.read(length)
    return (kind, body.decode("utf-8")) if len(body) == length else None
